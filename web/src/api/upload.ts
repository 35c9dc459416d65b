// Uploads with progress, which fetch does not tell.
import { asProblem, Problem, readProblem } from "./problem";
import { remedied } from "./refusal";
import { accessToken } from "./session";

export interface Upload<T> {
  done: Promise<T>;
  cancel: () => void;
}

// upload sends a file as the body of a request and returns the answer's data. progress
// gets the share that was sent, from 0 to 1. key is an Idempotency-Key.
export const upload = <T>(
  method: "POST" | "PUT",
  path: string,
  file: Blob,
  type: string,
  progress: (share: number) => void,
  key?: string,
): Upload<T> => {
  let request = new XMLHttpRequest();
  const send = async (): Promise<T> => {
    const token = await accessToken();
    return new Promise<T>((resolve, reject) => {
      const unreachable = () => reject(new Problem(0, "UNREACHABLE", "", ""));
      request.open(method, path);
      request.responseType = "json";
      request.setRequestHeader("Content-Type", type);
      if (key !== undefined) request.setRequestHeader("Idempotency-Key", key);
      if (token !== null) request.setRequestHeader("Authorization", `Bearer ${token}`);
      request.upload.onprogress = (e) => progress(e.lengthComputable && e.total > 0 ? e.loaded / e.total : 0);
      request.onerror = unreachable;
      request.onabort = () => reject(new Problem(0, "CANCELLED", "", ""));
      request.onload = () => {
        const body = request.response as { data?: T } | null;
        if (request.status >= 200 && request.status < 300 && body) resolve(body.data as T);
        else reject(readProblem(request.status, body, request.getResponseHeader("X-Request-Id") ?? ""));
      };
      request.send(file);
    });
  };
  const done = send().catch(async (error: unknown) => {
    if (!(await remedied(asProblem(error)))) throw error;
    request = new XMLHttpRequest();
    return send();
  });
  return { done, cancel: () => request.abort() };
};

// The client of stoa's public API. Its types are generated from api/openapi.yaml at each
// build, so a page that does not fit the API does not compile.
import createClient from "openapi-fetch";
import { Problem, readProblem } from "./problem";
import type { components, paths } from "./schema";
import { accessToken, renewed } from "./session";

export type Schemas = components["schemas"];

// Sorts are the orders that a list takes.
export type Sorts<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: { sort?: infer Sort } } };
}
  ? NonNullable<Sort>
  : never;

// authorized sends a request with the session's token, once more with a new one if the
// token is refused; not if a password or a code is, for each try counts.
export const authorized = async (request: Request): Promise<Response> => {
  const first = await accessToken();
  if (first === null) return fetch(request);
  const again = request.clone();
  const response = await fetch(withToken(request, first));
  if (response.status !== 401 || (await problemOf(response)).code !== "UNAUTHORIZED") return response;
  const second = await renewed(first);
  return second === null ? response : fetch(withToken(again, second));
};

export const problemOf = async (response: Response): Promise<Problem> =>
  readProblem(
    response.status,
    await response
      .clone()
      .json()
      .catch(() => null),
    "",
  );

const withToken = (request: Request, token: string): Request => {
  const headers = new Headers(request.headers);
  headers.set("Authorization", `Bearer ${token}`);
  return new Request(request, { headers });
};

export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: authorized,
  credentials: "omit",
  querySerializer: { array: { style: "form", explode: true } },
});

type Result<T> = Promise<{ data?: T; error?: unknown; response: Response }>;

// ok returns the body of a successful answer; it throws a Problem for any other.
export const ok = async <T>(request: Result<T>): Promise<T> => (await answer(request)).body;

// data is ok for answers in an envelope: it returns what is inside.
export const data = async <T>(request: Result<{ data: T }>): Promise<T> => (await ok(request)).data;

// tagged is data with the entity tag, to be sent as If-Match with a change.
export const tagged = async <T>(request: Result<{ data: T }>): Promise<{ value: T; etag: string }> => {
  const { body, response } = await answer(request);
  return { value: body.data, etag: response.headers.get("ETag") ?? "" };
};

const answer = async <T>(request: Result<T>): Promise<{ body: T; response: Response }> => {
  let result: Awaited<Result<T>>;
  try {
    result = await request;
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem(0, "UNREACHABLE", String(cause), "");
  }
  const { data: body, error, response } = result;
  if (!response.ok) {
    const { headers } = response;
    throw readProblem(response.status, error, headers.get("X-Request-Id") ?? "", headers.get("Retry-After"));
  }
  return { body: body as T, response };
};

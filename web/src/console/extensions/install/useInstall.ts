// The life of one upload: a file is chosen, sent, and installed or refused.
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { Schemas } from "../../../api/client";
import { asProblem, type Problem } from "../../../api/problem";
import { upload, type Upload } from "../../../api/upload";
import type { Kind } from "./peek";

export type Installed = Schemas["InstallAnswer"]["data"];

export type Step =
  | { name: "ready" }
  | { name: "sending"; share: number }
  | { name: "failed"; problem: Problem }
  | { name: "done"; installed: Installed };

export const useInstall = () => {
  const [step, setStep] = useState<Step>({ name: "ready" });
  const running = useRef<Upload<Installed> | null>(null);
  const key = useRef(newKey());
  const client = useQueryClient();
  const reset = () => {
    running.current?.cancel();
    running.current = null;
    key.current = newKey();
    setStep({ name: "ready" });
  };
  const send = async (kind: Kind, file: File, replace: boolean) => {
    const path = `/api/v1/admin/extensions/${kind}/install${replace ? "?replace=true" : ""}`;
    setStep({ name: "sending", share: 0 });
    const sent = upload<Installed>(
      "POST",
      path,
      file,
      "application/zip",
      (share) => setStep((now) => (now.name === "sending" ? { name: "sending", share } : now)),
      key.current,
    );
    running.current = sent;
    try {
      const installed = await sent.done;
      await Promise.all(
        ["plugins", "themes", "extensions"].map((area) => client.invalidateQueries({ queryKey: [area] })),
      );
      if (running.current === sent) setStep({ name: "done", installed });
    } catch (error) {
      const problem = asProblem(error);
      // Without an answer, the next try is the same request; after a refusal it is another.
      if (!problem.unreachable) key.current = newKey();
      if (running.current === sent)
        setStep(problem.code === "CANCELLED" ? { name: "ready" } : { name: "failed", problem });
    }
  };
  return { step, send, reset, cancel: () => running.current?.cancel() };
};

// newKey works on pages without HTTPS, too, where randomUUID is missing.
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

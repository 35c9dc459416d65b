// Proving to be there, which what changes the ways into an account asks for.
import type { Way } from "./challenge";
import { api, data, ok } from "./client";
import { usePasskey } from "./passkey";
import { asProblem } from "./problem";

// waysToProve returns how the user may prove to be there, if that is what an action was refused for and there is a way;
// else null.
export const waysToProve = (error: unknown): string[] | null => {
  const { code, details } = asProblem(error);
  const ways = (details["methods"] ?? []) as string[];
  return code === "REAUTHENTICATION_REQUIRED" && ways.length > 0 ? ways : null;
};

// ProofWay is what a code is of that proves it.
export type ProofWay = Way | "email";

export type Proof = { password: string } | { code: string; method: ProofWay } | "passkey";

// mailProof has a code mailed to the address of the account.
export const mailProof = () => ok(api.POST("/auth/reauthenticate/email"));

export const prove = async (proof: Proof) => {
  const body =
    proof === "passkey"
      ? { credential: await usePasskey(await data(api.POST("/auth/reauthenticate/options"))) }
      : proof;
  return ok(api.POST("/auth/reauthenticate", { body: body as never }));
};

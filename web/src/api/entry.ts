// Signing in with more than a password, or with something else: what few pages need.
import type { Answer } from "./challenge";
import { hasPasskeys, usePasskey, type Options } from "./passkey";
import type { paths } from "./schema";
import { ask, read, take, type User } from "./session";

// secondStep ends a sign-in of an account that asks for more than the password (challengeOf).
export const secondStep = async (challenge: string, answer: Answer): Promise<User> =>
  take(await ask("/auth/login/second-factor", { challenge, ...answer }));

// passkeyStep is secondStep with a passkey.
export const passkeyStep = async (challenge: string): Promise<User> => {
  const options = await read<Options>(await ask("/auth/login/second-factor/options", { challenge }));
  return secondStep(challenge, { method: "passkey", credential: await usePasskey(options) });
};

// passkeySignIn signs in without a name: the passkey knows whose it is. With a signal it waits
// until the user picks one where the browser offers them, in the field for the name.
export const passkeySignIn = async (signal?: AbortSignal): Promise<User> => {
  const options = await read<Options>(await ask("/auth/login/passkey/options", {}));
  return take(await ask("/auth/login/passkey", { credential: await usePasskey(options, signal) }));
};

// mailSignIn asks for a mail to sign in with, and returns the flow that its code is for. The browser keeps the flow for
// its link, where scripts cannot read it.
export const mailSignIn = async (email: string): Promise<string> =>
  (await read<{ flow: string }>(await ask("/auth/login/email", { email }))).flow;

// mailedCode signs in with the code of that mail.
export const mailedCode = async (flow: string, code: string): Promise<User> =>
  take(await ask("/auth/login/email/complete", { flow, code }));

type Methods = paths["/auth/methods"]["get"]["responses"]["200"]["content"]["application/json"]["data"];

let methods: Promise<Methods> | null = null;

// signInMethods tells which ways lead in. A page asks once.
export const signInMethods = (): Promise<Methods> =>
  (methods ??= (async () => read<Methods>(await fetch("/auth/methods")))().catch((error: unknown) => {
    methods = null;
    throw error;
  }));

// mayUsePasskeys says whether this browser, this address and the server go together for passkeys.
export const mayUsePasskeys = async (): Promise<boolean> => hasPasskeys && (await signInMethods()).passkey;

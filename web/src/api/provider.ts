// Accounts at identity providers: the way there, and what is due after coming back.
import { challengeOf, type Challenge } from "./challenge";
import { api, authorized, data, ok } from "./client";
import { asProblem } from "./problem";
import type { TokenSet } from "./session";

// leave sends the browser to a provider, from where it comes back by way of /sign-in/continue to an address of this
// site.
export const leave = async (slug: string, mode: "sign-in" | "link" | "reauthenticate", returnTo: string) => {
  const { url } = await data(
    api.POST("/auth/oidc/{slug}/start", {
      params: { path: { slug } },
      body: { mode, returnTo },
      credentials: "same-origin", // for the cookie that ties the way to this browser
      // At a sign-in, a session that has ended would wait for itself.
      fetch: mode === "sign-in" ? (request) => fetch(request) : authorized,
    }),
  );
  location.assign(url);
  // Busy until the browser has left; it may come back to the page as it was.
  await new Promise((resolve) => addEventListener("pageshow", resolve, { once: true }));
};

// Form is what somebody adds who came back.
export interface Form {
  email?: string;
  username?: string;
  link?: true;
}

// Ended is how a way to a provider and back ended: signed in, linked, or proven to be there.
export type Ended = TokenSet | { linked: string } | { until: string };

const own = { credentials: "same-origin", params: { header: { "X-Refresh-Token": "cookie" } } } as const;

export const complete = async (form: Form): Promise<Ended> =>
  (await ok<{ data: Ended }>(api.POST("/auth/oidc/complete", { ...own, body: form }))).data;

// proveMailbox is complete with the code that was mailed.
export const proveMailbox = async (code: string): Promise<Ended> =>
  (await ok<{ data: Ended }>(api.POST("/auth/oidc/email-proof", { ...own, body: { code } }))).data;

// Due is what is missing before the way ends, or why it did not.
export interface Due {
  code: string;
  sent: boolean; // a code is on its way
  suggested: string; // an address that the provider named
  ways: string[]; // to link an account
  challenge: Challenge | null; // of the second step
}

// What leaves somebody where they are: they correct what they typed, or try again.
const inPlace = new Set(["INVALID_CODE", "VALIDATION_ERROR", "REGISTRATION_FAILED", "RATE_LIMITED", "UNAUTHORIZED"]);

// dueOf returns null for what leaves somebody where they are.
export const dueOf = (error: unknown): Due | null => {
  const { code, details, unreachable, ours } = asProblem(error);
  if (unreachable || ours || inPlace.has(code)) return null;
  return {
    code,
    sent: details["sent"] === true,
    suggested: String(details["suggested"] ?? ""),
    ways: (details["ways"] ?? []) as string[],
    challenge: challengeOf(error),
  };
};

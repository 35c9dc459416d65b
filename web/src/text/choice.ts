// The language that somebody chooses for pages (contract 1.12). It is loaded when it is needed.
import { accessToken, mayBeSignedIn } from "../api/session";

// show keeps a language in this browser, and shows the page in it.
const show = (tag: string): void => {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `stoa-language=${tag}; Path=/; SameSite=Lax; Max-Age=34560000${secure}`;
  const at = new URL(location.href);
  at.searchParams.delete("lang");
  if (at.href === location.href) location.reload();
  else location.replace(at);
};

// ofAccount reads the choice of the account that is signed in, or changes it.
const ofAccount = async (tag?: string): Promise<string | null> => {
  const bearer = await accessToken();
  if (!bearer) return null;
  const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" };
  const sent = tag === undefined ? {} : { method: "PUT", body: JSON.stringify({ language: tag }) };
  const answer = await fetch("/auth/language", { headers, cache: "no-store", ...sent });
  const body = (await answer.json()) as { data?: { language: string | null } };
  return body.data?.language ?? null;
};

export const choose = async (tag: string): Promise<void> => {
  if (mayBeSignedIn()) await ofAccount(tag).catch(() => null); // this browser keeps it all the same
  show(tag);
};

// adopt shows the page in the language of the account, after somebody has signed in.
export const adopt = async (): Promise<void> => {
  const chosen = await ofAccount();
  if (chosen && chosen !== document.documentElement.lang) show(chosen);
};

// The session of this page. The access token stays in memory; the refresh token is in a
// cookie that scripts cannot read (contract 2.7). localStorage holds no secret, only
// whether it is worth asking for a new access token.
import { readProblem } from "./problem";

export interface User {
  id: string;
  email: string;
  username: string;
  role: string;
  avatar: string | null;
}

export interface TokenSet {
  access_token: string;
  expires_in: number;
  user: User;
}

// A session that ended by itself stays, as ended, until somebody signs in or out: what was
// typed into a page is not lost.
export type Session = { user: User; ended?: true } | null;

const hint = "stoa-signed-in";
let token: { value: string; goodUntil: number } | null = null;
let session: Session = null;
const listeners = new Set<() => void>();

const change = (next: Session): void => {
  session = next;
  for (const listener of listeners) listener();
};

export const currentSession = (): Session => session;
const ended = (): boolean => session?.ended === true;
export const onSession = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

// onOtherUser calls when a user leaves, or another takes their place: nobody sees what
// somebody else had.
export const onOtherUser = (listener: () => void): void => {
  let user = session?.user.id;
  onSession(() => {
    const next = session?.user.id;
    if (user !== undefined && user !== next) listener();
    user = next;
  });
};

const remember = (signedIn: boolean): void => {
  try {
    if (signedIn) localStorage.setItem(hint, "1");
    else localStorage.removeItem(hint);
  } catch {
    // Without storage each visit asks once.
  }
};

export const mayBeSignedIn = (): boolean => {
  try {
    return localStorage.getItem(hint) !== null;
  } catch {
    return true;
  }
};

// ask sends a request of the session itself, without an access token of this page.
export const ask = async (path: string, body?: unknown, bearer?: string): Promise<Response> =>
  fetch(path, {
    method: "POST",
    credentials: "same-origin",
    cache: "no-store",
    headers: {
      "X-Refresh-Token": "cookie",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

// read returns what is in the envelope of an answer; it throws a Problem for a refusal.
export const read = async <T>(response: Response): Promise<T> => {
  const body = (await response.json().catch(() => null)) as { data?: T } | null;
  if (!response.ok || !body?.data) throw readProblem(response.status, body, response.headers.get("X-Request-Id") ?? "");
  return body.data;
};

// begin begins the session of a token set.
export const begin = ({ access_token: value, expires_in: seconds, user }: TokenSet): User => {
  token = { value, goodUntil: Date.now() + seconds * 1000 - 30_000 };
  const signedIn = !session && !mayBeSignedIn();
  remember(true);
  change({ user });
  if (signedIn) void import("../text/choice").then(({ adopt }) => adopt()).catch(() => undefined);
  return user;
};

// take begins the session that an answer brings.
export const take = async (response: Response): Promise<User> => begin(await read<TokenSet>(response));

export const signIn = async (email: string, password: string): Promise<User> =>
  take(await ask("/auth/login", { email, password }));

export const register = async (email: string, username: string, password: string): Promise<User> =>
  take(await ask("/auth/register", { email, username, password }));

export const signOut = async (): Promise<void> => {
  const bearer = token?.value;
  forget(null);
  await ask("/auth/logout", undefined, bearer);
};

const forget = (left: Session): void => {
  token = null;
  remember(false);
  change(left);
};

// again waits until somebody has signed in after the session ended. It returns a token for
// the same user; null for another, or none.
const again = (): Promise<string | null> =>
  new Promise((resolve) => {
    const id = session?.user.id;
    const stop = onSession(() => {
      if (ended()) return;
      stop();
      resolve(session?.user.id === id ? (token?.value ?? null) : null);
    });
  });

const orAgain = async (next: Promise<string | null>): Promise<string | null> =>
  (await next) ?? (ended() ? again() : null);

// onSignInElsewhere calls when somebody signs in, in another tab.
export const onSignInElsewhere = (listener: () => void): (() => void) => {
  const heard = (e: StorageEvent) => {
    if (e.key === hint && e.newValue !== null) listener();
  };
  addEventListener("storage", heard);
  return () => removeEventListener("storage", heard);
};

// Somebody signed in, in another tab.
addEventListener("storage", (e) => {
  if (e.key === hint && e.newValue !== null && ended()) void refresh();
});

let refreshing: Promise<string | null> | null = null;

// refresh gets a new access token, or null when the session is over. All callers share
// one request; other tabs may ask at the same time (a replaced token has 10 s of grace).
const refresh = (): Promise<string | null> =>
  (refreshing ??= (async () => {
    const response = await ask("/auth/refresh");
    if (response.status === 401 || response.status === 403) {
      forget(session && { user: session.user, ended: true });
      return null;
    }
    await take(response);
    return token?.value ?? null;
  })().finally(() => {
    refreshing = null;
  }));

// accessToken returns a token that is good for half a minute at least; null for guests.
// While the session has ended, it waits for the user to sign in again.
export const accessToken = async (): Promise<string | null> => {
  if (ended()) return again();
  if (token && Date.now() < token.goodUntil) return token.value;
  if (!token && !mayBeSignedIn()) return null;
  return orAgain(refresh());
};

// renewed is for a request that was refused in spite of its token: it returns another
// token, once the user has signed in again if the session is over; or null.
export const renewed = async (refused: string): Promise<string | null> =>
  token && token.value !== refused ? token.value : orAgain(refresh());

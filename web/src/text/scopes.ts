// What API keys may be for: the server's rules, so that nothing is offered that it refuses.

// No key can have these: they let people in, or decide what they may do.
const forPeople = [
  "users:security",
  "users:impersonate",
  "users:erase",
  "users:export",
  "staff:",
  "api-keys:",
  "sign-in:",
];

export const mayBeScope = (name: string) => !forPeople.some((begin) => name.startsWith(begin));

// The terms of keys that are offered, in days.
export const terms = [7, 30, 90, 365];

export const usualTerm = 90;

// endsIn is the end of a key that is made now, for so many days.
export const endsIn = (days: number) => new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();

export const isOver = (expiresAt: string | null) => expiresAt !== null && new Date(expiresAt) <= new Date();

// The second step of a sign-in, as the answer to the first one describes it.
import { asProblem } from "./problem";

export type Way = "totp" | "recovery";

// Answer is what ends the second step.
export type Answer = { method: Way; code: string } | { method: "passkey"; credential: unknown };

export interface Challenge {
  challenge: string;
  methods: string[];
}

// challengeOf returns what a refused sign-in asks for besides the password, or null.
export const challengeOf = (error: unknown): Challenge | null => {
  const { code, details } = asProblem(error);
  return code === "SECOND_FACTOR_REQUIRED" ? (details as unknown as Challenge) : null;
};

// triesLeft says how many codes may still be wrong; null if the sign-in has to begin again.
export const triesLeft = (error: unknown): number | null => {
  const left = asProblem(error).details["attemptsLeft"];
  return typeof left === "number" && left > 0 ? left : null;
};

// firstWay is the way that most people have at hand; null if no code is one.
export const firstWay = (methods: string[]): Way | null =>
  methods.includes("totp") ? "totp" : methods.includes("recovery") ? "recovery" : null;

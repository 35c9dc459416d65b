import { Problem } from "./problem";

// A refusal will be the same the next time: only a request that did not reach stoa, or that
// stoa could not pass on, is repeated, twice.
export const retry = (failures: number, error: unknown): boolean =>
  failures < 2 && (!(error instanceof Problem) || error.unreachable || error.status === 502 || error.status === 503);

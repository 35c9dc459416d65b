// One field's fault, as details.issues has it.
export interface Issue {
  path?: string;
  entry?: string;
  code: string;
  message: string;
}

// Problem is a request that failed: what the API answered, or that nothing did.
export class Problem extends Error {
  constructor(
    readonly status: number, // 0: the server could not be reached
    readonly code: string,
    message: string,
    readonly requestId: string,
    readonly details: Record<string, unknown> = {},
    readonly wait = 0, // how many seconds to wait before the next try; 0: nobody said
  ) {
    super(message);
    this.name = "Problem";
  }

  get issues(): Issue[] {
    return Array.isArray(this.details["issues"]) ? (this.details["issues"] as Issue[]) : [];
  }

  get unreachable(): boolean {
    return this.status === 0;
  }

  // The stoa whose fault it is, not the request's.
  get ours(): boolean {
    return this.status >= 500;
  }
}

// inOwnWords is the code of problems whose message a page wrote, in the reader's language.
export const inOwnWords = "IN_OWN_WORDS";

// readProblem reads an error body of either family: enveloped, or bare as the market's. retryAfter is the header.
export const readProblem = (status: number, body: unknown, requestId: string, retryAfter?: string | null): Problem => {
  const outer = (body ?? {}) as Record<string, unknown>;
  const inner = (typeof outer["error"] === "object" && outer["error"] !== null ? outer["error"] : outer) as Record<
    string,
    unknown
  >;
  const code = inner["code"] ?? outer["error"];
  return new Problem(
    status,
    typeof code === "string" ? code : "INTERNAL_ERROR",
    typeof inner["message"] === "string" ? inner["message"] : "",
    requestId,
    (inner["details"] ?? {}) as Record<string, unknown>,
    Number(retryAfter ?? inner["retryAfter"]) || 0,
  );
};

export const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem(0, "UNREACHABLE", String(error), "");

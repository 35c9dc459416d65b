/** Why the vendor refused the license. */
export type RefusalReason = 'not_found' | 'revoked' | 'expired' | 'not_activated' | 'unpaid';

/** The error code of an answer. Other codes are possible: the answer may come from a proxy. */
export type ApiErrorCode =
  | 'VALIDATION_ERROR' | 'NOT_FOUND' | 'ACTIVATION_FAILED' | 'RATE_LIMIT_EXCEEDED' | 'INTERNAL_ERROR'
  | 'UNEXPECTED_ANSWER' // not an error answer of stoa
  | (string & {});

interface Failure extends Error {
  readonly name: 'LicenseError';
  /** A warning: the store failed as well. */
  storeError?: LicenseError;
}

/** The vendor's signed answer that the license may not be used. */
export interface RefusedError extends Failure {
  readonly code: 'refused';
  readonly reason: RefusalReason;
  readonly status?: undefined;
}

/** An error answer of the shop. */
export interface ApiError extends Failure {
  readonly code: 'api';
  readonly reason: ApiErrorCode;
  /** The HTTP status. */
  readonly status: number;
}

/** No answer arrived. */
export interface UnreachableError extends Failure {
  readonly code: 'unreachable';
  /** The name of the error that fetch threw, such as TimeoutError. */
  readonly reason?: string;
  readonly status?: undefined;
}

/**
 * - `unsigned`: the vendor did not sign this answer to this request;
 * - `no_lease`: no lease is stored;
 * - `invalid`, `unknown_key`, `product`, `instance`, `issuer`, `clock`: the lease is not accepted;
 * - `store`: the store failed;
 * - `keys`: parseKeys found no valid keys.
 */
export interface OtherError extends Failure {
  readonly code:
    | 'unsigned' | 'no_lease' | 'invalid' | 'unknown_key' | 'product' | 'instance' | 'issuer' | 'clock'
    | 'store' | 'keys';
  readonly reason?: undefined;
  readonly status?: undefined;
}

/**
 * Every error of this package. `code` tells which; messages are for people. No message
 * contains a license key or a lease.
 */
export type LicenseError = RefusedError | ApiError | UnreachableError | OtherError;

export const LicenseError: {
  readonly prototype: LicenseError;
  new (
    code: ErrorCode,
    message: string,
    options?: { readonly reason?: string; readonly status?: number; readonly cause?: unknown },
  ): LicenseError;
};

export type ErrorCode = LicenseError['code'];

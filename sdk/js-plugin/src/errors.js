// The errors are documented in index.d.ts.

const messages = {
  missing: 'The request has no signature or no timestamp.',
  malformed: "The signature's headers cannot be read, or a header of the platform is there twice.",
  clock: "The request's timestamp and this clock are more than five minutes apart.",
  mismatch: 'The platform did not sign this request.',
  'unsigned-body': 'The body has more than 1 MiB, which the signature does not cover.',
};

export class NotFromPlatform extends Error {
  constructor(reason) {
    super(messages[reason]);
    this.name = 'NotFromPlatform';
    this.reason = reason;
    this.status = reason === 'unsigned-body' ? 413 : 401;
  }
}

export class PlatformError extends Error {
  constructor(status, { code = 'UNEXPECTED_ANSWER', message = `stoa answered ${status}.`, details, retryAfter } = {}) {
    super(message);
    this.name = 'PlatformError';
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

// found turns "not found" into null.
export async function found(answer) {
  try {
    return await answer;
  } catch (err) {
    if (err instanceof PlatformError && err.status === 404) return null;
    throw err;
  }
}

export class HookFailed extends Error {
  constructor(message, { retryAfter, stop = false, ...options } = {}) {
    super(message, options);
    this.name = 'HookFailed';
    this.retryAfter = retryAfter;
    this.stop = stop;
  }
}

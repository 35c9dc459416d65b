// Why something about a licence failed. `code` is for programs; no message holds
// a licence key or a lease. `storeError` is a warning: the store failed as well.
export class LicenseError extends Error {
  constructor(code, message, options = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LicenseError';
    this.code = code;
    if (options.reason !== undefined) this.reason = options.reason;
    if (options.status !== undefined) this.status = options.status;
  }
}

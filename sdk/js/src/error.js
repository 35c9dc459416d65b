// LicenseError is the only kind of error that this package throws for a license.
// No message contains a license key or a lease.
export class LicenseError extends Error {
  constructor(code, message, options = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'LicenseError';
    this.code = code;
    if (options.reason !== undefined) this.reason = options.reason;
    if (options.status !== undefined) this.status = options.status;
  }
}

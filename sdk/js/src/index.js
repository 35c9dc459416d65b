// For apps that are sold as a product of a stoa. The guide is
// docs/marketplace/licences.md of stoa; sdk/go/license is the same for Go.
export { LicenseError } from './error.js';
export { parseKeys } from './keys.js';
export { CLOCK_TOLERANCE, normalInstance, parseLease, verifyLease } from './lease.js';
export { verifyAnswer } from './answer.js';
export { Client, memoryStore, webStore } from './client.js';

export { LicenseError } from './error.js';
export { parseKeys } from './keys.js';
export { CLOCK_TOLERANCE, normalInstance, parseLease, verifyLease } from './lease.js';
export { verifyAnswer } from './answer.js';
export { Client } from './client.js';
export { memoryStore, webStore } from './store.js';

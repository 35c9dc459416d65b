export { keepRawBody } from './body.js';
export { HookFailed, NotFromPlatform, PlatformError } from './errors.js';
export { Platform } from './platform.js';
export { createPlugin } from './plugin.js';
export { signedRequest } from './testing.js';

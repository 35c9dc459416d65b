import type { Store } from './index.js';

/** Keeps the lease in a file, whose folder must exist. */
export function fileStore(path: string): Store;

import type { Store } from './index.js';

/**
 * Keeps the lease in a file, whose folder must exist. After a crash the file holds
 * the old content or the new. A user who edits the file can remove the latest time
 * seen, or restore an older lease that has not expired.
 */
export function fileStore(path: string): Store;

import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';

// fileStore keeps the lease in a file, whose folder must exist. A crash leaves the
// old content or the new. Who can edit the file can put an old lease back, or
// remove the latest time seen.
export function fileStore(path) {
  let queue = Promise.resolve();
  return {
    async load() {
      try {
        return await readFile(path, 'utf8');
      } catch (err) {
        if (err.code === 'ENOENT') return null;
        throw err;
      }
    },
    // One after another: the last that was asked for stays.
    save(text) {
      const done = queue.then(() => replace(path, text));
      queue = done.catch(() => {});
      return done;
    },
  };
}

async function replace(path, text) {
  const tmp = `${path}.${randomUUID()}.tmp`; // others may save the same file
  try {
    await writeFile(tmp, text);
    await rename(tmp, path);
  } catch (err) {
    await rm(tmp, { force: true });
    throw err;
  }
}

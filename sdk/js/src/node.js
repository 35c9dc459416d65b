import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';

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
    // One at a time: the last call wins.
    save(text) {
      const done = queue.then(() => replace(path, text));
      queue = done.catch(() => {});
      return done;
    },
  };
}

// replace leaves the old content or the new, even after a crash.
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

import { readFile, rename, writeFile } from 'node:fs/promises';

// fileStore keeps the lease in a file, whose folder must exist. A crash leaves the
// old content or the new.
export function fileStore(path) {
  return {
    async load() {
      try {
        return await readFile(path, 'utf8');
      } catch (err) {
        if (err.code === 'ENOENT') return null;
        throw err;
      }
    },
    async save(text) {
      const tmp = `${path}.${process.pid}.tmp`;
      await writeFile(tmp, text);
      await rename(tmp, path);
    },
  };
}

// Makes cjs/, the package for require(), from src/. npm runs it before it packs.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
rmSync('cjs', { recursive: true, force: true });
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc'], { stdio: 'inherit' });
for (const name of readdirSync('src')) {
  if (name.endsWith('.d.ts')) copyFileSync(`src/${name}`, `cjs/${name}`);
}
// Both Node.js and TypeScript read the format of a folder here.
writeFileSync('cjs/package.json', '{ "type": "commonjs" }\n');

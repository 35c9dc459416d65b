// Makes errors of the package, and explains them as the README does: one with each format.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import * as esm from 'stoa-license';
import { explain } from './explain.js';

const cjs = createRequire(import.meta.url)('stoa-license');
const jwks = await readFile('license-keys.json', 'utf8');

async function fails(call) {
  try {
    await call();
  } catch (err) {
    return explain(err);
  }
  return 'no error';
}

const { SHOP_URL: shop, REVOKED: revoked, TAKEN: taken } = process.env;
const unknown = 'STOA-00000-00000-00000-00000-00000-00000';
for (const [name, baseURL, licenseKey, call, pattern] of [
  ['unknown', shop, unknown, 'check', /.*/],
  ['revoked', shop, revoked, 'check', /.*/],
  ['taken', shop, taken, 'check', /.*/],
  ['no seat', shop, taken, 'activate', /^The shop says/],
  ['offline', 'http://127.0.0.1:1', taken, 'check', /^Connect to the network/],
]) {
  const texts = [];
  for (const { Client, parseKeys } of [esm, cjs]) {
    const client = new Client({ baseURL, product: 'mail-pack', licenseKey, instance: 'a.example', keys: await parseKeys(jwks) });
    texts.push(pattern.exec(await fails(() => client[call]()))?.[0]);
  }
  console.log(`${name}: ${texts[0] === texts[1] ? texts[0] : texts}`);
}

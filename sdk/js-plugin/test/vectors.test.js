import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { createPlugin } from 'stoa-plugin';
import { bodyHash, ofPlatform, readSigned, sign } from '../src/signature.js';

const path = process.env.STOA_VECTORS ?? new URL('../../../docs/signature-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(path, 'utf8'));
const wire = (text) => Buffer.from(text).toString('latin1'); // as Node.js reads headers
const bodyOf = ({ body, bodyTimes = 1 }) => Buffer.from(body.repeat(bodyTimes));

for (const c of vectors.cases) {
  test(`signs: ${c.name}`, () => {
    const body = bodyOf(c);
    assert.equal(bodyHash(body), c.bodyHash);
    const headers = Object.entries(c.headers).map(([name, value]) => [name.toLowerCase(), wire(value)]);
    assert.ok(headers.every(([name]) => ofPlatform(name)));
    const message = { timestamp: String(c.timestamp), method: c.method, target: c.target, hash: c.bodyHash, headers };
    assert.equal(c.secrets.map((secret) => `v1=${sign(secret, message).toString('hex')}`).join(','), c.signature);
  });
}

assert.ok(vectors.requests.length > 40);
for (const r of vectors.requests) {
  test(`verifies: ${r.name}`, async () => {
    const req = Object.assign(Readable.from([bodyOf(r)], { objectMode: false }), {
      method: r.method, url: r.target, headers: {},
      rawHeaders: r.headers.flatMap(([name, value]) => [name, wire(value)]),
    });
    // A plugin without a secret does not start, so one without a valid secret takes its place.
    const [secret = 'none', previousSecret] = r.secrets;
    const options = { secret: secret || 'none', previousSecret, unsignedBodies: r.unsignedBodies, now: () => r.now };
    const verdict = createPlugin(options).verify(req);
    if (r.error === undefined) assert.equal((await verdict).installationId, header(r, 'x-installation-id'));
    else await assert.rejects(verdict, { name: 'NotFromPlatform', reason: r.error });
  });
}

function header(r, name) {
  return r.headers.find(([given]) => given === name)?.[1] ?? '';
}

const read = (signature) => {
  const { signatures } = readSigned([['x-platform-timestamp', '1'], ['x-platform-signature', signature]], 1);
  return signatures.map((bytes) => bytes.toString('hex'));
};

test('blanks around a signature are left out, and others are malformed', () => {
  const hex = 'aB'.repeat(32);
  const want = [hex.toLowerCase()];
  for (const signature of [`v1=${hex}`, ` \tv1=${hex}\t `, `v0=, v1=${hex}`, `v1=${hex},v2=a=b`, ` =,v1=${hex}`, `v1 =,v1=${hex}`]) {
    assert.deepEqual(read(signature), want, JSON.stringify(signature));
  }
  for (const signature of [
    'v1', '=', `=${hex}`, `v1=${hex},`, `v1=${hex},=`, `v1= ${hex}`, `v1=${hex}\xa0`, `\xa0v1=${hex}`, `v1=${hex}=`, `v1=${hex}0`,
    `v1=${hex},v1=`, 'v2=a', `V1=${hex}`,
  ]) {
    assert.throws(() => read(signature), { reason: 'malformed' }, JSON.stringify(signature));
  }
});

test('a signature takes no more time than it is long', () => {
  const before = performance.now();
  for (const [begin, end] of [['v1=a', 'b'], ['v1=', 'b'], ['', 'b'], ['v1', '=b'], [`v1=${'a'.repeat(64)}`, 'b']]) {
    assert.throws(() => read(`${begin}${' '.repeat(150_000)}${end}`), { reason: 'malformed' });
  }
  assert.ok(performance.now() - before < 60_000); // it takes some milliseconds, and was three minutes
});

test('a plugin without a secret does not start', () => {
  for (const secret of [undefined, '']) assert.throws(() => createPlugin({ secret }), TypeError);
});

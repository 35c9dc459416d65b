// Against a real stoa, which js_test.go starts: its clock stands still.
import assert from 'node:assert/strict';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Client, parseKeys, webStore } from '../src/index.js';
import { fileStore } from '../src/node.js';

const { STOA_URL: baseURL, STOA_LICENSE_KEY: licenseKey, STOA_NOW: start } = process.env;
const skip = baseURL ? false : 'run by go test ./sdk/js';
const HOUR = 3_600_000;

const keysOf = async () => parseKeys(await (await fetch(`${baseURL}/api/marketplace/license-keys`)).json());
const code = (want, reason) => (err) => {
  assert.deepEqual([err.code, reason === undefined ? undefined : err.reason], [want, reason]);
  assert.ok(!JSON.stringify([err.message, err.cause?.message ?? '']).includes(licenseKey.slice(5, 16)));
  return true;
};

test('an app goes on without network as long as its lease', { skip }, async () => {
  const dir = await mkdtemp(join(tmpdir(), 'stoa-'));
  let cut = false;
  let impostor = null;
  let now = Number(start);
  const options = {
    baseURL: `${baseURL}/`, product: 'mail-pack', licenseKey, instance: 'A.example', keys: await keysOf(), now: () => new Date(now),
    fetch: (...args) => {
      if (cut) throw new TypeError(`fetch failed: ${args[0]}`);
      return impostor ? impostor() : fetch(...args);
    },
  };
  const app = new Client({ ...options, store: fileStore(join(dir, 'lease.json')) });
  const check = async (online, state) => {
    const got = await app.check();
    assert.deepEqual([got.online, got.state, got.usable, got.cause === undefined], [online, state, state !== 'expired', online]);
  };

  await assert.rejects(app.check(), code('refused', 'not_activated'));
  assert.equal((await app.activate()).currentInstances, 1);
  assert.equal((await app.activate()).currentInstances, 1);
  assert.deepEqual((await app.verify()).features, ['templates']);
  await check(true, 'valid');
  assert.equal((await readdir(dir)).length, 1);

  cut = true;
  await check(false, 'valid');
  now += 7 * 24 * HOUR - 1000;
  await check(false, 'valid');
  now += 1000;
  await check(false, 'grace');
  now += 3 * 24 * HOUR;
  await check(false, 'expired');
  now -= 5 * 24 * HOUR;
  await assert.rejects(app.check(), code('clock'));
  now = Number(start);
  cut = false;
  await check(true, 'valid'); // the vendor's word sets the time right

  // Nobody else can speak for the vendor.
  const old = await fetch(`${baseURL}/api/marketplace/products/mail-pack/license/verify?licenseKey=${licenseKey}&instanceId=a.example&nonce=old`);
  const oldBody = await old.text();
  for (const answer of [
    () => new Response(oldBody, { status: 200, headers: old.headers }),
    () => new Response('{"valid":true,"license":{},"features":["everything"]}'),
    () => new Response('{"valid":false}', { headers: { 'X-License-Code': 'revoked' } }),
    () => new Response('<html>'),
    () => new Response('{"error":"NOT_FOUND","message":"x"}', { status: 404 }),
    () => new Response('no', { status: 503 }),
  ]) {
    impostor = answer;
    await assert.rejects(app.verify(), code('unsigned'));
    await check(false, 'valid');
  }
  impostor = null;

  // A second installation, with its store in a browser's Storage.
  const kept = new Map();
  const other = new Client({ ...options, instance: 'b.example', store: webStore({ getItem: (n) => kept.get(n) ?? null, setItem: (n, v) => kept.set(n, v) }) });
  await assert.rejects(other.activate(), code('api', 'ACTIVATION_FAILED'));
  await app.deactivate();
  await assert.rejects(app.offline(), code('invalid'));
  await other.activate();
  assert.equal((await other.check()).online, true);
  assert.equal(kept.size, 1);
  await new Client({ ...options, instance: 'b.example' }).deactivate(); // its lease is still in the other's store
  await assert.rejects(other.check(), code('refused', 'not_activated'));
  await assert.rejects(other.offline(), code('invalid')); // forgotten: the vendor said no
  await assert.rejects(new Client({ ...options, product: 'other' }).check(), code('api', 'NOT_FOUND'));
  cut = true;
  await assert.rejects(other.activate(), code('unreachable'));
});

// Against a real stoa, which js_test.go starts: its clock stands still.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
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
  await assert.rejects(app.offline(), code('no_lease'));
  await other.activate();
  assert.equal((await other.check()).online, true);
  assert.equal(kept.size, 1);
  await new Client({ ...options, instance: 'b.example' }).deactivate(); // its lease is still in the other's store
  await assert.rejects(other.check(), code('refused', 'not_activated'));
  await assert.rejects(other.offline(), code('refused', 'not_activated')); // the vendor said no
  await assert.rejects(new Client({ ...options, product: 'other' }).check(), code('api', 'NOT_FOUND'));
  cut = true;
  await assert.rejects(other.activate(), code('unreachable'));
  await assert.rejects(new Client(options).check(), code('unreachable')); // not only that there is no lease
  cut = false;
  await storeFaults(options, (on) => { cut = on; }, (ms) => { now += ms; });
});

// On the one licence there is: the seat is free.
async function storeFaults(options, setCut, advance) {
  let [full, gone, kept] = [true, true, null];
  const store = {
    load: async () => { if (gone) throw new Error('disk gone'); return kept; },
    save: async (text) => { if (full) throw new Error('disk full'); kept = text; },
  };
  const start = () => new Client({ ...options, store });
  let app = start();
  await app.activate();
  const warned = async (online) => {
    const got = await app.check();
    assert.deepEqual([got.online, got.state, got.storeError?.code], [online, 'valid', 'store']);
  };
  await warned(true);
  setCut(true);
  await warned(false); // from memory
  advance(HOUR);
  await warned(false);
  await assert.rejects(start().check(), (err) => code('unreachable')(err) && err.storeError.code === 'store');
  full = gone = false;
  assert.equal((await app.check()).storeError, undefined); // kept as soon as it can be
  app = start();
  assert.equal((await app.check()).state, 'valid');
  full = true;
  advance(HOUR);
  await warned(false); // noting the time fails
  advance(-2 * HOUR);

  // A signed refusal wins, whether or not it can be written.
  for (const ask of ['check', 'verify']) {
    setCut(false);
    full = false;
    app = start();
    await app.activate();
    assert.equal((await app.check()).online, true);
    await new Client(options).deactivate(); // elsewhere
    full = true;
    await assert.rejects(app[ask](), (err) => code('refused', 'not_activated')(err) && err.storeError.code === 'store');
    setCut(true);
    await assert.rejects(app.check(), code('refused', 'not_activated')); // the old lease is still in the store
    full = false;
    await assert.rejects(app.offline(), code('refused', 'not_activated'));
    await assert.rejects(start().offline(), code('refused', 'not_activated'));
  }

  // Over an answer that was on its way, too.
  setCut(false);
  await start().activate();
  const slow = new Client({
    ...options,
    fetch: async (...args) => {
      const res = await fetch(...args);
      if (!String(args[0]).includes('/lease?')) return res;
      await new Client(options).deactivate();
      await assert.rejects(slow.verify(), code('refused'));
      return res;
    },
  });
  await assert.rejects(slow.check(), code('refused', 'not_activated'));

  // A lease that does not fit is what is wrong, not that there is no other.
  await start().activate();
  const astray = new Client({ ...options, fetch: (...args) => { astray.instance = 'c.example'; return fetch(...args); } });
  await assert.rejects(astray.check(), code('instance'));

  full = true;
  await assert.rejects(app.deactivate(), code('store')); // the seat is free all the same
  await assert.rejects(app.offline(), code('no_lease'));
}

test('many may use one file at once', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'stoa-'));
  const path = join(dir, 'lease.json');
  const stores = [fileStore(path), fileStore(path)];
  const texts = Array.from({ length: 50 }, (_, i) => String(i).repeat(1000));
  await Promise.all(texts.map((text, i) => stores[i % 2].save(text)));
  assert.ok(texts.slice(-2).includes(await stores[0].load()));
  await stores[0].save('a'), await stores[0].save('b');
  assert.equal(await stores[1].load(), 'b');
  assert.deepEqual(await readdir(dir), ['lease.json']);
  await assert.rejects(fileStore(dir).save('x'));
  assert.deepEqual(await readdir(dir), ['lease.json']);
  await rm(dir, { recursive: true });
});

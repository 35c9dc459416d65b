// Against a real stoa, which js_test.go starts. Its clock stands still.
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

// These tests share a license with one seat, a network and a clock.
test('a client against a real stoa', { skip }, async (t) => {
  const world = { cut: false, impostor: null, now: Number(start) };
  const options = {
    baseURL: `${baseURL}/`, product: 'mail-pack', licenseKey, instance: 'A.example',
    keys: await keysOf(), now: () => new Date(world.now),
    fetch: (...args) => {
      if (world.cut) throw new TypeError(`fetch failed: ${args[0]}`);
      return world.impostor ? world.impostor() : fetch(...args);
    },
  };
  const dir = await mkdtemp(join(tmpdir(), 'stoa-'));
  t.after(() => rm(dir, { recursive: true }));
  const app = new Client({ ...options, store: fileStore(join(dir, 'lease.json')) });

  await t.test('an app keeps running offline while its lease lasts', async () => {
    await offline(app, world);
    assert.equal((await readdir(dir)).length, 1);
  });
  await t.test('only answers of the vendor count', () => impostors(app, world));
  await t.test('a refusal ends the lease, a freed seat can be taken', () => seats(app, options, world));
  await t.test('a failing store does not stop a licensed app', () => failingStore(options, world));
  await t.test('a signed refusal wins', () => refusalsWin(options, world));
  await t.test('the fallback does not hide the cause', () => hiddenCause(options));
});

async function check(app, online, state) {
  const got = await app.check();
  const usable = state !== 'expired';
  assert.deepEqual([got.online, got.state, got.usable, got.cause === undefined], [online, state, usable, online]);
}

async function offline(app, world) {
  await assert.rejects(app.check(), code('refused', 'not_activated'));
  assert.equal((await app.activate()).currentInstances, 1);
  assert.equal((await app.activate()).currentInstances, 1);
  assert.deepEqual((await app.verify()).features, ['templates']);
  await check(app, true, 'valid');

  world.cut = true;
  await check(app, false, 'valid');
  world.now += 7 * 24 * HOUR - 1000;
  await check(app, false, 'valid');
  world.now += 1000;
  await check(app, false, 'grace');
  world.now += 3 * 24 * HOUR;
  await check(app, false, 'expired');
  world.now -= 5 * 24 * HOUR;
  await assert.rejects(app.check(), code('clock'));
  world.now = Number(start);
  world.cut = false;
  await check(app, true, 'valid'); // the vendor's clock decides
}

async function impostors(app, world) {
  const query = `licenseKey=${licenseKey}&instanceId=a.example&nonce=old`;
  const old = await fetch(`${baseURL}/api/marketplace/products/mail-pack/license/verify?${query}`);
  const oldBody = await old.text();
  for (const answer of [
    () => new Response(oldBody, { status: 200, headers: old.headers }),
    () => new Response('{"valid":true,"license":{},"features":["everything"]}'),
    () => new Response('{"valid":false}', { headers: { 'X-License-Code': 'revoked' } }),
    () => new Response('<html>'),
    () => new Response('{"error":"NOT_FOUND","message":"x"}', { status: 404 }),
    () => new Response('no', { status: 503 }),
  ]) {
    world.impostor = answer;
    await assert.rejects(app.verify(), code('unsigned'));
    await check(app, false, 'valid');
  }
  world.impostor = null;
}

async function seats(app, options, world) {
  // A second installation, with its store in a browser's Storage.
  const kept = new Map();
  const storage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) };
  const other = new Client({ ...options, instance: 'b.example', store: webStore(storage) });
  await assert.rejects(other.activate(), code('api', 'ACTIVATION_FAILED'));
  await app.deactivate();
  await assert.rejects(app.offline(), code('no_lease'));
  await other.activate();
  assert.equal((await other.check()).online, true);
  assert.equal(kept.size, 1);
  await new Client({ ...options, instance: 'b.example' }).deactivate(); // the other's store still has the lease
  await assert.rejects(other.check(), code('refused', 'not_activated'));
  await assert.rejects(other.offline(), code('refused', 'not_activated')); // the vendor refused
  await assert.rejects(new Client({ ...options, product: 'other' }).check(), code('api', 'NOT_FOUND'));
  world.cut = true;
  await assert.rejects(other.activate(), code('unreachable'));
  await assert.rejects(new Client(options).check(), code('unreachable')); // the cause, not only that no lease is stored
  world.cut = false;
}

// brittleStore is a store whose disk can be full or gone.
function brittleStore() {
  const disk = { full: false, gone: false, kept: null };
  const store = {
    load: async () => { if (disk.gone) throw new Error('disk gone'); return disk.kept; },
    save: async (text) => { if (disk.full) throw new Error('disk full'); disk.kept = text; },
  };
  return { disk, store };
}

async function failingStore(options, world) {
  const { disk, store } = brittleStore();
  const restart = () => new Client({ ...options, store });
  disk.full = disk.gone = true;
  let app = restart();
  await app.activate();
  const warned = async (online) => {
    const got = await app.check();
    assert.deepEqual([got.online, got.state, got.storeError?.code], [online, 'valid', 'store']);
  };
  await warned(true);
  world.cut = true;
  await warned(false); // from memory
  world.now += HOUR;
  await warned(false);
  await assert.rejects(restart().check(), (err) => code('unreachable')(err) && err.storeError.code === 'store');
  disk.full = disk.gone = false;
  assert.equal((await app.check()).storeError, undefined); // saved as soon as the disk has room
  app = restart();
  assert.equal((await app.check()).state, 'valid');
  disk.full = true;
  world.now += HOUR;
  await warned(false); // the time seen cannot be saved
  world.now -= 2 * HOUR;
  world.cut = false;
}

async function refusalsWin(options, world) {
  const { disk, store } = brittleStore();
  const restart = () => new Client({ ...options, store });
  const refused = code('refused', 'not_activated');
  let app;
  for (const ask of ['check', 'verify']) {
    world.cut = disk.full = false;
    app = restart();
    await app.activate();
    assert.equal((await app.check()).online, true);
    await new Client(options).deactivate(); // by another process
    disk.full = true;
    await assert.rejects(app[ask](), (err) => refused(err) && err.storeError.code === 'store');
    world.cut = true;
    await assert.rejects(app.check(), refused); // the old lease is still in the store
    disk.full = false;
    await assert.rejects(app.offline(), refused);
    await assert.rejects(restart().offline(), refused);
  }

  // It also wins over a grant still underway.
  world.cut = false;
  await restart().activate();
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
  await assert.rejects(slow.check(), refused);

  await restart().activate();
  disk.full = true;
  await assert.rejects(app.deactivate(), code('store')); // the seat is freed nevertheless
  await assert.rejects(app.offline(), code('no_lease'));
}

// A lease that does not fit is the error to report, not that no other is stored.
async function hiddenCause(options) {
  const astray = new Client({
    ...options,
    fetch: (...args) => { astray.instance = 'c.example'; return fetch(...args); },
  });
  await astray.activate();
  astray.instance = options.instance;
  await assert.rejects(astray.check(), code('instance'));
}

test('several stores can share one file', async () => {
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

// A plugin that checks the client of the platform API when it is called.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { createPlugin, PlatformError } from 'stoa-plugin';

const plugin = createPlugin({ secret: process.env.PLUGIN_SECRET });
const changed = { name: 'PlatformError', status: 412, code: 'PRECONDITION_FAILED' };

async function storage({ platform: { storage: s } }) {
  for (const key of ['cart/ä b?&#%2F', 'a.b', 'c']) {
    const put = await s.put(key, 'one', { ifAbsent: true });
    assert.deepEqual({ ...put, etag: '' }, { key, size: 3, etag: '', created: true });
    const got = await s.get(key);
    assert.equal(got.text(), 'one');
    assert.equal(got.contentType, 'text/plain; charset=utf-8');
    assert.equal(got.etag, put.etag);
    await assert.rejects(s.put(key, '', { ifAbsent: true }), changed);
    const next = await s.putJSON(key, { two: 2 }, { ifMatch: put.etag, ttl: 3600 });
    assert.equal(next.created, false);
    assert.ok(Date.parse(next.expiresAt) > Date.now());
    await assert.rejects(s.delete(key, { ifMatch: put.etag }), changed);
    assert.deepEqual(await s.getJSON(key), { two: 2 });
  }
  await s.put('bytes', new Uint8Array([0, 255]));
  assert.deepEqual([...(await s.get('bytes')).value], [0, 255]);
  const page = await s.list({ limit: 3 });
  assert.equal(page.items.length, 3);
  assert.equal((await s.list({ cursor: page.nextCursor })).items.length, 1);
  const keys = [];
  for await (const { key } of s.keys('c')) keys.push(key);
  assert.deepEqual(keys, ['c', 'cart/ä b?&#%2F']);
  await s.delete('c');
  await s.delete('c');
  assert.equal(await s.get('c'), null);
  assert.equal(await s.getJSON('c'), null);
  for (const key of ['.', '..']) await assert.rejects(s.get(key), TypeError);

  let calls = 0;
  const sum = await s.update('n', async (n = 0) => {
    if (++calls === 1) await s.putJSON('n', 41); // somebody is faster
    return n + 1;
  });
  assert.deepEqual([sum, calls], [42, 2]);
  assert.equal(await s.update('n', () => undefined), 42);
}

async function shop({ platform, config, user }) {
  assert.deepEqual(await platform.config(), config);
  assert.equal(config.filler.length, 20_000);
  const { items: [product], pagination } = await platform.products.list({ q: 'mail', limit: 1 });
  assert.equal(pagination.limit, 1);
  assert.ok((await platform.products.get(product.slug)).pricingTiers.length > 0);
  const { items: [order] } = await platform.orders.list({ status: 'paid' });
  assert.deepEqual(await platform.orders.get(order.id), order);
  const license = await platform.licenses.get(order.licenseId);
  assert.equal(license.status, 'active');
  assert.equal((await platform.licenses.list()).items.length, 1);
  assert.equal((await platform.users.get(user.id)).username, 'root');
  assert.ok((await platform.users.list()).pagination.total > 0);
  assert.equal(await platform.orders.get('none'), null);
  await assert.rejects(platform.orders.list({ status: 'lost' }), { status: 400, code: 'VALIDATION_ERROR' });
  await assert.rejects(platform.events.publish('visits.x'), (err) => err instanceof PlatformError);
}

createServer(plugin.http(async (req, res, stoa) => {
  try {
    await storage(stoa);
    await shop(stoa);
    res.end('ok');
  } catch (err) {
    res.end(String(err.stack));
  }
})).listen(process.env.PORT, '127.0.0.1');

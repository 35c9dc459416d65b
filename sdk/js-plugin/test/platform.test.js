import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Platform, PlatformError } from 'stoa-plugin';

// A platform API that answers with these, and writes down what it is asked.
function fake(...answers) {
  const asked = [];
  const fetch = async (url, options) => {
    asked.push({ url: String(url), ...options });
    const { status = 200, headers = {}, body } = answers.shift();
    return new Response(body, { status, headers });
  };
  return { asked, platform: new Platform({ baseURL: 'https://shop.example/', token: 'token', fetch }) };
}

test('publish returns the id of the event', async () => {
  for (const body of ['{"success":true,"data":{"id":"e-1"}}', '{"id":"e-1"}']) {
    const { asked, platform } = fake({ status: 202, body });
    assert.deepEqual(await platform.events.publish('visits.counted', { visits: 1 }), { id: 'e-1' });
    assert.equal(asked[0].url, 'https://shop.example/api/v1/platform/events');
    assert.equal(asked[0].method, 'POST');
    assert.equal(asked[0].headers.authorization, 'Bearer token');
    assert.deepEqual(JSON.parse(asked[0].body), { type: 'visits.counted', data: { visits: 1 } });
  }
});

test('the token follows no redirect', async () => {
  const { asked, platform } = fake({ body: '{"success":true,"data":{"items":[]}}' });
  await platform.orders.list();
  assert.equal(asked[0].redirect, 'error');
});

test('a token that stoa refuses is renewed once', async () => {
  const page = { body: '{"success":true,"data":{"items":[]}}' };
  const client = (...answers) => {
    const { asked } = fake();
    const given = [];
    const fetch = async (url, { headers }) => {
      asked.push(headers.authorization);
      const { status = 200, body } = answers.shift();
      return new Response(body, { status });
    };
    const token = async (refused) => { given.push(refused); return `token-${given.length}`; };
    return { asked, given, platform: new Platform({ baseURL: 'https://shop.example', token, fetch }) };
  };
  const good = client(page, { status: 401, body: '{}' }, page);
  await good.platform.orders.list();
  await good.platform.orders.list();
  assert.deepEqual(good.asked, ['Bearer token-1', 'Bearer token-2', 'Bearer token-3']);
  assert.deepEqual(good.given, [undefined, undefined, 'token-2']);
  const bad = client({ status: 401, body: '{}' }, { status: 401, body: '{}' });
  await assert.rejects(bad.platform.orders.list(), { status: 401 });
  assert.equal(bad.asked.length, 2);
});

test('a refusal says why', async () => {
  const body = '{"success":false,"error":{"code":"RATE_LIMIT_EXCEEDED","message":"m","details":{"a":1}}}';
  const { platform } = fake({ status: 429, headers: { 'retry-after': '7' }, body }, { status: 502, body: '<html>' });
  await assert.rejects(platform.orders.get('x'), {
    name: 'PlatformError', status: 429, code: 'RATE_LIMIT_EXCEEDED', message: 'm', details: { a: 1 }, retryAfter: 7,
  });
  await assert.rejects(platform.orders.get('x'), { name: 'PlatformError', status: 502, code: 'UNEXPECTED_ANSWER' });
});

test('update gives up after twenty races, and at once for any other reason', async () => {
  const race = [{ status: 404, body: '{}' }, { status: 412, body: '{}' }];
  const { asked, platform } = fake(...Array(20).fill(race).flat());
  const raced = (err) => err instanceof PlatformError && err.status === 412;
  await assert.rejects(platform.storage.update('n', () => 1), raced);
  assert.equal(asked.length, 40);
  const full = fake({ status: 404, body: '{}' }, { status: 413, body: '{"error":{"code":"STORAGE_QUOTA_EXCEEDED"}}' });
  await assert.rejects(full.platform.storage.update('n', () => 1), { code: 'STORAGE_QUOTA_EXCEEDED' });
  assert.equal(full.asked.length, 2);
});

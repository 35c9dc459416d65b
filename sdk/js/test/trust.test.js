// How the client treats failing vendors, wrong clocks and redirects. No stoa is
// needed: this file makes the vendor's key.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Client, parseKeys } from '../src/index.js';

const { privateKey, publicKey } = await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify']);
const { x } = await crypto.subtle.exportKey('jwk', publicKey);
const kid = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
const keys = await parseKeys({ keys: [{ kty: 'OKP', crv: 'Ed25519', kid, x }] });
const sign = async (text) => Buffer.from(await crypto.subtle.sign('Ed25519', privateKey, Buffer.from(text)));
const base64url = (v) => Buffer.from(JSON.stringify(v)).toString('base64url');

const now = Date.parse('2030-01-01T12:00:00Z');

async function lease() {
  const iat = now / 1000;
  const claims = {
    iss: 'https://shop.example', sub: 'l1', product: { id: 'p1', slug: 'mail-pack' }, instanceId: 'a.example',
    features: [], licenseType: 'perpetual', iat, exp: iat + 60, graceUntil: iat + 60,
  };
  const text = `${base64url({ alg: 'EdDSA', kid, typ: 'license-lease+jwt' })}.${base64url(claims)}`;
  return `${text}.${(await sign(text)).toString('base64url')}`;
}

// answer is an answer of the vendor, signed as stoa signs.
async function answer(address, status, content) {
  const url = new URL(address);
  const body = JSON.stringify(content);
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const input = '("@status" "content-digest" "@method";req "@path";req "@query";req)' +
    `;created=${now / 1000};keyid="${kid}";alg="ed25519";nonce="${url.searchParams.get('nonce')}";tag="stoa-license"`;
  const base = [
    `"@status": ${status}`, `"content-digest": ${digest}`, '"@method";req: GET', `"@path";req: ${url.pathname}`,
    `"@query";req: ${url.search}`, `"@signature-params": ${input}`,
  ].join('\n');
  const signature = `stoa=:${(await sign(base)).toString('base64')}:`;
  const headers = { 'Content-Digest': digest, 'Signature-Input': `stoa=${input}`, Signature: signature };
  return new Response(body, { status, headers });
}

const options = {
  baseURL: 'https://shop.example', product: 'mail-pack', licenseKey: 'STOA-SECRET', instance: 'a.example',
  keys, now: () => new Date(now),
};

test('a failing vendor leaves the lease usable, an error about the request does not', async () => {
  let speak = async (url) => answer(url, 200, { valid: true, lease: await lease() });
  const app = new Client({ ...options, fetch: (url) => speak(url) });
  assert.equal((await app.check()).online, true);
  for (const status of [500, 503]) {
    speak = (url) => answer(url, status, { error: 'INTERNAL_ERROR', message: 'x' });
    const got = await app.check();
    assert.deepEqual([got.online, got.state, got.cause.code, got.cause.status], [false, 'valid', 'api', status]);
  }
  speak = (url) => answer(url, 404, { error: 'NOT_FOUND', message: 'x' });
  await assert.rejects(app.check(), (err) => err.code === 'api' && err.status === 404);
});

test("online the vendor's clock decides", async () => {
  for (const wrong of [-365, 365]) {
    const app = new Client({
      ...options,
      now: () => new Date(now + wrong * 86_400_000),
      fetch: async (url) => answer(url, 200, { valid: true, lease: await lease() }),
    });
    const got = await app.check();
    assert.deepEqual([got.online, got.state, got.lastSeen.getTime()], [true, 'valid', now]);
  }
});

test('fetch is not called as a method, and its errors do not contain the license key', async () => {
  const app = new Client({
    ...options,
    fetch(url) {
      assert.equal(this, undefined);
      throw new TypeError(`cannot fetch ${url}`);
    },
  });
  await assert.rejects(app.verify(), (err) => {
    assert.deepEqual([err.code, err.reason], ['unreachable', 'TypeError']);
    return !`${err} ${JSON.stringify(err)} ${err.cause}`.includes('SECRET');
  });
});

test('a freed seat leaves no lease', async () => {
  const app = new Client({
    ...options,
    fetch: async (url) => {
      if (!url.includes('/lease?')) return new Response('{"license":{}}');
      const res = await answer(url, 200, { valid: true, lease: await lease() });
      await app.deactivate(); // before the answer arrives
      return res;
    },
  });
  await assert.rejects(app.check(), (err) => err.code === 'refused' && err.reason === 'not_activated');
  await assert.rejects(app.offline(), (err) => err.code === 'no_lease');
});

test('redirects are not followed, because they would leak the license key', async (t) => {
  let reached = 0;
  const serve = async (handler) => {
    const server = createServer(handler);
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    t.after(() => { server.close(); server.closeAllConnections(); });
    return server;
  };
  const elsewhere = await serve((req, res) => { reached++; req.resume(); res.end('{}'); });
  const shop = await serve((req, res) => {
    req.resume();
    const status = Number(req.url.split('/')[1]);
    res.writeHead(status, { Location: `http://127.0.0.1:${elsewhere.address().port}/steal` }).end();
  });
  for (const status of [301, 302, 303, 307, 308]) {
    const app = new Client({ ...options, baseURL: `http://127.0.0.1:${shop.address().port}/${status}` });
    for (const call of ['activate', 'deactivate', 'verify', 'check']) {
      await assert.rejects(app[call](), (err) => err.code === 'unreachable', `${call} with ${status}`);
    }
  }
  assert.equal(reached, 0);
});

test('an endless answer does not fill the memory', async () => {
  let sent = 0;
  const app = new Client({
    ...options,
    fetch: async () => new Response(new ReadableStream({
      pull: (to) => { sent += 1 << 16; to.enqueue(new Uint8Array(1 << 16)); if (sent > 64 << 20) to.close(); },
    })),
  });
  for (const call of ['activate', 'verify']) {
    sent = 0;
    await assert.rejects(app[call](), (err) => err.code === 'unreachable');
    assert.ok(sent < 2 << 20, `${call}: ${sent} bytes were read`);
  }
});

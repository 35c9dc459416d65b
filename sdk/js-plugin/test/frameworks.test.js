import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import express from 'express';
import Fastify from 'fastify';
import { createPlugin, keepRawBody, signedRequest } from 'stoa-plugin';

const secret = 'current secret';
const plugin = () => createPlugin({ secret });

// serve starts a listener and returns its address.
async function serve(t, listener) {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  t.after(() => { server.close(); server.closeAllConnections(); });
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}`;
}

// send sends a request of signedRequest, or one that a change has spoilt.
async function send(base, request) {
  const answer = await fetch(base + request.url, request);
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const greeting = {
  secret, method: 'POST', path: '/base/api/hello%2Fyou?x=%20y', body: { name: 'Grüezi' },
  context: {
    user: { id: 'Ada Ü', role: 'customer', impersonator: 'sam' }, config: { greeting: 'Hi' }, permissions: ['a', 'b'], locale: 'de',
    license: { state: 'grace', tier: 'pro', features: ['süß'], expiresAt: '2030-03-01T12:00:00.000Z', trial: true },
  },
};

const summary = (stoa, body) => ({
  user: stoa.user, greeting: stoa.config.greeting, can: stoa.can('b') && !stoa.can('c'), locale: stoa.locale, body,
  ends: stoa.license?.expiresAt.getTime(), features: stoa.license?.features,
});
const want = {
  user: { id: 'Ada Ü', role: 'customer', impersonator: 'sam' }, greeting: 'Hi', can: true, locale: 'de', body: { name: 'Grüezi' },
  ends: Date.UTC(2030, 2, 1, 12), features: ['süß'],
};

async function read(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// Every way of using the package, each with the same route POST /base/api/*.
const apps = {
  'plain http': (p) => p.http(async (req, res, stoa) => {
    const body = await read(req);
    res.end(JSON.stringify(summary(stoa, body.length ? JSON.parse(body) : undefined)));
  }),
  'Express, before express.json()': (p) => {
    const app = express();
    app.use(p.express(), express.json({ limit: '10mb' }));
    app.use('/base/api', (req, res) => res.json(summary(p.context(req), req.body)));
    return app;
  },
  'Express, behind express.json()': (p) => {
    const app = express();
    app.use(express.json({ limit: '10mb', verify: keepRawBody }), p.express());
    app.use('/base/api', (req, res) => res.json(summary(p.context(req), req.body)));
    return app;
  },
  'Express, in a router mounted under a path': (p) => {
    const app = express();
    const router = express.Router();
    router.use(p.express(), express.json({ limit: '10mb' }));
    router.use('/api', (req, res) => res.json(summary(p.context(req), req.body)));
    app.use('/base', router);
    return app;
  },
  'Express, one line in a handler': (p) => {
    const app = express();
    app.use('/base/api', async (req, res, next) => {
      try {
        const stoa = await p.verify(req);
        const body = await read(req);
        res.json(summary(stoa, body.length ? JSON.parse(body) : undefined));
      } catch (err) {
        if (err.status === undefined) return next(err);
        res.status(err.status).json({ error: err.reason });
      }
    });
    return app;
  },
};

async function fastify(p, prefix) {
  const app = Fastify({ bodyLimit: 10 << 20 });
  await app.register(async (scope) => {
    await scope.register(p.fastify(), { eventsPath: '/events' });
    const path = prefix === '' ? '/base/api/*' : '/api/*';
    scope.all(path, async (request) => summary(p.context(request), request.body ?? undefined));
  }, { prefix });
  await app.ready();
  return (req, res) => app.routing(req, res);
}

for (const [name, make] of Object.entries({
  ...apps, Fastify: (p) => fastify(p, ''), 'Fastify with a prefix': (p) => fastify(p, '/base'),
})) {
  test(name, async (t) => {
    const base = await serve(t, await make(plugin()));
    assert.deepEqual(await send(base, signedRequest(greeting)), { status: 200, body: want });

    const { body, ...bare } = want;
    const get = signedRequest({ ...greeting, method: 'GET', body: undefined });
    assert.deepEqual((await send(base, get)).body, bare, 'without a body');
    const empty = signedRequest({ ...greeting, body: undefined });
    assert.deepEqual((await send(base, empty)).status, 200, 'with an empty body');

    const large = signedRequest({ ...greeting, body: { name: 'x'.repeat(900_000) } });
    const answer = await send(base, large);
    assert.equal(answer.body.body?.name.length, 900_000, 'the body of 900 kB arrives whole');

    const forged = signedRequest(greeting);
    forged.headers['x-user-role'] = 'admin';
    assert.equal((await send(base, forged)).status, 401, 'a changed header');
    const swapped = { ...signedRequest(greeting), body: '{"name":"Eve"}' };
    assert.equal((await send(base, swapped)).status, 401, 'a changed body');
    assert.equal((await send(base, signedRequest({ ...greeting, secret: 'guessed' }))).status, 401);
    assert.equal((await send(base, signedRequest({ ...greeting, now: Date.now() - 400_000 }))).status, 401);
    assert.equal((await send(base, { method: 'POST', url: greeting.path, body: '{}' })).status, 401, 'no signature');
    const over = signedRequest({ ...greeting, body: { name: 'x'.repeat(1 << 20) } });
    assert.equal((await send(base, over)).status, 413, 'an unsigned body');
  });
}

test('a body that arrives in pieces', async (t) => {
  const base = await serve(t, apps['Express, before express.json()'](plugin()));
  const request = signedRequest(greeting);
  const pieces = new ReadableStream({
    async start(controller) {
      for (const byte of request.body) {
        controller.enqueue(new Uint8Array([byte]));
        await new Promise(setImmediate);
      }
      controller.close();
    },
  });
  const answer = await fetch(base + request.url, { ...request, body: pieces, duplex: 'half' });
  assert.deepEqual(await answer.json(), want);
});

test('a compressed body reaches express.json() behind the check', async (t) => {
  const base = await serve(t, apps['Express, before express.json()'](plugin()));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const request = signedRequest({ ...greeting, headers, body: gzipSync('{"name":"Grüezi"}') });
  assert.deepEqual(await send(base, request), { status: 200, body: want });
});

test('a body that was parsed too early is an error that says what to do', async (t) => {
  const app = express();
  app.use(express.json(), plugin().express());
  app.use((err, req, res, next) => (next ? res.status(500).json({ message: err.message }) : undefined));
  const answer = await send(await serve(t, app), signedRequest(greeting));
  assert.equal(answer.status, 500);
  assert.match(answer.body.message, /before express\.json\(\).*keepRawBody/);
});

test('a compressed body that express.json() unpacked is the same error', async (t) => {
  const app = express();
  app.use(express.json({ verify: keepRawBody }), plugin().express());
  app.use((err, req, res, next) => (next ? res.status(500).json({ message: err.message }) : undefined));
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const request = signedRequest({ ...greeting, headers, body: gzipSync('{"name":"Grüezi"}') });
  const answer = await send(await serve(t, app), request);
  assert.equal(answer.status, 500);
  assert.match(answer.body.message, /compressed/);
});

test('two plugins may check the same request', async (t) => {
  const [first, second] = [plugin(), plugin()];
  const app = express();
  app.use(first.express(), second.express(), express.json());
  app.use((req, res) => res.json(summary(second.context(req), req.body)));
  assert.deepEqual(await send(await serve(t, app), signedRequest(greeting)), { status: 200, body: want });
});

test('bodies over 1 MiB, where they are accepted', async (t) => {
  const p = createPlugin({ secret, unsignedBodies: true });
  const base = await serve(t, apps['Express, before express.json()'](p));
  const answer = await send(base, signedRequest({ ...greeting, body: { name: 'x'.repeat(3 << 20) } }));
  assert.equal(answer.body.body?.name.length, 3 << 20);
});

test('the context of a request that nobody verified', () => {
  assert.throws(() => plugin().context({ headers: {} }), /not verified/);
});

test('Fastify without a socket, as authors test their plugins', async () => {
  const p = plugin();
  const app = Fastify();
  app.register(p.fastify());
  app.post('/base/api/*', async (request) => summary(p.context(request), request.body));
  const answer = await app.inject(signedRequest(greeting));
  assert.deepEqual(answer.json(), want);
  const forged = signedRequest({ ...greeting, secret: 'guessed' });
  assert.equal((await app.inject(forged)).statusCode, 401);
});

test('a config that is too large for a header is fetched once', async (t) => {
  let asked = 0;
  const platform = await serve(t, (req, res) => {
    asked++;
    assert.equal(req.url, '/api/v1/platform/config');
    assert.equal(req.headers.authorization, 'Bearer test-token');
    res.setHeader('etag', '"abc"');
    res.end('{"success":true,"data":{"config":{"greeting":"Hi"}}}');
  });
  const base = await serve(t, apps['plain http'](plugin()));
  for (let i = 0; i < 3; i++) assert.deepEqual(await send(base, digested('abc', platform)), { status: 200, body: want });
  assert.equal(asked, 1);
});

// digested is a request with the digest of a config, which the platform at that address has.
function digested(digest, platformBaseURL) {
  const headers = { 'x-plugin-config-digest': digest, 'x-plugin-config': undefined };
  return signedRequest({ ...greeting, context: { ...greeting.context, platformBaseURL }, headers });
}

test('a config that was saved meanwhile is not kept as the one before', async (t) => {
  let present;
  let asked = 0;
  const platform = await serve(t, (_req, res) => {
    asked++;
    if (present.tag !== undefined) res.setHeader('etag', present.tag);
    res.end(JSON.stringify({ success: true, data: { config: { greeting: present.greeting } } }));
  });
  const base = await serve(t, apps['plain http'](plugin()));
  const greets = async (digest) => (await send(base, digested(digest, platform))).body.greeting;
  present = { tag: '"b"', greeting: 'B' };
  assert.equal(await greets('a'), 'B'); // saved after the call was signed
  present = { greeting: 'A' }; // a proxy took the tag away
  assert.equal(await greets('a'), 'A');
  present = { tag: 'W/"a"', greeting: 'A' }; // or made it weak
  assert.equal(await greets('a'), 'A');
  assert.equal(await greets('a'), 'A');
  assert.equal(asked, 3);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import express from 'express';
import http from 'node:http';
import { once } from 'node:events';
import { createPlugin, HookFailed, signedRequest } from 'stoa-plugin';
import { definePlugin } from 'stoa-plugin/internal';

const secret = 'current secret';
const hookBody = {
  installationId: 'i-1', pluginSlug: 'visits', instanceKey: 'eu', config: { a: 1 }, previousVersion: '1.0.0',
};
const eventBody = {
  id: 'e-1', type: 'order.paid', occurredAt: '2026-01-31T12:00:00.000Z', data: { orderId: 'o-1' },
};

// What a plugin is told, and how it fails.
function recorder(options = {}) {
  const calls = [];
  const errors = [];
  const note = (name) => (what, stoa) => {
    calls.push({ name, what, installation: stoa.installationId, config: stoa.config });
    const failure = options.fail?.();
    if (failure) throw failure;
  };
  const plugin = createPlugin({
    secret,
    hooks: { onUpgrade: note('onUpgrade'), onEnable: note('onEnable') },
    events: {
      'order.paid': note('order.paid'), 'order.*': note('order.*'), 'order.pai': note('never'), '*': note('*'),
    },
    onError: (err) => errors.push(err),
    ...options,
  });
  return { plugin, calls, errors };
}

// listen serves a listener and returns what sends a signed request to it.
async function listen(t, listener) {
  const server = http.createServer(listener).listen(0, '127.0.0.1');
  t.after(() => { server.close(); server.closeAllConnections(); });
  await once(server, 'listening');
  return (request) => {
    const signed = signedRequest({ secret, method: 'POST', ...request });
    return fetch(`http://127.0.0.1:${server.address().port}${signed.url}`, signed);
  };
}

const inExpress = (plugin) => {
  const app = express();
  app.use('/base', plugin.express(), express.json());
  app.use((req, res) => res.status(418).end());
  return app;
};
const inHTTP = (plugin) => plugin.http((req, res) => res.writeHead(418).end());
const inFastify = (prefix) => async (plugin) => {
  const app = Fastify();
  await app.register(async (scope) => {
    await scope.register(plugin.fastify(), { eventsPath: '/events' });
    scope.post('/api/x', async (request, reply) => reply.code(418).send());
  }, { prefix });
  await app.ready();
  return app.routing;
};

for (const [name, make] of Object.entries({
  'Express under a path': inExpress, 'plain http': inHTTP, 'Fastify with a prefix': inFastify('/base'),
})) {
  test(`hooks and events in ${name}`, async (t) => {
    const { plugin, calls } = recorder();
    const send = await listen(t, await make(plugin));
    for (const [path, id, body] of [
      ['/base/__lifecycle/onUpgrade', '1', hookBody],
      ['/base/__lifecycle/onUpgrade', '1', hookBody], // again
      ['/base/__lifecycle/onDisable', '2', hookBody], // nobody asks for it
      ['/base/__lifecycle/__proto__', '3', hookBody],
      ['/base/events', '4', eventBody],
      ['/base/events', '4', eventBody],
    ]) {
      const answer = await send({ path, body, hook: { id, attempt: 2 }, context: { installationId: 'i-1' } });
      assert.equal(answer.status, 204);
    }
    assert.deepEqual(calls.map((call) => call.name), ['onUpgrade', 'order.paid', 'order.*', '*']);
    assert.deepEqual(calls[0].what, { ...hookBody, name: 'onUpgrade', id: '1', attempt: 2 });
    assert.deepEqual(calls[1].what, { ...eventBody, hookId: '4', attempt: 2 });
    assert.equal(calls[0].installation, 'i-1');

    // Without x-hook-id it is a client's request, and a forged one is nobody's.
    assert.equal((await send({ path: '/base/api/x', body: eventBody })).status, 418);
    const forged = { path: '/base/__lifecycle/onEnable', body: hookBody, hook: {}, secret: 'guessed' };
    assert.equal((await send(forged)).status, 401);
    assert.equal(calls.length, 4);
  });
}

for (const [name, make] of Object.entries({ Express: inExpress, 'plain http': inHTTP, Fastify: inFastify('/base') })) {
  test(`what a plugin knows about a user, in ${name}`, async (t) => {
    const asked = [];
    const { plugin, errors } = recorder({
      export: async (user, context) => {
        asked.push([user, context.installationId]);
        if (user.userId === 'broken') throw new Error('no disk');
        return user.userId === 'nobody' ? undefined : { points: 12 };
      },
    });
    const send = await listen(t, await make(plugin));
    const ask = (userId) => send({
      path: '/base/__lifecycle/export', body: { userId }, hook: { id: 'same' }, context: { installationId: 'i-1' },
    });
    for (let i = 0; i < 2; i++) { // each time anew
      const answer = await ask('u-1');
      assert.deepEqual([answer.status, answer.headers.get('content-type').split(';')[0], await answer.json()],
        [200, 'application/json', { points: 12 }]);
    }
    assert.equal((await ask('nobody')).status, 204);
    assert.equal((await ask('broken')).status, 500);
    assert.equal(errors.length, 1);
    assert.deepEqual(asked[0], [{ userId: 'u-1' }, 'i-1']);
    const silent = await listen(t, await make(recorder().plugin));
    const answer = await silent({ path: '/base/__lifecycle/export', body: { userId: 'u-1' }, hook: { id: '1' } });
    assert.equal(answer.status, 404);
  });
}

test('what an internal plugin knows about a user', async () => {
  const plugin = definePlugin({ register() {}, export: ({ userId }, context) => ({ userId, ...context }) });
  assert.deepEqual(await plugin.lifecycle.export({ userId: 'u-1', name: 'export' }, { config: 1 }), { userId: 'u-1', config: 1 });
  assert.equal(definePlugin({ register() {} }).lifecycle.export, undefined);
});

test('a handler says what comes next', async (t) => {
  for (const [failure, status, retryAfter] of [
    [new Error('no disk'), 500, null],
    [new HookFailed('later', { retryAfter: 1.5 }), 503, '2'],
    [new HookFailed('later'), 503, null],
    [new HookFailed('never', { stop: true }), 410, null],
  ]) {
    const { plugin, calls, errors } = recorder({ fail: () => failure });
    const send = await listen(t, inHTTP(plugin));
    for (let i = 1; i <= 2; i++) { // what failed is tried again
      const answer = await send({ path: '/__lifecycle/onEnable', body: hookBody, hook: { id: '1' } });
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('retry-after'), retryAfter);
      assert.equal(calls.length, i);
      assert.equal(errors[i - 1], failure);
    }
  }
});

test('a repetition waits for the first', async (t) => {
  let calls = 0;
  let release;
  const gate = new Promise((resolve) => { release = resolve; });
  const plugin = createPlugin({ secret, hooks: { onEnable: () => { calls++; return gate; } } });
  let arrived = 0;
  const listener = inHTTP(plugin);
  const send = await listen(t, (req, res) => { arrived++; return listener(req, res); });
  const answers = [1, 2, 3].map(() => send({ path: '/__lifecycle/onEnable', body: hookBody, hook: { id: '1' } }));
  while (calls === 0 || arrived < 3) await new Promise(setImmediate);
  for (let i = 0; i < 100; i++) await new Promise(setImmediate); // the others come as far as the first
  release();
  assert.deepEqual((await Promise.all(answers)).map((answer) => answer.status), [204, 204, 204]);
  assert.equal(calls, 1);
});

test('a memory of the author outlives the process', async (t) => {
  const ids = new Set(['old']);
  const seen = { has: async (id) => ids.has(id), add: async (id) => { ids.add(id); } };
  const { plugin, calls } = recorder({ seen });
  const send = await listen(t, inHTTP(plugin));
  for (const id of ['old', 'new', 'new']) {
    const answer = await send({ path: '/__lifecycle/onEnable', body: hookBody, hook: { id } });
    assert.equal(answer.status, 204);
  }
  assert.equal(calls.length, 1);
  assert.ok(ids.has('new'));
});

test('the config of a hook is in its body, where the header has a digest only', async (t) => {
  const { plugin, calls } = recorder();
  const send = await listen(t, inHTTP(plugin));
  const headers = { 'x-plugin-config': undefined, 'x-plugin-config-digest': 'abc' };
  assert.equal((await send({ path: '/__lifecycle/onEnable', body: hookBody, hook: {}, headers })).status, 204);
  assert.deepEqual(calls[0].config, { a: 1 });
});

test('internal plugins have routes, events and hooks', async () => {
  const calls = [];
  const plugin = definePlugin({
    register(app, { config, context }) {
      app.get('/api/x', async (request) => ({ user: context(request).user, greeting: config.greeting }));
    },
    hooks: { onEnable: (hook) => { calls.push(hook); } },
    events: { 'order.paid': (event, stoa) => { calls.push({ event, config: stoa.config }); } },
  });
  const app = Fastify();
  app.register(plugin, { greeting: 'Hi' });
  const request = (more) => signedRequest({ secret, context: { user: { id: 'ada', role: 'customer' } }, ...more });
  assert.deepEqual((await app.inject(request({ path: '/api/x' }))).json(), {
    user: { id: 'ada', role: 'customer' }, greeting: 'Hi',
  });
  const event = { method: 'POST', path: '/events', body: eventBody, hook: { id: '1' } };
  for (let i = 0; i < 2; i++) assert.equal((await app.inject(request(event))).statusCode, 204);
  assert.equal((await app.inject(request({ ...event, hook: undefined }))).statusCode, 404);
  await plugin.lifecycle.onEnable(hookBody, { id: '2', attempt: 1 });
  assert.deepEqual(calls, [
    { event: { ...eventBody, hookId: '1', attempt: 1 }, config: { greeting: 'Hi' } },
    { ...hookBody, id: '2', attempt: 1, name: 'onEnable' },
  ]);
  assert.equal(plugin.lifecycle.onDisable, undefined);
});

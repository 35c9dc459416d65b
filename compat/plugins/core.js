// What Fastify itself promises to plugins, one route for each promise.
import { Readable } from 'node:stream'
import { createHmac, timingSafeEqual } from 'node:crypto'

const seen = { routes: [], registered: 0, phases: [] }

export default async function core (app, options) {
  // Hooks of the application.
  app.addHook('onRoute', (route) => { seen.routes.push(route.url) })
  app.addHook('onRegister', () => { seen.registered++ })
  app.addHook('onReady', async () => { seen.phases.push('ready') })
  app.addHook('onListen', async () => { seen.phases.push('listen') })
  app.addHook('preClose', async () => { console.log('preClose') })
  app.addHook('onClose', async () => { console.log('onClose') })

  app.get('/api/lifecycle', async () => ({ ...seen, routes: seen.routes.length > 10 }))

  app.register(hooks)
  app.register(scopes, { prefix: '/api/scoped' })
  app.register(decorators)
  app.register(schemas)
  app.register(errors, { prefix: '/api/errors' })
  app.register(bodies)
  app.register(replies)
  app.register(webhook, { webhookSecret: options.webhookSecret }) // not its prefix

  app.get('/api/request', async (request) => ({
    ip: request.ip, ips: request.ips, protocol: request.protocol, host: request.host, hostname: request.hostname, port: request.port,
    method: request.method, url: request.url, query: request.query, id: typeof request.id, is404: request.is404,
    route: request.routeOptions.url
  }))
}

// Every hook of a request, in its order.
async function hooks (app) {
  app.decorateRequest('trail', null)
  const note = (name) => async (request) => { (request.trail ??= []).push(name) }
  app.addHook('onRequest', note('onRequest'))
  app.addHook('preParsing', async (request, reply, payload) => { request.trail.push('preParsing'); return payload })
  app.addHook('preValidation', note('preValidation'))
  app.addHook('preHandler', note('preHandler'))
  app.addHook('preSerialization', async (request, reply, payload) => ({ trail: [...request.trail, 'preSerialization'], ...payload }))
  app.addHook('onSend', async (request, reply, payload) => { reply.header('x-sent', '1'); return payload.replace('end', 'END') })
  app.addHook('onResponse', async (request) => { seen.phases.push(`response ${request.url}`) })
  app.addHook('onError', async (request, reply, error) => { reply.header('x-error', error.message) })
  app.addHook('onTimeout', async () => {})
  app.addHook('onRequestAbort', async (request) => { seen.phases.push('aborted') })
  app.post('/api/hooks', { preHandler: (request, reply, done) => { request.trail.push('route'); done() } }, async () => ({ end: true }))
  app.get('/api/hooks/error', async () => { throw Object.assign(new Error('hooked'), { statusCode: 409 }) })
  app.get('/api/hooks/early', { onRequest: async (request, reply) => reply.code(403).send({ end: 'early' }) }, async () => 'never')
}

// Encapsulation and prefixes.
async function scopes (app) {
  app.decorate('secret', 'inner')
  app.addHook('onRequest', async (request, reply) => { reply.header('x-scope', 'outer') })
  app.get('/', async () => ({ secret: app.secret, prefix: app.prefix }))
  app.register(async (inner) => {
    inner.addHook('onRequest', async (request, reply) => { reply.header('x-scope', 'inner') })
    inner.get('/deep', async () => ({ secret: inner.secret, prefix: inner.prefix }))
    inner.setNotFoundHandler(async (request, reply) => reply.code(404).send({ nothing: request.url }))
  }, { prefix: '/v1' })
  app.register((inner, opts, done) => {
    inner.get('/callback', (request, reply) => { reply.send({ secret: inner.secret, own: opts.own }) })
    done()
  }, { own: 'option' })
}

async function decorators (app) {
  app.decorate('add', (a, b) => a + b)
  app.decorateRequest('user', null)
  app.decorateRequest('double', function () { return this.query.n * 2 })
  app.decorateReply('envelope', function (data) { return this.send({ data }) })
  app.decorate('lazy', { getter: () => 'computed' })
  app.get('/api/decorators', (request, reply) => {
    request.user = 'ada'
    reply.envelope({ sum: app.add(1, 2), double: request.double(), user: request.user, lazy: app.lazy, has: app.hasRequestDecorator('user') })
  })
}

// ajv validates and coerces, fast-json-stringify serialises.
async function schemas (app) {
  app.addSchema({ $id: 'item', type: 'object', required: ['sku'], properties: { sku: { type: 'string', minLength: 2 }, count: { type: 'integer', default: 1 } } })
  app.post('/api/validated/:id', {
    schema: {
      params: { type: 'object', properties: { id: { type: 'integer' } } },
      querystring: { type: 'object', properties: { deep: { type: 'boolean' }, tags: { type: 'array', items: { type: 'string' } } } },
      headers: { type: 'object', required: ['x-kind'], properties: { 'x-kind': { enum: ['a', 'b'] } } },
      body: { type: 'object', additionalProperties: false, required: ['items', 'mail'], properties: { mail: { type: 'string', format: 'email' }, items: { type: 'array', items: { $ref: 'item#' } } } },
      response: { '2xx': { type: 'object', properties: { id: { type: 'integer' }, deep: { type: 'boolean' }, tags: { type: 'array', items: { type: 'string' } }, items: { type: 'array', items: { $ref: 'item#' } } } } }
    }
  }, async (request) => ({ id: request.params.id, ...request.query, items: request.body.items, password: 'not in the schema' }))
  app.post('/api/attached', { attachValidation: true, schema: { body: { type: 'object', required: ['a'] } } },
    async (request) => ({ attached: request.validationError?.validationContext }))
}

async function errors (app) {
  app.setErrorHandler((error, request, reply) => reply.code(error.statusCode ?? 500).send({ handled: error.message, code: error.code }))
  app.setNotFoundHandler({ preHandler: async (request, reply) => { reply.header('x-looked', '1') } }, async (request, reply) => reply.code(404).send({ none: true }))
  app.get('/async', async () => { throw new Error('async') })
  app.get('/sync', () => { throw new Error('sync') })
  app.get('/sent', (request, reply) => { reply.code(418).send(Object.assign(new Error('sent'), { code: 'E_SENT' })) })
  app.register(async (inner) => {
    inner.setErrorHandler(async (error) => { throw new Error(`outer gets ${error.message}`) })
    inner.get('/nested', async () => { throw new Error('inner') })
  })
  app.get('/default', { errorHandler: (error, request, reply) => reply.code(499).send(`route: ${error.message}`) }, async () => { throw new Error('own') })
}

// Content types and raw bodies.
async function bodies (app) {
  app.addContentTypeParser('text/csv', { parseAs: 'string' }, (request, body, done) => done(null, body.split('\n').map((line) => line.split(','))))
  app.addContentTypeParser(/^application\/vnd\..+\+bytes$/, { parseAs: 'buffer' }, async (request, body) => body)
  app.addContentTypeParser('application/x-stream', (request, payload, done) => done(null, payload))
  app.post('/api/body', { bodyLimit: 1024 * 1024 }, async (request) => ({ type: Buffer.isBuffer(request.body) ? 'buffer' : typeof request.body, body: request.body }))
  app.post('/api/bytes', async (request) => request.body)
  app.post('/api/stream', async (request, reply) => reply.type('application/octet-stream').send(request.body))
  app.post('/api/small', { bodyLimit: 10 }, async () => ({}))
  app.delete('/api/body', async (request) => ({ body: request.body ?? null }))
  app.route({ method: ['PUT', 'PATCH'], url: '/api/body', handler: async (request) => ({ [request.method]: request.body }) })
}

async function replies (app) {
  app.get('/api/replies/buffer', async (request, reply) => reply.type('image/png').send(Buffer.from([0, 1, 2, 255])))
  app.get('/api/replies/view', async () => new Uint8Array([255, 0, 254]))
  app.get('/api/replies/stream', (request, reply) => { reply.type('text/plain').send(Readable.from(['one ', 'two ', 'three'])) })
  app.get('/api/replies/web', async () => new Response('from the web', { status: 201, headers: { 'x-web': '1' } }))
  app.get('/api/replies/broken', async (request, reply) => reply.send(new Readable({ read () { this.push('half'); setTimeout(() => this.destroy(new Error('broken')), 50) } })))
  app.get('/api/replies/late', (request, reply) => { setTimeout(() => reply.send({ late: true }), 200) })
  app.get('/api/replies/awaited', async (request, reply) => { setTimeout(() => reply.send({ awaited: true }), 50); return reply })
  app.get('/api/replies/raw', (request, reply) => { reply.hijack(); reply.raw.writeHead(202, { 'x-raw': 'yes' }); reply.raw.end('raw') })
  app.get('/api/replies/nothing', async (request, reply) => reply.code(204).send())
  app.get('/api/replies/null', async () => null)
  app.get('/api/replies/redirect', async (request, reply) => reply.redirect('/elsewhere', 307))
  app.get('/api/replies/trailer', async (request, reply) => { reply.trailer('x-sum', async () => 'abc'); return 'body' })
  app.get('/api/replies/number', async (request, reply) => { reply.serializer((n) => `<${n}>`); return reply.type('text/x').send(7) })
  app.get('/api/replies/headers', async (request, reply) => reply.headers({ 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] }).header('x-b', 'ü'.normalize()[0] === 'ü' ? 'latin' : '').send('ok'))
  app.get('/api/replies/events', (request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    let n = 0
    const timer = setInterval(() => {
      reply.raw.write(`id: ${++n}\ndata: ${JSON.stringify({ n })}\n\n`)
      if (n === 3) { clearInterval(timer); reply.raw.end() }
    }, 20)
    request.raw.on('close', () => clearInterval(timer))
  })
  app.all('/api/replies/method', async (request) => ({ method: request.method }))
  app.get('/api/replies/params/:a/:b(^\\d+).json', async (request) => request.params)
  app.get('/api/replies/wild/*', async (request) => request.params)
}

// A provider's webhook: the signature is over the bytes as they were sent.
async function webhook (app, { webhookSecret }) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body))
  app.post('/api/webhook', async (request, reply) => {
    const given = Buffer.from(String(request.headers['x-provider-signature']), 'hex')
    const expected = createHmac('sha256', webhookSecret).update(request.body).digest()
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return reply.code(401).send({ error: 'signature' })
    return { bytes: request.body.length }
  })
}

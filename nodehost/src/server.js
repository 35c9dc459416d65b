'use strict'

const { fastify } = require('fastify')
const { HostLog, answerErrors } = require('./errors')
const { withConfig } = require('./load')

// quiet drops what is logged.
let quiet = false

// createServer returns a Fastify in which the plugin is registered with its
// config as options, ready to listen.
async function createServer (instructions, plugin) {
  const { slug, version, config, bodyLimit, startTimeoutMs } = instructions
  const app = fastify({
    bodyLimit,
    // stoa logs requests.
    logController: new HostLog(),
    requestIdHeader: 'x-request-id',
    // x-forwarded-* are stoa's own: it removes the client's.
    trustProxy: true,
    // Below stoa's own limit, so that Fastify can say which plugin was waited for.
    pluginTimeout: startTimeoutMs,
    // Longer than stoa keeps an idle connection: the side that sends requests
    // must be the one to close, or a request meets a closing connection.
    keepAliveTimeout: 120_000,
    // stoa decides how long a request may take.
    requestTimeout: 0,
    logger: { level: 'info', base: null, stream: { write: (line) => quiet || process.stderr.write(line) } }
  })
  // Node knows no address of an inherited socket; Fastify logs one.
  app.server.address = () => 'stoa'

  // Fastify closes the connection when it refuses a body unread. This one is
  // stoa's: open, the rest of the body is skipped and the answer arrives.
  app.addHook('onSend', async (request, reply) => { reply.removeHeader('connection') })

  answerErrors(app, instructions)
  await app.register(withConfig(plugin, config))
  if (!app.hasRoute({ method: 'GET', url: '/health' })) {
    app.get('/health', async () => ({ status: 'ok', slug, version }))
  }
  return app
}

// listen serves app on the socket that stoa opened. Fastify logs that it listens;
// stoa does so itself.
async function listen (app) {
  const listenTextResolver = () => {
    quiet = true // for the line that is logged right after this
    queueMicrotask(() => { quiet = false })
    return ''
  }
  // A host name keeps Fastify from looking up "localhost"; the descriptor wins.
  await app.listen({ fd: 3, host: 'stoa', listenTextResolver })
}

module.exports = { createServer, listen }

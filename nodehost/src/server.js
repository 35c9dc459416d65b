'use strict'

const { fastify } = require('fastify')
const { HostLog, answerErrors } = require('./errors')
const { guard, header } = require('./gate')
const { requestWithout } = require('./headers')
const { withConfig } = require('./load')
const { stoaOf, withStoa } = require('./stoa')

// IncomingMessage is the class of requests.
const IncomingMessage = requestWithout(header)

// quiet suppresses log lines.
let quiet = false

// createServer returns a Fastify instance, ready to listen, with the plugin
// registered and its config as options. share, for one of several instances in the
// process, has a serverFactory, a write for its log, and a created that gets the
// instance before the plugin does.
async function createServer (instructions, plugin, share) {
  const { bodyLimit, startTimeoutMs, secret, hooks } = instructions
  const config = withStoa(instructions.config, stoaOf(instructions))
  const write = share?.write ?? ((line) => process.stderr.write(line))
  const app = fastify({
    bodyLimit,
    http: { IncomingMessage },
    // stoa logs requests.
    logController: new HostLog(),
    requestIdHeader: 'x-request-id',
    // x-forwarded-* are stoa's own: it removes the client's.
    trustProxy: true,
    // stoa waits a little longer, so that what is thrown after this arrives there.
    pluginTimeout: startTimeoutMs,
    // Longer than stoa keeps an idle connection: the side that sends requests must
    // close first, or a request may meet a closing connection.
    keepAliveTimeout: 120_000,
    // stoa decides how long a request may take.
    requestTimeout: 0,
    logger: { level: 'info', base: null, stream: { write: (line) => quiet || write(line) } },
    ...(share && { serverFactory: share.serverFactory })
  })
  if (share === undefined) guard(app.server, secret, { hooks })
  share?.created(app)
  // Node has no address for an inherited socket, but Fastify logs one.
  app.server.address = () => 'stoa'

  // Fastify closes the connection when it refuses a body without reading it. This
  // connection is stoa's: if it stays open, the rest of the body is skipped and the
  // answer arrives.
  // Not async: that is a promise for each call.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.hasHeader('connection')) reply.removeHeader('connection')
    done(null, payload)
  })

  answerErrors(app, instructions)
  try {
    await app.register(withConfig(plugin, config))
  } catch (err) {
    throw inWords(err, instructions)
  }
  return app
}

// inWords returns an error with the plugin and the limit for Fastify's own, which names
// the function that took too long: for the plugin itself, the one of withConfig.
function inWords (err, { slug, startTimeoutMs }) {
  if (err?.code !== 'FST_ERR_PLUGIN_TIMEOUT' && err?.code !== 'AVV_ERR_PLUGIN_EXEC_TIMEOUT') return err
  const name = /in time: '([\w$-]+)'/.exec(err.message)?.[1] // of a plugin that it registers
  return new Error(`The plugin ${slug} was not ready within ${startTimeoutMs / 1000} s` +
    `${name ? `: it waited for ${name}` : ''}. Did it forget to call done, or to resolve a promise?`)
}

// listen serves app on the socket that stoa opened. It suppresses Fastify's log line
// about that, because stoa logs one itself.
async function listen (app) {
  const listenTextResolver = () => {
    quiet = true // for the line that is logged right after this
    queueMicrotask(() => { quiet = false })
    return ''
  }
  // A host name keeps Fastify from looking up "localhost"; the descriptor wins.
  await app.listen({ fd: 3, host: 'stoa', listenTextResolver })
}

module.exports = { IncomingMessage, createServer, listen }

'use strict'

const { STATUS_CODES } = require('node:http')
const { LogController } = require('fastify')
const { explained } = require('./explain')
const { positionOf } = require('./position')

// HostLog leaves the log of requests to stoa, and keeps what a plugin's author
// must know. Errors of handlers are logged by answerErrors.
class HostLog extends LogController {
  incomingRequest () {}
  requestCompleted () {}
  routeNotFound () {}
  defaultErrorLog () {}
}

// answerErrors answers the errors that the plugin does not handle itself. It logs
// those that are the plugin's fault (500 and above), with stack and position. What
// they say is for the author: shoppers see it only in development.
function answerErrors (app, { root, entry, development }) {
  app.setErrorHandler((error, request, reply) => {
    const status = statusOf(error, reply)
    if (status < 500) return reply.send(error)
    const at = positionOf(error, root, entry)
    reply.log.error({ err: asError(error), method: request.method, route: request.routeOptions?.url, ...at }, explained('The plugin failed to answer a request.', error))
    reply.code(status)
    return reply.send(development || error?.expose === true ? error : masked(error, status))
  })
  // The plugin may set a handler of its own beside this one, which Fastify would
  // warn of.
  const alreadySet = Object.getOwnPropertySymbols(app).find((s) => s.description === 'fastify.errorHandlerAlreadySet')
  if (alreadySet !== undefined) app[alreadySet] = false
}

// statusOf returns the status that Fastify would answer.
function statusOf (error, reply) {
  if (reply.statusCode >= 400) return reply.statusCode
  const own = error?.statusCode ?? error?.status
  return own >= 400 ? own : 500
}

function masked (error, status) {
  const shown = new Error(STATUS_CODES[status] ?? STATUS_CODES[500])
  shown.statusCode = status
  shown.stack = ''
  if (error?.headers !== undefined) shown.headers = error.headers
  return shown
}

function asError (error) {
  return error instanceof Error ? error : new Error(String(error?.message ?? error))
}

module.exports = { HostLog, answerErrors }

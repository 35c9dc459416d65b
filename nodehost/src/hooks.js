'use strict'

const http = require('node:http')
const { contextOf } = require('../../sdk/js-plugin/src/context.js')
const { guard } = require('./gate')
const { log } = require('./log')

// Taken before a plugin can replace them.
const { ServerResponse } = http
const { writeHead, end } = ServerResponse.prototype

// hookOf returns what a module exports for a lifecycle hook: __lifecycle_<name>, or
// <name> in an object lifecycle. Like the plugin function, it may be in a default.
function hookOf (module, name) {
  for (const exported of [module, module.default, module.default?.default]) {
    if (exported === null || (typeof exported !== 'object' && typeof exported !== 'function')) continue
    for (const [holder, key] of [[exported, `__lifecycle_${name}`], [exported.lifecycle, name]]) {
      const hook = holder?.[key]
      if (typeof hook === 'function') return (...args) => Reflect.apply(hook, holder, args)
    }
  }
}

// hooksOf returns what answers stoa's calls of the hooks of a module: 204 when the hook
// has succeeded, 404 if there is none of the name, 500 with the error if it failed. What
// export returns is answered as JSON.
// position returns where in the package an error comes from.
function hooksOf (module, position) {
  return async (request, response) => {
    const name = /^\/__lifecycle\/(\w+)$/.exec(request.url)?.[1]
    const hook = name && hookOf(module, name)
    if (hook === undefined) {
      return answer(response, 404, `The entry module exports neither __lifecycle_${name} nor lifecycle.${name}.`)
    }
    let said
    try {
      const body = JSON.parse(await textOf(request))
      const delivery = { id: request.headers['x-hook-id'], attempt: Number(request.headers['x-hook-attempt']) }
      const context = { ...contextOf(request.headers), ...delivery }
      context.config ??= body.config // which is too large for a header
      const returned = await hook({ ...body, ...delivery, name }, context)
      if (name === 'export') said = JSON.stringify(returned)
    } catch (err) {
      log('error', `The lifecycle hook ${name} failed.`, err, position(err))
      return answer(response, 500, String(err))
    }
    if (said === undefined) return answer(response, 204)
    send(response, 200, said)
  }
}

async function textOf (request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function answer (response, status, error) {
  if (error === undefined) {
    writeHead.call(response, status)
    return end.call(response)
  }
  send(response, status, JSON.stringify({ error }))
}

function send (response, status, json) {
  writeHead.call(response, status, { 'content-type': 'application/json' })
  end.call(response, json)
}

// listenForHooks serves nothing but hooks on the socket that stoa opened.
async function listenForHooks (secret, hooks) {
  const server = http.createServer((request, response) => answer(response, 404, 'The plugin serves nobody.'))
  server.keepAliveTimeout = 120_000 // as in server.js
  server.requestTimeout = 0
  guard(server, secret, { hooks })
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ fd: 3 }, resolve)
  })
  return { close: () => new Promise((resolve) => { server.close(resolve); server.closeIdleConnections() }) }
}

module.exports = { hooksOf, listenForHooks }

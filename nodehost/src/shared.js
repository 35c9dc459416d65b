'use strict'

// One process for several instances of a package: each is a Fastify application of
// its own, with its own config, behind the one socket that stoa opened. A request
// goes to the instance whose secret it carries.

const { AsyncLocalStorage } = require('node:async_hooks')
const http = require('node:http')
const { Socket } = require('node:net')
const { Readable } = require('node:stream')
const { guard } = require('./gate')
const { hooksOf } = require('./hooks')
const { load, pluginOf } = require('./load')
const { positionOf } = require('./position')
const { beat, errorReport, reportMember } = require('./report')
const { IncomingMessage, createServer, listen } = require('./server')
const { tagOutput } = require('./tags')
const { memberServer } = require('./member')

// share serves instances as stoa orders it, a line of JSON each on standard input:
//
//   {add: name, config, secret, installationId}
//                  begin to serve an instance, and report
//   {remove: name} close it when it has answered what it was asked
//   {drop: name}   close it, its connections included
//
// What it returns ends all of them, and runs a function as that of no instance.
function share (common) {
  const members = new Map() // by name
  const bySecret = new Map()
  const current = new AsyncLocalStorage()
  const tags = tagOutput(current)
  let loaded

  const front = http.createServer({ IncomingMessage })
  front.keepAliveTimeout = 120_000 // as in server.js
  front.requestTimeout = 0
  guard(front, common.secret, { find: (secret) => bySecret.get(secret)?.accept })
  front.listen({ fd: 3 })

  async function add ({ add: name, config, secret, installationId }) {
    const member = { name, secret, sockets: new Set(), partial: ['', ''] }
    members.set(name, member)
    let phase = 'load'
    try {
      await current.run(member, async () => {
        loaded ??= load(common.entry)
        const module = await loaded
        const plugin = pluginOf(module)
        member.hooks = hooksOf(module, (err) => positionOf(err, common.root, common.entry))
        phase = 'register'
        await createServer({ ...common, config, secret, installationId }, plugin, {
          created: (app) => { member.app = app },
          write: (line) => tags.write(member, line),
          serverFactory: (handler) => memberServer(handler, member, front)
        })
        phase = 'listen'
        await listen(member.app)
      })
      if (members.get(name) !== member) return close(member) // it was dropped meanwhile
      member.accept = (...event) => current.run(member, () => member.deliver(...event))
      bySecret.set(secret, member)
      bySecret.set(secret + '-hook', { accept: (event, ...rest) => current.run(member, () => callHook(member, event, ...rest)) })
      reportMember({ name, ready: true })
    } catch (err) {
      if (phase === 'load') loaded = undefined
      const at = positionOf(err, common.root, common.entry)
      drop({ drop: name })
      reportMember({ name, error: errorReport(phase, err, at) })
    }
  }

  async function remove ({ remove: name }) {
    const member = members.get(name)
    if (member === undefined) return
    await close(member)
    drop({ drop: name })
  }

  function drop ({ drop: name }) {
    const member = members.get(name)
    if (member === undefined) return
    members.delete(name)
    bySecret.delete(member.secret)
    bySecret.delete(member.secret + '-hook')
    for (const socket of member.sockets) socket.destroy()
    close(member)
    tags.end(member)
  }

  // close runs the onClose hooks of an instance, once.
  function close (member) {
    member.closed ??= current.run(member, () => member.app?.close())?.catch((err) => {
      const line = { level: 50, time: Date.now(), msg: 'The plugin failed while it was closed.', err: { message: String(err), stack: String(err?.stack ?? '') } }
      tags.write(member, JSON.stringify(line) + '\n')
    })
    return member.closed
  }

  obey((order) => order.add ? add(order) : order.remove ? remove(order) : drop(order), common.rest)
  beat(common.beatMs)
  return {
    close: () => Promise.all([...members.values()].map(close)),
    untagged: (f) => current.exit(f)
  }
}

// callHook passes a request for a lifecycle hook to a member.
function callHook (member, event, request, second) {
  if (event !== 'request') return second.destroy()
  member.sockets.add(request.socket)
  second.once('close', () => member.sockets.delete(request.socket))
  return member.hooks(request, second)
}

// obey calls run with each order that stoa sends.
function obey (run, rest) {
  // The plugin's standard input is empty, as in a process of its own.
  Object.defineProperty(process, 'stdin', { value: Readable.from([]), configurable: true })
  let pending = Buffer.from(rest)
  const read = (chunk) => {
    pending = Buffer.concat([pending, chunk])
    for (let end; (end = pending.indexOf(0x0a)) >= 0; pending = pending.subarray(end + 1)) {
      run(JSON.parse(pending.subarray(0, end).toString()))
    }
  }
  read(Buffer.alloc(0))
  const orders = new Socket({ fd: 0, readable: true, writable: false })
  orders.on('data', read)
  orders.on('end', () => process.exit(0)) // stoa is gone
}

module.exports = { share }

'use strict'

// Runs in the process of a theme app before the app: gives it its environment, lets it
// listen, and reports to stoa. The app is an ordinary HTTP server for Node.js
// and knows nothing of this.
//
// HOST and PORT are an address that does not exist: the app has a network of its own,
// which stoa cannot enter. When it listens there, it gets a socket that stoa has opened
// for it (descriptor 3).

const fs = require('node:fs')
const net = require('node:net')
const { setInterval } = require('node:timers') // before the app can replace it

const socket = 3
const reports = 4
const { env, beatMs } = JSON.parse(fs.readFileSync(0, 'utf8'))

// Not in the environment of the process, which other programs may be able to read.
Object.assign(process.env, env)

// What ps shows stays: an app must not pass for another program. Frameworks set a title in good
// faith, so that is no error.
const { title } = process
Object.defineProperty(process, 'title', { get: () => title, set () {}, configurable: false, enumerable: true })

let listening = false
let taken = false
let misses = ''

const { listen } = net.Server.prototype
net.Server.prototype.listen = function (...args) {
  const options = optionsOf(args)
  if (taken || String(options.port) !== env.PORT) {
    if (options.port !== undefined && !taken) misses = ` It listens at port ${options.port} instead.`
    return listen.apply(this, args)
  }
  taken = true
  prepare(this)
  const done = args.findLast((arg) => typeof arg === 'function')
  return listen.call(this, { fd: socket }, done)
}

// optionsOf returns what listen was called with: options, or a port and more.
function optionsOf ([first]) {
  if (typeof first === 'object' && first !== null) return first
  const isPort = typeof first === 'number' || (typeof first === 'string' && /^\d+$/.test(first))
  return isPort ? { port: first } : {}
}

// prepare makes an inherited socket look like HOST and PORT.
function prepare (server) {
  const address = { address: env.HOST, family: 'IPv4', port: Number(env.PORT) }
  server.address = () => server.listening ? address : null
  server.prependListener('connection', (connection) => {
    for (const [name, value] of Object.entries({
      remoteAddress: '127.0.0.1', remoteFamily: 'IPv4', remotePort: 1,
      localAddress: env.HOST, localFamily: 'IPv4', localPort: address.port
    })) Object.defineProperty(connection, name, { value, configurable: true })
  })
  server.once('listening', () => {
    // stoa keeps idle connections for less: the side that sends requests must close first,
    // or a request may meet a closing connection.
    if (server.keepAliveTimeout < 65_000) server.keepAliveTimeout = 65_000
    ready()
  })
}

function report (message) {
  try {
    fs.writeSync(reports, message + '\n')
  } catch {
    // stoa no longer listens: it has given up on this process, or has ended.
  }
}

function ready () {
  listening = true
  report(JSON.stringify({ ready: true }))
  setInterval(() => {
    try {
      fs.writeSync(reports, '.')
    } catch {
      // the same
    }
  }, beatMs).unref()
}

// Node.js goes on to print the error and to end the process.
process.on('uncaughtExceptionMonitor', (err) => {
  const [message, stack] = [String(err), String(err?.stack ?? '')].map((text) => text.slice(0, 3000))
  if (listening) {
    const line = { level: 60, msg: 'The theme app failed, and is restarted.', err: { message, stack } }
    fs.writeSync(2, JSON.stringify(line) + '\n')
  } else {
    report(JSON.stringify({ error: { phase: 'start', message, stack } }))
    listening = true // one report
  }
})

process.on('exit', (code) => {
  if (listening) return
  const message = `The program ended with code ${code} before it listened at HOST and PORT.${misses}`
  report(JSON.stringify({ error: { phase: 'start', message } }))
})

// In a process namespace of its own, a program without a handler would not end. stoa has
// waited for running requests before it asks.
process.on('SIGTERM', () => {
  if (process.listenerCount('SIGTERM') === 1) process.exit(0)
})

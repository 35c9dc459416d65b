'use strict'

const dns = require('node:dns')
const net = require('node:net')

// The host part of every name and address of this machine alone.
const own = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1?|0|)$/

// explainNetwork makes refused connections fail with an error that says why. The network
// of the process has nothing but what was granted, so without this, a host that was not
// granted does not exist, and one that cannot be reached breaks the connection. Nothing
// is refused here that the network would let through.
function explainNetwork () {
  const text = process.env.STOA_NETWORK
  delete process.env.STOA_NETWORK
  if (text === undefined) return // it is not contained
  const { platform, granted, closed, ask } = JSON.parse(text)
  const names = new Set(granted.map((at) => at.slice(0, at.lastIndexOf(':'))))
  const targets = { granted: new Set(granted), closed: new Set(closed), names, platform, ask: asker(ask) }
  explainConnections(targets, explainLookups(targets))
}

// asker returns a function that asks stoa to connect to a granted host, and returns the
// error that it met, if any. A question that stoa does not answer has none.
function asker (ask) {
  const connect = net.Socket.prototype.connect
  return (host, port, done) => {
    const socket = new net.Socket()
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (part) => { answer += part })
    socket.on('error', () => {})
    socket.on('close', () => done(errorOf(answer, host, port)))
    connect.call(socket, ask)
    socket.write(`${host} ${port}\n`)
  }
}

function errorOf (answer, host, port) {
  try {
    const { code, message } = JSON.parse(answer)
    if (code === undefined) return null
    const syscall = message.startsWith('getaddrinfo') ? 'getaddrinfo' : 'connect'
    return Object.assign(new Error(message), { code, syscall, hostname: host, ...(port > 0 && { port }) })
  } catch {
    return null // stoa is too busy, or about to end the process
  }
}

// explainLookups asks stoa when a granted name is looked up. It returns the function of
// Node.js and its own.
function explainLookups ({ names, platform, ask }) {
  const { lookup } = dns
  const judge = (name, done) => {
    const host = hostOf(name)
    if (typeof name !== 'string' || own.test(host) || net.isIP(host) || host === platform) return done(null)
    if (!names.has(host)) return process.nextTick(done, missing('getaddrinfo', host))
    ask(host, 0, done)
  }
  replace(dns, 'lookup', function (name, options, callback) {
    const done = typeof options === 'function' ? options : callback
    if (typeof done !== 'function') return lookup.apply(dns, arguments) // it throws
    judge(name, (err) => err ? done(err) : lookup.apply(dns, arguments))
  })
  const promised = dns.promises.lookup
  replace(dns.promises, 'lookup', async function (name) {
    const err = await new Promise((resolve) => judge(name, resolve))
    if (err) throw err
    return promised.apply(dns.promises, arguments)
  })
  return { plain: lookup, explained: dns.lookup }
}

// explainConnections refuses connections to hosts that were not granted, and asks stoa
// about the others while their names are looked up.
function explainConnections ({ granted, closed, platform, ask }, { plain, explained }) {
  const { connect } = net.Socket.prototype
  replace(net.Socket.prototype, 'connect', function (...args) {
    const [options, callback] = Array.isArray(args[0]) ? args[0] : [optionsOf(args), args.at(-1)]
    const host = hostOf(options?.host)
    const port = Number(options?.port)
    if (!Number.isInteger(port) || options.path != null || own.test(host)) return connect.apply(this, args)
    const at = net.isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
    if (!granted.has(at)) return fail(this, missing('connect', host, port))
    if (closed.has(at)) return fail(this, notAllowed(at, host, port))
    if (host === platform || net.isIP(host)) return connect.apply(this, args)
    const next = options.lookup ?? dns.lookup
    const resolve = next === explained ? plain : next // it need not ask again, without the port
    const lookup = (name, how, done) => ask(host, port, (err) => err ? done(err) : resolve(name, how, done))
    return connect.call(this, { ...options, lookup }, callback)
  })
}

// optionsOf returns the options in the arguments of Socket.connect.
function optionsOf ([first, second]) {
  if (typeof first === 'object' && first !== null) return first
  const port = Number(first)
  return Number.isInteger(port) ? { port, host: typeof second === 'string' ? second : undefined } : undefined
}

// hostOf returns a name or an address in the form in which it is granted.
function hostOf (name) {
  const host = String(name ?? '').toLowerCase()
  if (!net.isIPv6(host)) return host
  if (host.startsWith('::ffff:') && net.isIPv4(host.slice(7))) return host.slice(7)
  return URL.canParse(`http://[${host}]`) ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host
}

// fail ends a socket that has not connected, as Node.js does when a name does not
// resolve.
function fail (socket, err) {
  socket.connecting = true
  process.nextTick(() => socket.destroy(err))
  return socket
}

// missing is the error for a host that was not granted.
function missing (syscall, host, port) {
  const shown = port === undefined || port === 80 || port === 443 ? '' : `:${port}`
  const permission = `network:${net.isIPv6(host) && shown ? `[${host}]` : host}${shown}`
  return Object.assign(new Error(`${syscall} EACCES ${host}${port === undefined ? '' : `:${port}`}: the plugin does not have the permission ` +
    `"${permission}". The manifest declares it, and an administrator grants it.`),
  { errno: -13, code: 'EACCES', syscall, hostname: host, ...(port !== undefined && { port }), permission })
}

// notAllowed is the error for a granted address in a network that the operator keeps from
// plugins.
function notAllowed (at, address, port) {
  return Object.assign(new Error(`connect EACCES ${at}: the address is private or reserved, and the operator does not ` +
    'allow that network (STOA_EXTERNAL_ALLOW).'), { errno: -13, code: 'EACCES', syscall: 'connect', address, port })
}

// replace keeps what belongs to the function, like the way in which it is promisified.
// Libraries that observe connections may replace it once more.
function replace (object, name, value) {
  object[name] = Object.defineProperties(value, Object.getOwnPropertyDescriptors(object[name]))
}

module.exports = { explainNetwork }

'use strict'

// An external plugin: a separate HTTP service, without dependencies.
//
//   STOA_PLUGIN_SECRET  the package's signing secret; required. For a day after a
//                       rotation, the platform signs with both the old and new one
//   PORT, HOST          where to listen; 4400 on 127.0.0.1
//   EXIT_WITH_STDIN     1: exit when standard input ends (for a supervisor)
//
// To keep the example short, points are in memory. A real plugin uses a database.

const http = require('node:http')
const { createHash, createHmac, timingSafeEqual } = require('node:crypto')

const secret = process.env.STOA_PLUGIN_SECRET
if (!secret) {
  console.error('STOA_PLUGIN_SECRET is not set: it is in the platform\'s plugin settings.')
  process.exit(1)
}

const SLUG = 'loyalty-points'
const VERSION = '1.0.0'
const TOLERANCE_MS = 300_000
const MAX_BODY = 10 * 1024 * 1024
const MAX_SIGNED_BODY = 1024 * 1024
const POINTS_PER_UNIT = 10 // of the shop's currency
const POINT_VALUE = 0.01

// --- The platform's signature (profile v1) ---------------------------------

// Headers that only the platform sets. It removes them from client requests and
// signs each of them.
const RESERVED = /^x-(?:(?:plugin|installation|platform|user|hook)-|(?:tenant-id|request-id|caller|locale|forwarded-(?:for|proto|host))$)/

// isGenuine reports whether the platform sent this request, just now.
function isGenuine (request, body, now = Date.now()) {
  const timestamp = String(request.headers['x-platform-timestamp'] ?? '')
  if (!/^\d{1,15}$/.test(timestamp) || Math.abs(now - Number(timestamp)) > TOLERANCE_MS) return false

  const lines = ['v1', timestamp, request.method, request.url, bodyHash(body)]
  const names = Object.keys(request.headers).filter((name) => RESERVED.test(name)).sort()
  for (const name of names) {
    if (name === 'x-platform-signature' || name === 'x-platform-timestamp') continue
    lines.push(`${name}:${request.headers[name]}`)
  }
  // Node reads header bytes as Latin-1; the platform signed the bytes themselves.
  const text = Buffer.from(lines.join('\n'), 'latin1')
  const expected = createHmac('sha256', secret).update(text).digest()
  return String(request.headers['x-platform-signature'] ?? '').split(',').some((part) => {
    const [profile, hex] = part.trim().split('=')
    const given = Buffer.from(hex ?? '', 'hex')
    return profile === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

function bodyHash (body) {
  if (body.length > MAX_SIGNED_BODY) return 'UNSIGNED-STREAM'
  return createHash('sha256').update(body).digest('hex')
}

// --- Points ------------------------------------------------------------------

// By installation id, which identifies the tenant: one shop's customers must never
// see another's points.
const tenants = new Map()

function accountOf (installationId, userId) {
  if (!tenants.has(installationId)) tenants.set(installationId, new Map())
  const accounts = tenants.get(installationId)
  if (!accounts.has(userId)) accounts.set(userId, { points: 0, history: [] })
  return accounts.get(userId)
}

function book (account, points, reason, reference) {
  account.points += points
  account.history.push({ at: new Date().toISOString(), points, reason, reference })
}

// --- Routes ------------------------------------------------------------------

// Each route takes the caller, as confirmed by the platform, and the JSON body. It
// returns [status, answer].
const routes = {
  'GET /api/rules': () => [200, { pointsPerUnit: POINTS_PER_UNIT, pointValue: POINT_VALUE }],

  'GET /api/balance': signedIn(({ account }) => [200, { points: account.points, value: worth(account.points) }]),

  'GET /api/history': signedIn(({ account }) => [200, { entries: account.history.slice(-100).reverse() }]),

  'POST /api/redeem': signedIn(({ account, json }) => {
    const { points, orderId } = json
    if (!Number.isSafeInteger(points) || points < 1) return problem(400, 'INVALID_POINTS', 'points must be a whole number above zero.')
    if (points > account.points) return problem(409, 'NOT_ENOUGH_POINTS', `You have ${account.points} points.`)
    book(account, -points, 'redeemed', orderId)
    return [200, { points: account.points, discount: worth(points) }]
  }),

  // Only the shop can say what someone bought. Repeating an order changes nothing.
  'POST /api/earn': ({ role, installationId, json }) => {
    if (role !== 'admin') return problem(403, 'FORBIDDEN', 'Only the shop can give points.')
    const { userId, orderId, amount } = json
    if (typeof userId !== 'string' || userId === '' || typeof orderId !== 'string' || orderId === '' || !(amount > 0 && amount <= 1e6)) {
      return problem(400, 'INVALID_ORDER', 'userId, orderId and amount are required.')
    }
    const account = accountOf(installationId, userId)
    const known = account.history.some((entry) => entry.reason === 'earned' && entry.reference === orderId)
    if (!known) book(account, Math.floor(amount * POINTS_PER_UNIT), 'earned', orderId)
    return [known ? 200 : 201, { points: account.points }]
  }
}

function signedIn (route) {
  return (call) => {
    if (call.userId === '') return problem(401, 'SIGN_IN', 'Sign in to see your points.')
    return route({ ...call, account: accountOf(call.installationId, call.userId) })
  }
}

function worth (points) {
  return Math.round(points * POINT_VALUE * 100) / 100
}

function problem (status, error, message) {
  return [status, { error, message }]
}

// lifecycle handles events of an installation. An event may arrive twice.
function lifecycle (hook, { installationId }) {
  if (hook === 'onUninstall') tenants.delete(installationId)
  return [204]
}

// known answers what a customer may take along, when they ask the shop for a copy of their data.
function known (installationId, { userId }) {
  const account = tenants.get(installationId)?.get(userId)
  return account === undefined ? [204] : [200, account]
}

function answer (request, body) {
  const path = request.url.split('?')[0]
  if (path === '/health') return [200, { status: 'ok', slug: SLUG, version: VERSION }]
  if (!isGenuine(request, body)) return problem(401, 'BAD_SIGNATURE', 'This request does not come from the platform.')

  let json = {}
  if (body.length > 0) {
    try {
      json = JSON.parse(body)
    } catch {
      return problem(400, 'INVALID_JSON', 'The body is not JSON.')
    }
    if (json === null || typeof json !== 'object') return problem(400, 'INVALID_JSON', 'The body must be an object.')
  }
  const hook = /^\/__lifecycle\/(\w+)$/.exec(path)
  if (hook?.[1] === 'export' && request.method === 'POST') return known(request.headers['x-installation-id'], json)
  if (hook && request.method === 'POST') return lifecycle(hook[1], json)
  const route = routes[`${request.method} ${path}`]
  if (!route) return problem(404, 'NOT_FOUND', 'There is no such route.')
  return route({
    installationId: request.headers['x-installation-id'],
    userId: request.headers['x-user-id'] ?? '',
    role: request.headers['x-user-role'],
    json
  })
}

// --- Server --------------------------------------------------------------------

const server = http.createServer({ maxHeaderSize: 64 * 1024 }, async (request, response) => {
  try {
    const chunks = []
    let size = 0
    for await (const chunk of request) {
      size += chunk.length
      if (size > MAX_BODY) return send(response, ...problem(413, 'TOO_LARGE', 'The body is too large.'))
      chunks.push(chunk)
    }
    send(response, ...answer(request, Buffer.concat(chunks)))
  } catch (err) {
    console.error(err)
    send(response, ...problem(500, 'INTERNAL', 'Something went wrong here.'))
  }
})

function send (response, status, value) {
  if (response.headersSent || response.destroyed) return
  if (value === undefined) return response.writeHead(status).end()
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value))
}

// Longer than the platform keeps an idle connection.
server.keepAliveTimeout = 120_000
server.listen(Number(process.env.PORT ?? 4400), process.env.HOST ?? '127.0.0.1', () => {
  const { address, port } = server.address()
  console.log(JSON.stringify({ ready: true, url: `http://${address}:${port}` }))
})

function stop () {
  server.close(() => process.exit(0))
  server.closeIdleConnections()
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)
if (process.env.EXIT_WITH_STDIN === '1') process.stdin.on('end', stop).resume()

'use strict'

const header = 'x-stoa-process'
const { ServerResponse } = require('node:http')
const writeHead = ServerResponse.prototype.writeHead
const end = ServerResponse.prototype.end

let count = 0

// served returns how many requests have come so far.
function served () { return count }

// guard lets only stoa's own requests into server: those that carry the secret of
// this process, which it takes away before anybody sees them. A request with the
// secret and "-ping" behind it is answered here: that it is accepted and answered
// at all shows stoa that the event loop runs.
//
// One with the secret and "-hook" behind it is for hooks, which call the plugin's
// lifecycle hooks (hooks.js). No request of anybody else can have it.
//
// Node.js cuts off what is behind the thousandth header, which may be one of stoa's: the
// client's come first if they are shorter. So there is no number here; the size of a head
// is bounded.
//
// In a process of several instances, find returns what takes the requests with a
// secret, if anything does; the secret of the process is then only good for pings.
function guard (server, secret, { find, hooks } = {}) {
  const { emit } = server
  server.maxHeadersCount = 0
  const guarded = new Set(['request', 'checkContinue', 'checkExpectation', 'upgrade', 'connect'])
  const ping = secret + '-ping'
  const hook = secret + '-hook'
  Object.defineProperty(server, 'emit', {
    writable: false,
    configurable: false,
    value: function (event, request, second, ...rest) {
      if (!guarded.has(event)) return emit.call(this, event, request, second, ...rest)
      const got = withdraw(request)
      if (got !== ping) count++
      if (find === undefined && got === secret) {
        return rest.length === 0 ? emit.call(this, event, request, second) : emit.call(this, event, request, second, ...rest)
      }
      if (hooks !== undefined && got === hook && event === 'request') return hooks(request, second)
      const accept = find?.(got)
      if (accept !== undefined) return accept(event, request, second, ...rest)
      if (event === 'upgrade' || event === 'connect') {
        second.destroy()
        return true
      }
      writeHead.call(second, got === ping ? 204 : 403)
      end.call(second)
      return true
    }
  })
}

// withdraw removes the secret from a request and returns it.
function withdraw (request) {
  const { headers, rawHeaders: raw } = request
  const before = raw.length
  // headersDistinct is made out of rawHeaders when it is first read, up to the number that
  // the parser counted. That is behind a symbol: where there is no such symbol, it is made
  // here, which costs a tenth of a call.
  headersCount ??= Object.getOwnPropertySymbols(request).find((s) => s.description === 'kHeadersCount') ?? null
  const made = request[headersCount] === before ? undefined : request.headersDistinct
  let value
  for (let i = before - 2; i >= 0; i -= 2) {
    if (raw[i].length === header.length && raw[i].toLowerCase() === header) {
      value = raw[i + 1]
      raw.splice(i, 2)
    }
  }
  if (header in headers) delete headers[header]
  if (made === undefined) request[headersCount] = raw.length
  else delete made[header]
  return value
}

let headersCount

module.exports = { header, guard, served }

'use strict'

const http = require('node:http')

// memberServer returns the server of one of several instances in a process. It
// listens to nothing: front passes it the requests that are for this instance
// (member.deliver). To the plugin it looks like any other server.
function memberServer (handler, member, front) {
  const server = http.createServer(handler)
  // Timers for connections, of which it has none.
  server.removeAllListeners('listening')
  let listening = false
  let open = 0 // requests
  let closed // called when there are no more
  const define = (name, value) => Object.defineProperty(server, name, { value, configurable: true, writable: true })
  Object.defineProperty(server, 'listening', { get: () => listening, configurable: true })
  define('address', () => 'stoa')
  define('listen', () => {
    listening = true
    setImmediate(() => server.emit('listening'))
    return server
  })
  define('close', (done) => {
    if (!listening) {
      done?.(Object.assign(new Error('Server is not running.'), { code: 'ERR_SERVER_NOT_RUNNING' }))
      return server
    }
    listening = false
    closed = () => {
      server.emit('close')
      done?.()
    }
    if (open === 0) setImmediate(closed)
    return server
  })
  define('closeIdleConnections', () => {})
  define('closeAllConnections', () => { for (const socket of member.sockets) socket.destroy() })

  // Node.js looks at the listeners of front before it passes on an upgrade.
  server.on('newListener', (event) => {
    if ((event === 'upgrade' || event === 'connect') && front.listenerCount(event) === 0) front.on(event, () => {})
  })

  member.deliver = (event, request, second, ...rest) => {
    const { socket } = request
    member.sockets.add(socket)
    if (event === 'upgrade' || event === 'connect') {
      socket.once('close', () => member.sockets.delete(socket))
      if (server.listenerCount(event) > 0) return server.emit(event, request, second, ...rest)
      event = 'request' // another instance takes upgrades, this one does not
      second = plainResponse(request, socket)
    }
    open++
    second.once('close', () => {
      member.sockets.delete(socket)
      if (--open === 0 && closed) closed()
    })
    return server.emit(event, request, second, ...rest)
  }
  return server
}

// plainResponse answers a request whose upgrade the plugin does not accept, as Node.js would.
function plainResponse (request, socket) {
  const response = new http.ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket)
  response.once('finish', () => {
    response.detachSocket(socket)
    socket.destroySoon()
  })
  return response
}

module.exports = { memberServer }

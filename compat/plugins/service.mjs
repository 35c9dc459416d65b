// An external plugin with encrypted sessions. It prints its address.
import Fastify from 'fastify'
import csrf from '@fastify/csrf-protection'
import secureSession from '@fastify/secure-session'

const app = Fastify()
await app.register(secureSession, { key: Buffer.alloc(32, 7), cookieName: '__Host-session', cookie: { path: '/', httpOnly: true, secure: true, sameSite: 'strict' } })
await app.register(csrf, { sessionPlugin: '@fastify/secure-session' })
app.post('/api/login', async (request, reply) => {
  request.session.set('user', request.body.user)
  return { csrf: reply.generateCsrf() }
})
app.get('/api/me', async (request) => ({ user: request.session.get('user') ?? null, cookies: Object.keys(request.cookies) }))
app.post('/api/pay', { preHandler: app.csrfProtection }, async (request) => ({ paidBy: request.session.get('user') }))
console.log(JSON.stringify({ url: await app.listen({ host: '127.0.0.1', port: 0 }) }))
process.stdin.resume().on('end', () => process.exit())

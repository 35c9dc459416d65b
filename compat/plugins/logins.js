// A plugin that signs people in by itself, with the ecosystem's packages as their documentation
// uses them. It needs the settings allowCookies and allowAuthorization.
import basic from '@fastify/basic-auth'
import bearer from '@fastify/bearer-auth'
import cookie from '@fastify/cookie'
import csrf from '@fastify/csrf-protection'
import jwt from '@fastify/jwt'
import session from '@fastify/session'

export default async (app) => {
  await app.register(cookie)
  await app.register(session, { secret: 'a secret of the plugin, which is 32 bytes or more', cookie: { secure: false, maxAge: 600_000 } })
  await app.register(csrf, { sessionPlugin: '@fastify/session' })

  app.get('/api/me', async (request) => ({ user: request.session.user ?? null, cookies: Object.keys(request.cookies).sort(), stoa: request.headers['x-user-id'] }))
  app.post('/api/login', async (request, reply) => {
    await request.session.regenerate()
    request.session.user = request.body.user
    reply.setCookie('theme', 'dark', { path: '/api', sameSite: 'none', domain: 'localhost' })
    return { csrf: reply.generateCsrf() }
  })
  app.post('/api/pay', { preHandler: app.csrfProtection }, async (request) => ({ paidBy: request.session.user }))
  app.post('/api/logout', async (request, reply) => {
    await request.session.destroy()
    reply.clearCookie('theme', { path: '/api' })
    return {}
  })

  await app.register(async (scope) => {
    await scope.register(jwt, { secret: 'a secret for tokens' })
    scope.post('/api/jwt', async (request) => ({ token: scope.jwt.sign({ user: request.body.user }) }))
    scope.get('/api/jwt', { onRequest: (request) => request.jwtVerify() }, async (request) => ({ user: request.user.user, role: request.headers['x-user-role'] }))
  })
  await app.register(async (scope) => {
    await scope.register(bearer, { keys: new Set(['a key of the plugin']) })
    scope.get('/api/bearer', async () => ({ ok: true }))
  })
  await app.register(async (scope) => {
    await scope.register(basic, {
      validate: async (name, password) => { if (name !== 'ada' || password !== 'lovelace') throw new Error('no') },
      authenticate: { realm: 'plugin' }
    })
    scope.get('/api/basic', { onRequest: scope.basicAuth }, async () => ({ ok: true }))
  })
}

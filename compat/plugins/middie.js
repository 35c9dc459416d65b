// Middleware in Express's style, with @fastify/middie.
import middie from '@fastify/middie'

export default async function withMiddie (app) {
  await app.register(middie)
  app.use((request, response, next) => { response.setHeader('x-first', request.url); next() })
  app.use('/api/guarded', (request, response, next) => {
    if (request.headers['x-pass'] === 'yes') return next()
    response.statusCode = 403
    response.end('no pass')
  })
  app.get('/api/guarded', async () => 'welcome')
  app.get('/api/open', async () => 'open')
}

// An Express application, mounted inside of a plugin.
import express from 'express'
import fastifyExpress from '@fastify/express'
import fp from 'fastify-plugin'

// Express answers in a hook. Only hooks of the root see addresses that Fastify has
// no route for, so the plugin skips its encapsulation.
export default fp(async function withExpress (app) {
  await app.register(fastifyExpress)
  const shop = express()
  shop.set('trust proxy', true)
  shop.use(express.json())
  shop.use((request, response, next) => { response.setHeader('x-middleware', '1'); next() })
  const router = express.Router()
  router.get('/hello/:name', (request, response) => response.json({ hello: request.params.name, query: request.query, ip: request.ip, base: request.baseUrl }))
  router.post('/orders', (request, response) => response.status(201).json({ got: request.body }))
  router.get('/fails', () => { throw new Error('express failed') })
  shop.use('/api/express', router)
  shop.use((error, request, response, next) => { response.status(500).json({ caught: error.message }) })
  app.use(shop)
  app.get('/api/fastify', async () => 'beside it')
})

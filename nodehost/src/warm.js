'use strict'

const { createServer } = require('./server')

// warm runs what every start runs, with a plugin that does nothing, so that V8 has
// compiled it when the code cache is made (internal/run/node/cache.go).
async function warm () {
  const app = await createServer({
    slug: 'warm', version: '0.0.0', config: {}, bodyLimit: 1 << 20, startTimeoutMs: 5000, secret: 'warm', platformURL: '', installationId: 'warm'
  }, async (app) => { app.get('/', async () => ({})) })
  await app.ready()
  const answer = await app.inject('/')
  if (answer.statusCode > 499) throw new Error(answer.body)
  await app.close()
}

module.exports = { warm }

'use strict'

const { migrate, wishesOf } = require('./migrate')

// Version 2.0.0 keeps since when each product is wished for: {"mug": {"since": "2026-11-23T…"}}.
module.exports = async function wishLists (app, { stoa }) {
  const { storage } = stoa.platform()

  app.get('/api/wishes', async (request) => wishesOf(await storage.getJSON(keyOf(request)) ?? {}))

  app.put('/api/wishes/:slug', async (request) => {
    return storage.update(keyOf(request), (stored = {}) => {
      return { [request.params.slug]: { since: new Date().toISOString() }, ...wishesOf(stored) }
    })
  })
}

// stoa calls it after the upgrade, while customers use the new version.
module.exports.lifecycle = {
  async onUpgrade (hook, { platform }) {
    await migrate(platform.storage, hook.id)
  }
}

function keyOf (request) {
  const user = request.headers['x-user-id']
  if (!user) throw Object.assign(new Error('Sign in to keep a wish list.'), { statusCode: 401 })
  return `wishes/${user}`
}

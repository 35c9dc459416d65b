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

module.exports.lifecycle = {
  // After the upgrade, while customers use the new version.
  async onUpgrade (hook, { platform }) {
    await migrate(platform.storage, hook.id)
  },

  // For the copy of a customer's data.
  async export ({ userId }, { platform }) {
    const stored = await platform.storage.getJSON(keyFor(userId))
    if (stored !== undefined) return wishesOf(stored)
  }
}

function keyOf (request) {
  const user = request.headers['x-user-id']
  if (!user) throw Object.assign(new Error('Sign in to keep a wish list.'), { statusCode: 401 })
  return keyFor(user)
}

function keyFor (userId) {
  return `wishes/${userId}`
}

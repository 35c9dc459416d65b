'use strict'

// Version 1.0.0 keeps a list of slugs for each customer: ["mug", "cap"].
module.exports = async function wishLists (app, { stoa }) {
  const { storage } = stoa.platform()

  app.get('/api/wishes', async (request) => await storage.getJSON(keyOf(request)) ?? [])

  app.put('/api/wishes/:slug', async (request) => {
    return storage.update(keyOf(request), (wishes = []) => [...new Set([...wishes, request.params.slug])])
  })
}

function keyOf (request) {
  const user = request.headers['x-user-id']
  if (!user) throw Object.assign(new Error('Sign in to keep a wish list.'), { statusCode: 401 })
  return `wishes/${user}`
}

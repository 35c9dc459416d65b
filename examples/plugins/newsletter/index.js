'use strict'

// Staff may set the newsletter for a customer while they see the shop as that customer: what is
// kept, printed and published then has both.
module.exports = async function newsletter (app) {
  app.get('/api/newsletter', async (request) => {
    const answer = await ask(request, 'GET', `storage/${keyOf(request)}`)
    return answer.status === 404 ? { wanted: false } : answer.json()
  })

  app.put('/api/newsletter', {
    schema: { body: { type: 'object', required: ['wanted'], properties: { wanted: { type: 'boolean' } } } }
  }, async (request) => {
    const { userId, impersonator } = callerOf(request)
    const { wanted } = request.body
    const stored = await ask(request, 'PUT', `storage/${keyOf(request)}`, { wanted })
    await ask(request, 'POST', 'events', { type: 'newsletter.set', data: { userId, wanted } })
    console.log(`newsletter of ${userId} set to ${wanted} by ${impersonator ?? 'the user'}`)
    const { by } = (await stored.json()).data
    return { wanted, ...(impersonator && { impersonator, by }) }
  })
}

function callerOf ({ headers }) {
  const userId = headers['x-user-id']
  if (!userId) throw Object.assign(new Error('Sign in for the newsletter.'), { statusCode: 401 })
  return { userId, impersonator: headers['x-user-impersonator'] }
}

function keyOf (request) {
  return encodeURIComponent(`wanted/${callerOf(request).userId}`)
}

// ask calls the platform with the token of this request, which names who acts. The one of stoa.platform() is the
// plugin's own, and would name nobody.
async function ask ({ headers }, method, path, body) {
  const answer = await fetch(`${headers['x-platform-api-base-url']}/api/v1/platform/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${headers['x-platform-token']}`,
      ...(body && { 'content-type': 'application/json' })
    },
    ...(body && { body: JSON.stringify(body) })
  })
  if (!answer.ok && answer.status !== 404) throw new Error(`stoa answered ${answer.status}: ${await answer.text()}`)
  return answer
}

'use strict'

// A client of stoa's API, on the server: the browser never sees the visitor's token.

const { STOA_API_BASE_URL, STOA_THEME_APP_TOKEN } = process.env

// call returns what stoa answers, or throws an error with its status and message. visitor
// is the visitor that the call is made for.
async function call (visitor, path, { method = 'GET', body, key } = {}) {
  const headers = { 'x-theme-app-token': STOA_THEME_APP_TOKEN }
  // stoa counts its limits for the visitor, not for all of them together.
  if (visitor.sealed) headers['x-platform-visitor'] = visitor.sealed
  if (visitor.token) headers.authorization = `Bearer ${visitor.token}`
  if (body) headers['content-type'] = 'application/json'
  if (key) headers['idempotency-key'] = key
  const answer = await fetch(STOA_API_BASE_URL + path, { method, headers, body: body && JSON.stringify(body) })
  const data = await answer.json()
  if (answer.ok) return data
  const { message = 'stoa does not answer as expected.' } = typeof data.error === 'object' ? data.error : data
  throw Object.assign(new Error(message), { status: answer.status })
}

const named = encodeURIComponent

module.exports = {
  products: async (visitor) => (await call(visitor, '/api/marketplace/products?limit=100')).products,
  product: (visitor, slug) => call(visitor, `/api/marketplace/products/${named(slug)}`),
  licenses: async (visitor) => (await call(visitor, '/api/marketplace/licenses')).licenses,
  signIn: async (visitor, email, password) =>
    (await call({ ...visitor, token: '' }, '/auth/login', { method: 'POST', body: { email, password } })).data,
  signOut: (visitor) => call(visitor, '/auth/logout', { method: 'POST' }),
  // The same key buys once, however often the form is sent.
  buy: (visitor, slug, tierId, key) => call(visitor, `/api/marketplace/products/${named(slug)}/purchase`, {
    method: 'POST', key, body: { tierId, paymentMethod: 'card' }
  })
}

'use strict'

// A storefront: lists what the shop sells, sells it, and shows a buyer's licenses.

const { randomUUID } = require('node:crypto')
const fs = require('node:fs')
const http = require('node:http')
const path = require('node:path')

const pages = require('./pages')
const stoa = require('./stoa')

const { HOST, PORT, STOA_BASE_PATH } = process.env
const style = fs.readFileSync(path.join(__dirname, 'style.css'))

const routes = [
  ['GET', /^\/health$/, (req, res) => res.end('ok')],
  ['GET', /^\/style\.css$/, (req, res) => res.writeHead(200, { 'content-type': 'text/css' }).end(style)],
  ['GET', /^\/$/, async (req, res) => show(req, res, 'Products', pages.list(req.base, await stoa.products(req.visitor)))],
  ['GET', /^\/products\/([a-z0-9-]+)$/, async (req, res, slug) => {
    const product = await stoa.product(req.visitor, slug)
    show(req, res, product.name, pages.product(req.base, product, randomUUID()))
  }],
  ['POST', /^\/products\/([a-z0-9-]+)\/buy$/, async (req, res, slug) => {
    const form = await readForm(req)
    const order = await stoa.buy(req.visitor, slug, form.get('tier'), form.get('key') ?? randomUUID())
    if (order.paymentUrl) return redirect(res, order.paymentUrl) // to the payment provider
    show(req, res, 'Your license', pages.bought(order))
  }],
  ['GET', /^\/licenses$/, async (req, res) => {
    if (!req.visitor.token) return redirect(res, `${req.base}/sign-in`)
    show(req, res, 'My licenses', pages.licenses(await stoa.licenses(req.visitor)))
  }],
  ['GET', /^\/sign-in$/, (req, res) => show(req, res, 'Sign in', pages.signIn(req.base))],
  ['POST', /^\/sign-in$/, async (req, res) => {
    const form = await readForm(req)
    const { access_token: token } = await stoa.signIn(req.visitor, form.get('email'), form.get('password'))
    setSession(req, res, token)
    redirect(res, `${req.base}/licenses`)
  }],
  ['POST', /^\/sign-out$/, async (req, res) => {
    if (req.visitor.token) await stoa.signOut(req.visitor)
    setSession(req, res, '')
    redirect(res, `${req.base}/`)
  }]
]

const server = http.createServer(async (req, res) => {
  // What stoa took away from the path: nothing at the shop's root.
  req.base = req.headers['x-forwarded-prefix'] ? STOA_BASE_PATH : ''
  req.visitor = { token: sessionOf(req), sealed: req.headers['x-platform-visitor'] }
  try {
    await answer(req, res)
  } catch (err) {
    if (res.headersSent) return res.destroy()
    const status = err.status >= 400 && err.status < 500 ? err.status : 502
    if (status === 502) console.error(err)
    show(req, res, 'That did not work', pages.problem(status === 502 ? 'Please try again later.' : err.message), status)
  }
})

async function answer (req, res) {
  const { pathname } = new URL(req.url, 'http://shop')
  if (req.method === 'POST' && !isOwnPage(req)) throw Object.assign(new Error('This form is not ours.'), { status: 403 })
  for (const [method, pattern, serve] of routes) {
    const match = (req.method === 'HEAD' ? 'GET' : req.method) === method && pattern.exec(pathname)
    if (match) return serve(req, res, ...match.slice(1))
  }
  throw Object.assign(new Error('There is no such page.'), { status: 404 })
}

// isOwnPage reports whether a form comes from a page of the shop: cookies alone do not say
// so.
function isOwnPage (req) {
  const { origin, 'x-forwarded-proto': proto, 'x-forwarded-host': host } = req.headers
  return origin === undefined || origin === `${proto}://${host}`
}

function show (req, res, heading, body, status = 200) {
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
  })
  res.end(String(pages.layout(req.base, req.visitor, heading, body)))
}

const redirect = (res, to) => res.writeHead(303, { location: to }).end()

// The session is the visitor's token, in a cookie that no script can read.
function setSession (req, res, token) {
  const secure = req.headers['x-forwarded-proto'] === 'https' ? '; Secure' : ''
  res.setHeader('set-cookie', `corner=${token}; Path=/; HttpOnly; SameSite=Lax${secure}${token ? '' : '; Max-Age=0'}`)
}

const sessionOf = (req) => /(?:^|; )corner=([\w.-]*)/.exec(req.headers.cookie ?? '')?.[1] ?? ''

async function readForm (req) {
  let text = ''
  for await (const chunk of req) {
    text += chunk
    if (text.length > 10_000) throw Object.assign(new Error('This form is too long.'), { status: 413 })
  }
  return new URLSearchParams(text)
}

server.listen(PORT, HOST)

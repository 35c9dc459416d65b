// Popular packages of the ecosystem, as their documentation uses them, bundled
// into the package.
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fp from 'fastify-plugin'
import cookie from '@fastify/cookie'
import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import multipart from '@fastify/multipart'
import rateLimit from '@fastify/rate-limit'
import fastifyStatic from '@fastify/static'
import websocket from '@fastify/websocket'

const clock = fp(async (app, { zone }) => { app.decorate('clock', () => `12:00 ${zone}`) }, { name: 'clock', fastify: '5.x' })
const alarm = fp(async (app) => { app.decorate('alarm', () => `at ${app.clock()}`) }, { name: 'alarm', dependencies: ['clock'], decorators: { fastify: ['clock'] } })

export default fp(async (app, options) => {
  await app.register(clock, { zone: options.zone })
  await app.register(alarm)
  await app.register(cors, { origin: ['https://partner.example'], methods: ['GET', 'PUT'], credentials: true })
  await app.register(cookie, { secret: 'cookie-secret-of-the-plugin' })
  await app.register(formbody)
  await app.register(multipart, { limits: { fileSize: 1024 * 1024, files: 2 } })
  await app.register(websocket, { options: { maxPayload: 65536 } })
  await app.register(fastifyStatic, { root: path.join(__dirname, 'public'), prefix: '/api/files/' })
  await app.register(rateLimit, { global: false, max: 3, timeWindow: '1 minute' })

  app.get('/api/alarm', async () => app.alarm())
  app.get('/api/cookies', async (request, reply) => {
    reply.setCookie('visits', String(Number(request.cookies.visits ?? 0) + 1), { path: '/', httpOnly: true, sameSite: 'lax' })
    reply.setCookie('signed', 'ada', { signed: true })
    return { cookies: request.cookies, signed: request.cookies.signed ? request.unsignCookie(request.cookies.signed) : null }
  })
  app.post('/api/form', async (request) => request.body)
  app.post('/api/upload', async (request) => {
    const parts = []
    for await (const part of request.parts()) {
      if (part.type === 'file') {
        const bytes = await part.toBuffer()
        parts.push({ file: part.filename, type: part.mimetype, size: bytes.length, last: bytes.at(-1) })
      } else {
        parts.push({ field: part.fieldname, value: part.value })
      }
    }
    return parts
  })
  app.post('/api/save', async (request) => {
    const saved = await request.saveRequestFiles()
    await fs.rename(saved[0].filepath, path.join(os.tmpdir(), 'last'))
    return { size: (await fs.stat(path.join(os.tmpdir(), 'last'))).size, all: await fs.readdir(os.tmpdir()) }
  })
  app.get('/api/limited', { config: { rateLimit: {} } }, async (request) => ({ ip: request.ip }))
  app.register(async (app) => {
    app.get('/api/socket', { websocket: true }, (socket, request) => {
      socket.on('message', (data, isBinary) => socket.send(isBinary ? data : `${request.query.name}: ${data}`, { binary: isBinary }))
      socket.on('close', (code) => console.log(`closed ${code}`))
    })
  })
}, { name: 'ecosystem' })

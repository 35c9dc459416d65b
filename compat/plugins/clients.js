// The clients with which plugins reach other hosts, each as its documentation uses it. What they
// fail with is the answer.
import dns from 'node:dns'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'
import { promisify } from 'node:util'
import axios from 'axios'
import got from 'got'
import { request } from 'undici'

const opened = (socket, event) => new Promise((resolve, reject) => socket.once(event, () => { socket.destroy(); resolve('connected') }).once('error', reject))

const clients = {
  http: (url) => new Promise((resolve, reject) => {
    (url.protocol === 'https:' ? https : http).get(url, async (res) => resolve(await text(res))).on('error', reject)
  }),
  fetch: async (url) => (await fetch(url)).text(),
  undici: async (url) => (await request(url)).body.text(),
  got: (url) => got(url, { retry: { limit: 0 } }).text(),
  axios: async (url) => (await axios.get(String(url), { proxy: false })).data,
  'net.connect': (url) => opened(net.connect(Number(url.port) || 80, url.hostname), 'connect'),
  'net.connect with options': (url) => opened(net.connect({ host: url.hostname, port: url.port || '80', autoSelectFamily: false }), 'connect'),
  'a socket': (url) => opened(new net.Socket().connect({ host: url.hostname, port: Number(url.port) || 80, lookup: dns.lookup }), 'connect'),
  'tls.connect': (url) => opened(tls.connect({ host: url.hostname, port: Number(url.port) || 443 }), 'secureConnect'),
  'http2.connect': (url) => opened(http2.connect(`https://${url.host}`), 'connect')
}

const lookups = {
  'dns.lookup': (name) => new Promise((resolve, reject) => dns.lookup(name, { all: true }, (err, all) => err ? reject(err) : resolve(typeof all[0].address))),
  'dns.lookup without options': (name) => new Promise((resolve, reject) => dns.lookup(name, (err, address) => err ? reject(err) : resolve(typeof address))),
  'dns.promises.lookup': async (name) => typeof (await dns.promises.lookup(name)).address,
  'promisify(dns.lookup)': async (name) => typeof (await promisify(dns.lookup)(name)).address
}

async function text (stream) {
  let all = ''
  for await (const part of stream) all += part
  return all
}

async function outcome (what) {
  try {
    return { text: await what() }
  } catch (err) {
    const last = err.code === undefined && err.cause ? err.cause : err
    return { code: last.code, message: last.message, permission: last.permission }
  }
}

export default async function (app) {
  app.post('/api/all', async ({ body }) => {
    const url = new URL(body.url)
    const all = body.lookup
      ? Object.entries(lookups).map(([name, lookup]) => [name, () => lookup(url.hostname)])
      : Object.entries(clients).map(([name, get]) => [name, () => get(url)])
    return Object.fromEntries(await Promise.all(all.map(async ([name, what]) => [name, await outcome(what)])))
  })
}

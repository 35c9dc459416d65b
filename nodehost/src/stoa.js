'use strict'

const { Platform } = require('../../sdk/js-plugin/src/platform.js')
const { PlatformError } = require('../../sdk/js-plugin/src/errors.js')
const { header } = require('./gate')

// Taken before a plugin can replace it.
const { fetch } = globalThis

// freshFor is how long a token is used, in milliseconds: half of its life. The clock of
// this machine does not count, because it may be set.
const freshFor = 5 * 60_000

// stoaOf returns what an instance works with when nobody calls it. stoa knows by the channel
// of this process who asks; of several instances in it, each proves itself with its secret.
function stoaOf ({ platformURL, installationId, secret, shared }) {
  let current
  let since = -Infinity

  // token returns a token of the platform API. refused is one that no longer works.
  async function token (refused) {
    const held = current
    // If it is another one by now, another call was refused as well, and has asked.
    if (performance.now() - since > freshFor || (refused !== undefined && await held === refused && held === current)) {
      since = performance.now()
      current = ask(platformURL, shared ? { [header]: secret } : {})
      current.catch(() => { since = -Infinity })
    }
    return current
  }

  return Object.freeze({
    installationId,
    token: () => token(),
    platform: () => new Platform({ baseURL: platformURL, token })
  })
}

async function ask (platformURL, headers) {
  const answer = await fetch(`${platformURL.replace(/\/+$/, '')}/api/v1/platform/token`, {
    method: 'POST', headers, redirect: 'error', signal: AbortSignal.timeout(10_000)
  })
  const body = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new PlatformError(answer.status, body.error)
  return body.data.token
}

// withStoa gives a config, which is a plugin's options, the instance's stoa: under a symbol,
// and as stoa unless the config has a field of that name. Neither is enumerable, so that the
// config stays what it is for whoever copies or prints it.
function withStoa (config, stoa) {
  for (const name of [Symbol.for('stoa'), 'stoa']) {
    if (!Object.hasOwn(config, name)) Object.defineProperty(config, name, { value: stoa })
  }
  return config
}

module.exports = { stoaOf, withStoa }

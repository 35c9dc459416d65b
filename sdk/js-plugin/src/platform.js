import { found, PlatformError } from './errors.js';
import { Storage } from './storage.js';

const TIMEOUT = 10_000; // milliseconds

// licenseOf returns a license as plugins see it. A header leaves out features that are too long.
export function licenseOf({ state, tier, features = null, expiresAt, trial }) {
  return { state, tier, features, expiresAt: expiresAt === null ? null : new Date(expiresAt), trial };
}

// dataOf returns what an answer holds, with or without stoa's envelope.
async function dataOf(answer) {
  const said = await answer.json();
  return said.success === true && 'data' in said ? said.data : said;
}

// Platform is documented in index.d.ts.
export class Platform {
  #base;
  #token;
  #fetch;
  #timeout;

  constructor({ baseURL, token, fetch = globalThis.fetch, timeout = TIMEOUT }) {
    this.#base = `${baseURL.replace(/\/+$/, '')}/api/v1/platform/`;
    this.#token = token;
    this.#fetch = fetch;
    this.#timeout = timeout;
    const get = (path, query) => this.#json('GET', path, { query });
    const collection = (name) => ({
      list: (query) => get(name, query),
      get: (id) => found(get(`${name}/${encodeURIComponent(id)}`)),
    });
    this.products = collection('products');
    this.orders = collection('orders');
    this.licenses = collection('licenses');
    this.users = collection('users');
    this.storage = new Storage((...args) => this.#send(...args));
    this.events = { publish: (type, data = {}) => this.#json('POST', 'events', { json: { type, data } }) };
  }

  async config() {
    return (await this.digestedConfig()).config;
  }

  // digestedConfig returns the present config with its digest, which is the entity tag of the answer. A proxy may have
  // made that a weak one. It is no part of the public API.
  async digestedConfig() {
    const answer = await this.#send('GET', 'config');
    const [, digest] = /^(?:W\/)?"([^"]*)"$/.exec(answer.headers.get('etag') ?? '') ?? [];
    return { config: (await dataOf(answer)).config, digest };
  }

  async license() {
    const told = await this.#json('GET', 'license');
    return told.state === 'none' ? null : licenseOf(told);
  }

  async #json(method, path, options) {
    return dataOf(await this.#send(method, path, options));
  }

  // #send returns the answer if it is a success, and throws a PlatformError otherwise.
  async #send(method, path, { query = {}, headers = {}, body, json } = {}) {
    const url = new URL(this.#base + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const ask = (token) => this.#fetch(url, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}`, ...(json && { 'content-type': 'application/json' }) },
      body: json === undefined ? body : JSON.stringify(json),
      redirect: 'error', // the token is for stoa alone
      signal: AbortSignal.timeout(this.#timeout),
    });
    let answer;
    if (typeof this.#token === 'function') {
      const token = await this.#token();
      answer = await ask(token);
      if (answer.status === 401) answer = await ask(await this.#token(token));
    } else {
      answer = await ask(this.#token);
    }
    if (answer.ok) return answer;
    let said;
    try {
      said = (await answer.json()).error;
    } catch {
      // not stoa's answer; the status has to do
    }
    const seconds = Number(answer.headers.get('retry-after') ?? NaN);
    throw new PlatformError(answer.status, {
      code: said?.code, message: said?.message, details: said?.details,
      retryAfter: Number.isFinite(seconds) ? seconds : said?.retryAfter,
    });
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import { found, PlatformError } from './errors.js';

const ATTEMPTS = 20;

// Storage is documented in index.d.ts.
export class Storage {
  #send;

  constructor(send) {
    this.#send = send;
  }

  async get(key) {
    const answer = await found(this.#send('GET', pathOf(key)));
    if (answer === null) return null;
    const value = Buffer.from(await answer.arrayBuffer());
    return {
      value,
      etag: answer.headers.get('etag'),
      contentType: answer.headers.get('content-type'),
      text: () => value.toString(),
      json: () => JSON.parse(value.toString()),
    };
  }

  async getJSON(key) {
    return (await this.get(key))?.json() ?? null;
  }

  async put(key, value, { ttl, ifMatch, ifAbsent, contentType } = {}) {
    const type = contentType ?? (typeof value === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream');
    const answer = await this.#send('PUT', pathOf(key), {
      query: { ttl },
      headers: {
        'content-type': type, ...(ifMatch && { 'if-match': ifMatch }), ...(ifAbsent && { 'if-none-match': '*' }),
      },
      body: value,
    });
    return { ...(await answer.json()).data, created: answer.status === 201 };
  }

  putJSON(key, value, options) {
    return this.put(key, JSON.stringify(value), { contentType: 'application/json', ...options });
  }

  async delete(key, { ifMatch } = {}) {
    await this.#send('DELETE', pathOf(key), { headers: { ...(ifMatch && { 'if-match': ifMatch }) } });
  }

  async list(query) {
    return (await (await this.#send('GET', 'storage', { query })).json()).data;
  }

  async *keys(prefix) {
    for (let cursor; ;) {
      const page = await this.list({ prefix, cursor, limit: 100 });
      yield* page.items;
      cursor = page.nextCursor;
      if (cursor === undefined) return;
    }
  }

  async update(key, change, { ttl } = {}) {
    for (let attempt = 1; ; attempt++) {
      const now = await this.get(key);
      const before = now === null ? undefined : now.json();
      const after = await change(before);
      if (after === undefined) return before;
      try {
        await this.putJSON(key, after, now === null ? { ttl, ifAbsent: true } : { ttl, ifMatch: now.etag });
        return after;
      } catch (err) {
        const raced = err instanceof PlatformError && err.status === 412;
        if (!raced || attempt === ATTEMPTS) throw err;
      }
      await wait(Math.random() * Math.min(5 * attempt, 50)); // let the others finish
    }
  }
}

function pathOf(key) {
  if (key === '.' || key === '..') throw new TypeError(`No URL can name the key ${JSON.stringify(key)}.`);
  return `storage/${encodeURIComponent(key)}`;
}

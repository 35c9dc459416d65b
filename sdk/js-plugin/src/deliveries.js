import { HookFailed } from './errors.js';

// memory is the Seen of plugins that name none: it forgets when the process ends.
function memory(size = 10_000) {
  const ids = new Set();
  return {
    has: (id) => ids.has(id),
    add: (id) => {
      ids.add(id);
      if (ids.size > size) ids.delete(ids.values().next().value);
    },
  };
}

// Deliveries calls the handlers of hooks and events, once for each x-hook-id that
// succeeds.
export class Deliveries {
  #hooks;
  #events;
  #exports;
  #seen;
  #running = new Map();

  constructor({ hooks = {}, events, export: exports, seen = memory() }) {
    this.#hooks = hooks;
    this.#events = events;
    this.#exports = exports;
    this.#seen = seen;
  }

  // takes returns the handling of a verified request, or undefined if it is none of a
  // hook or an event. Only the platform can send x-hook-id.
  takes(method, path, headers) {
    const id = headers['x-hook-id'];
    if (method !== 'POST' || id === undefined) return undefined;
    const attempt = Number(headers['x-hook-attempt'] ?? 1);
    const name = /(?:^|\/)__lifecycle\/(\w+)$/.exec(path)?.[1];
    if (name === 'export') return { id, asks: true, run: (body, context) => this.#exports({ userId: body.userId }, context) };
    if (name !== undefined) return { id, run: (body, context) => this.#hook(name, { ...body, id, attempt }, context) };
    if (this.#events === undefined) return undefined;
    return { id, run: (body, context) => this.#event({ ...body, hookId: id, attempt }, context) };
  }

  // answer runs a delivery and returns the status and headers to answer with. report
  // gets the error of a handler that failed.
  async answer(delivery, body, context, report) {
    try {
      if (delivery.asks) return await this.#tell(delivery, body, context);
      await this.#once(delivery.id, () => delivery.run(body, context));
      return { status: 204, headers: {} };
    } catch (err) {
      report(err);
      if (!(err instanceof HookFailed)) return { status: 500, headers: {} };
      const headers = err.retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(err.retryAfter)) };
      return { status: err.stop ? 410 : 503, headers };
    }
  }

  // #tell answers what the plugin knows about a user.
  async #tell(delivery, body, context) {
    if (this.#exports === undefined) return { status: 404, headers: {} };
    const data = JSON.stringify(await delivery.run(body, context));
    if (data === undefined) return { status: 204, headers: {} };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: data };
  }

  // #once repeats what failed. A repetition that arrives while the first is running
  // shares its fate.
  async #once(id, run) {
    const underway = this.#running.get(id);
    if (underway !== undefined) return underway;
    const work = (async () => {
      if (await this.#seen.has(id)) return;
      await run();
      await this.#seen.add(id);
    })();
    this.#running.set(id, work);
    try {
      await work;
    } finally {
      this.#running.delete(id);
    }
  }

  #hook(name, hook, context) {
    return Object.hasOwn(this.#hooks, name) ? this.#hooks[name]({ ...hook, name }, context) : undefined;
  }

  async #event(event, context) {
    for (const [pattern, handle] of Object.entries(this.#events)) {
      if (matches(pattern, event.type)) await handle(event, context);
    }
  }
}

function matches(pattern, type) {
  return pattern === type || pattern === '*' || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));
}

import { contextOf } from './context.js';
import { Deliveries } from './deliveries.js';

export { HookFailed, PlatformError } from './errors.js';
export { Platform } from './platform.js';

// definePlugin is documented in internal.d.ts.
export function definePlugin({ register, hooks = {}, events, eventsPath = '/events', export: exports, seen, onError = console.error }) {
  const deliveries = new Deliveries({ events: events ?? {}, seen });
  const plugin = async (app, config) => {
    const contexts = new WeakMap();
    const context = (request) => {
      const known = contexts.get(request.raw) ?? { ...contextOf(request.raw.headers), config };
      contexts.set(request.raw, known);
      return known;
    };
    if (events !== undefined) {
      app.post(eventsPath, async (request, reply) => {
        const delivery = deliveries.takes('POST', eventsPath, request.raw.headers);
        if (delivery === undefined) return reply.code(404).send();
        const answer = await deliveries.answer(delivery, request.body, context(request), onError);
        return reply.code(answer.status).headers(answer.headers).send();
      });
    }
    await register(app, { config, context, stoa: config[Symbol.for('stoa')] ?? none });
  };
  plugin.lifecycle = {};
  for (const [name, handle] of Object.entries(hooks)) {
    // stoa 0.1.0 has id and attempt in the second argument alone, and nothing else there.
    plugin.lifecycle[name] = (hook, context) => {
      return handle({ ...hook, id: context.id, attempt: context.attempt, name }, context);
    };
  }
  if (exports !== undefined) plugin.lifecycle.export = ({ userId }, context) => exports({ userId }, context);
  return plugin;
}

// none is what plugins get of a stoa that has nothing to offer between calls.
const missing = () => { throw new Error('This stoa gives plugins no token between calls: it is too old.'); };
const none = Object.freeze({ installationId: undefined, token: async () => missing(), platform: missing });

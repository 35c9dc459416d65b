import { readBody } from './body.js';
import { Configs, contextOf } from './context.js';
import { Deliveries } from './deliveries.js';
import { NotFromPlatform } from './errors.js';
import { check, MAX_SIGNED_BODY, readSigned } from './signature.js';

// createPlugin is documented in index.d.ts.
export function createPlugin(options) {
  const secrets = [options.secret, options.previousSecret].filter(Boolean);
  if (secrets.length === 0) throw new TypeError("createPlugin needs the package's signing secret.");
  return new Plugin(secrets, options);
}

class Plugin {
  #secrets;
  #options;
  #deliveries;
  #verified = new WeakMap(); // by request: its context, and the hook or event that it delivers
  #configs = new Configs();

  constructor(secrets, options) {
    this.#secrets = secrets;
    this.#options = { now: Date.now, onError: (err) => console.error(err), ...options };
    this.#deliveries = new Deliveries(options);
  }

  // verify checks a request of Node.js, Express or Fastify and returns its context.
  async verify(request) {
    const req = request.raw ?? request;
    return (this.#verified.get(req) ?? await this.#verify(req)).context;
  }

  async #verify(req) {
    const signed = readSigned(headersOf(req), this.#options.now());
    const body = await readBody(req, MAX_SIGNED_BODY);
    if (body.length > MAX_SIGNED_BODY && !this.#options.unsignedBodies) throw new NotFromPlatform('unsigned-body');
    // Express takes the path that a router is mounted at off req.url.
    const target = req.originalUrl ?? req.url;
    check(signed, { secrets: this.#secrets, method: req.method, target, body });

    const headers = Object.fromEntries(signed.headers);
    const { fetch, platformTimeout: timeout } = this.#options;
    const context = contextOf(headers, { fetch, timeout });
    const delivery = this.#deliveries.takes(req.method, target.split('?')[0], headers);
    if (delivery !== undefined) {
      delivery.body = JSON.parse(body.toString());
      context.config ??= delivery.body.config; // a hook's
    }
    await this.#configs.fill(context, headers['x-plugin-config-digest']);
    const verified = { context, delivery };
    this.#verified.set(req, verified);
    return verified;
  }

  context(request) {
    const verified = this.#verified.get(request.raw ?? request);
    if (verified === undefined) throw new Error('stoa-plugin has not verified this request.');
    return verified.context;
  }

  // #receive verifies a request. It returns the answer to refusals, hooks and events,
  // and undefined for requests that the plugin itself answers.
  async #receive(req) {
    try {
      const { delivery, context } = this.#verified.get(req) ?? await this.#verify(req);
      if (delivery === undefined) return undefined;
      return await this.#deliveries.answer(delivery, delivery.body, context, this.#options.onError);
    } catch (err) {
      if (!(err instanceof NotFromPlatform)) throw err;
      return {
        status: err.status, headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ error: 'NOT_FROM_PLATFORM', message: err.message }),
      };
    }
  }

  // express returns middleware for Express and everything like it.
  express() {
    return async (req, res, next) => {
      let answer;
      try {
        answer = await this.#receive(req);
      } catch (err) {
        return next(err);
      }
      if (answer === undefined) return next();
      send(res, answer);
    };
  }

  // http returns a listener for http.createServer.
  http(handle) {
    return async (req, res) => {
      try {
        const answer = await this.#receive(req);
        if (answer !== undefined) return send(res, answer);
        await handle(req, res, this.context(req));
      } catch (err) {
        this.#options.onError(err);
        if (res.headersSent) return res.destroy();
        send(res, { status: 500, headers: { 'content-type': 'application/json' }, body: '{"error":"INTERNAL_ERROR"}' });
      }
    };
  }

  // fastify returns a Fastify plugin that works in the scope that registers it.
  fastify() {
    const plugin = async (app, { eventsPath } = {}) => {
      app.addHook('onRequest', async (request, reply) => {
        const answer = await this.#receive(request.raw);
        if (answer === undefined) return;
        await reply.code(answer.status).headers(answer.headers).send(answer.body);
        return reply;
      });
      // Fastify runs the hook only for addresses that it has a route for.
      const unreachable = async () => { throw new Error('not a delivery'); };
      app.post('/__lifecycle/:hook', unreachable);
      if (eventsPath !== undefined) app.post(eventsPath, unreachable);
    };
    plugin[Symbol.for('skip-override')] = true; // like fastify-plugin
    plugin[Symbol.for('fastify.display-name')] = 'stoa-plugin';
    return plugin;
  }
}

// headersOf returns a request's headers as [name, value], duplicates included.
function headersOf({ rawHeaders = [], headers }) {
  if (rawHeaders.length === 0) return Object.entries(headers); // a test tool's request
  const list = [];
  for (let i = 0; i < rawHeaders.length; i += 2) list.push([rawHeaders[i], rawHeaders[i + 1]]);
  return list;
}

function send(res, { status, headers, body }) {
  res.writeHead(status, headers).end(body);
}

// Uses the package as plugins in TypeScript do. A line below @ts-expect-error must not
// compile.
import { createServer, type RequestListener } from 'node:http';
import { Readable } from 'node:stream';
import type { Express, RequestHandler } from 'express';
import type { FastifyInstance } from 'fastify';
import { createPlugin, HookFailed, NotFromPlatform, signedRequest } from 'stoa-plugin';
import type { Order, Page } from 'stoa-plugin';
import { definePlugin } from 'stoa-plugin/internal';
import type { Config } from './config.js';

export const plugin = createPlugin<Config>({
  secret: 'secret',
  hooks: {
    onUpgrade: async (hook, stoa) => {
      const from: string | undefined = hook.previousVersion;
      await stoa.platform.storage.put('from', from ?? '', { ifAbsent: true, ttl: 60 });
    },
    // @ts-expect-error: there is no such hook
    onStart: () => {},
  },
  export: async ({ userId }, stoa) => ({ visits: await stoa.platform.storage.getJSON<number>(userId) }),
  events: {
    'order.paid': async (event, stoa) => {
      const order: Order | null = await stoa.platform.orders.get(event.data.orderId);
      if (order?.status !== 'paid') throw new HookFailed('not yet', { retryAfter: 60 });
      // @ts-expect-error: the event has no such field
      event.data.orderID;
    },
    'license.*': (event) => console.log(event.type),
    'visits.counted': (event) => console.log(event.data.visits),
  },
});

export function inExpress(app: Express): void {
  const handler: RequestHandler = plugin.express();
  app.use(handler);
  app.use('/base', plugin.express());
  app.get('/api/x', async (req, res) => {
    const { config, user, platform } = plugin.context(req);
    const greeting: string = config.greeting;
    const size: 's' | 'm' = config.size;
    const key: string | undefined = config.key;
    const max: number | undefined = config.limits?.['daily-max'];
    // @ts-expect-error: the manifest has no such field
    config.greetings;
    // @ts-expect-error: guests have no id
    user.id;
    const orders: Page<Order> = await platform.orders.list({ status: 'paid', limit: 10 });
    const visits = await platform.storage.update<number>('visits', (n = 0) => n + 1);
    const cart = await platform.storage.getJSON<string[]>('cart');
    const { id } = await platform.events.publish('visits.counted', { visits });
    res.json({ greeting, size, key, max, orders, visits, cart, id });
  });
}

export async function inFastify(app: FastifyInstance): Promise<void> {
  await app.register(plugin.fastify(), { eventsPath: '/events' });
  app.get('/api/x', async (request) => plugin.context(request).config.greeting);
  await app.inject(signedRequest({ secret: 'secret', context: { user: { id: 'ada', role: 'customer' } } }));
}

const listener: RequestListener = plugin.http((req, res, { config }) => res.end(config.greeting));
createServer(listener);

export const internal = definePlugin<Config>({
  register(app, { config, context, stoa }) {
    setInterval(() => stoa.platform().storage.update<number>('ticks', (n = 0) => n + 1), 60_000);
    app.get<{ Params: { id: string } }>('/api/:id', async (request, reply) => {
      const user: string = context(request).user?.id ?? request.params.id;
      return reply.send({ user, size: config.size });
    });
  },
  hooks: {
    onEnable: ({ config }) => console.log(config.greeting?.length),
    onUpgrade: async (hook, { platform, config }) => {
      const size: 's' | 'm' | undefined = config.size;
      await platform.storage.put('from', hook.previousVersion ?? size ?? '');
    },
  },
  // @ts-expect-error: the config may be incomplete
  export: ({ userId }, { config }) => [userId, config.greeting.length],
});

const forged = signedRequest({ secret: 'guessed', path: '/api/x' });
const request = Object.assign(Readable.from([]), forged);
plugin.verify(request as never).catch((err: unknown) => {
  if (err instanceof NotFromPlatform) console.log(err.reason, err.status);
  else throw err;
});

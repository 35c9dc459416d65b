// A plugin that publishes an event when it is called, and writes down what it gets. The
// test puts a line with `framework` before it.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import { createPlugin } from 'stoa-plugin';

const plugin = createPlugin({
  secret: process.env.PLUGIN_SECRET,
  events: {
    'visits.*': ({ id, type, data }, { installationId }) =>
      appendFileSync('told.log', `${type} ${id} ${JSON.stringify(data)} ${installationId}\n`),
  },
});

async function publish({ platform: { events } }) {
  await assert.rejects(events.publish('other.x'), { status: 400, code: 'VALIDATION_ERROR' });
  await assert.rejects(events.publish('visits.x', []), { status: 400, code: 'VALIDATION_ERROR' });
  return (await events.publish('visits.counted', { n: 1, text: '<&>ß' })).id;
}

const said = (stoa) => publish(stoa).catch((err) => String(err.stack));
const port = Number(process.env.PORT);
switch (framework) { // eslint-disable-line no-undef
  case 'express': {
    const app = express();
    app.use(plugin.express());
    app.post('/api/visits', async (req, res) => res.send(await said(plugin.context(req))));
    app.listen(port, '127.0.0.1');
    break;
  }
  case 'fastify': {
    const app = Fastify();
    app.register(plugin.fastify(), { eventsPath: '/events' });
    app.post('/api/visits', (req) => said(plugin.context(req)));
    app.listen({ port });
    break;
  }
  default:
    createServer(plugin.http(async (req, res, stoa) => res.end(await said(stoa)))).listen(port, '127.0.0.1');
}

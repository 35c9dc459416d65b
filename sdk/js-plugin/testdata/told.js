// A plugin that writes down what stoa tells it. The test puts a line with `framework`
// before it.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
import Fastify from 'fastify';
import { createPlugin } from 'stoa-plugin';

const note = (line) => appendFileSync('told.log', `${line}\n`);

async function told(what, { installationId, platform }) {
  let stored;
  try {
    stored = await platform.storage.update('told', (n = 0) => n + 1);
  } catch (err) {
    stored = err.code;
  }
  const about = what.type === undefined ? what.previousVersion : Object.keys(what.data);
  note(`${what.name ?? what.type} ${about} ${what.attempt} ${stored} ${installationId}`);
}

const plugin = createPlugin({
  secret: process.env.PLUGIN_SECRET,
  hooks: { onInstall: told, onEnable: told, onDisable: told, onUninstall: told, onUpgrade: told },
  events: { 'user.*': told },
});

const port = Number(process.env.PORT);
switch (framework) { // eslint-disable-line no-undef
  case 'express':
    express().use(plugin.express()).listen(port, '127.0.0.1');
    break;
  case 'fastify':
    Fastify().register(plugin.fastify(), { eventsPath: '/events' }).listen({ port });
    break;
  default:
    createServer(plugin.http((req, res) => res.writeHead(404).end())).listen(port, '127.0.0.1');
}

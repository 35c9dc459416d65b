'use strict'

const { explained } = require('./explain')

// The levels of Fastify's logger (pino), which stoa maps to its own.
const levels = { info: 30, warn: 40, error: 50, fatal: 60 }

// log writes a line in the form of Fastify's logger. Pipes are written
// synchronously, so nothing is lost when the process exits right after.
function log (level, msg, err, position) {
  const line = { level: levels[level], time: Date.now(), msg, ...position }
  if (err !== undefined) line.err = { message: explained(String(err), err), stack: String(err?.stack ?? '') }
  process.stderr.write(JSON.stringify(line) + '\n')
}

module.exports = { log }

'use strict'

const { explained } = require('./explain')

// The levels of Fastify's logger (pino), which stoa maps to its own.
const levels = { info: 30, warn: 40, error: 50, fatal: 60 }

// log writes a line in the form of Fastify's logger. Pipes are written
// synchronously, so nothing is lost when the process exits right after.
function log (level, msg, err, position) {
  const line = { level: levels[level], time: Date.now(), msg, ...position }
  if (err !== undefined) line.err = { message: explained(String(err), err), stack: String(err?.stack ?? '') }
  process.stderr.write(fitting(line) + '\n')
}

// longest is how many bytes of a line stoa takes (internal/run/child/output.go). It could not
// read the rest of a longer one.
const longest = 16 << 10

// fitting returns a line as JSON, with as much of its error as there is room for.
function fitting (line) {
  let text = JSON.stringify(line)
  for (let most = 4096; line.err && most > 16 && Buffer.byteLength(text) > longest; most /= 2) {
    for (const part of ['message', 'stack']) line.err[part] = line.err[part].slice(0, most)
    text = JSON.stringify(line)
  }
  return text
}

module.exports = { log }

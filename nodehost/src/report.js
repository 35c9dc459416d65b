'use strict'

const fs = require('node:fs')
const { setInterval } = require('node:timers') // before a plugin can replace it
const { explained } = require('./explain')

let done = false

// report says how the start went: one line on descriptor 4, once.
function report (message) {
  if (done) return
  done = true
  fs.writeSync(4, JSON.stringify(message) + '\n')
}

// reportMember writes a report about one instance of several.
function reportMember (message) {
  fs.writeSync(4, JSON.stringify(message) + '\n')
}

// errorReport describes why a start failed.
function errorReport (phase, err, position) {
  const [message, stack] = [textOf(err), String(err?.stack ?? '')].map((text) => text.slice(0, 3000))
  return { phase, message, stack, ...position }
}

// textOf returns what an error says, with what was denied, for which Node.js has a field of
// its own, and with what stoa knows about it.
function textOf (err) {
  const said = String(err).replace(/ Use --allow-[\w-]+ to manage permissions\.$/, '')
  const text = err?.code === 'ERR_ACCESS_DENIED' && err.resource ? `${said} (${err.permission}: ${err.resource})` : said
  return explained(text, err)
}

// beat shows stoa, after the report, that the event loop is not blocked: one byte on
// descriptor 4 every intervalMs. stoa kills a process that falls silent.
function beat (intervalMs) {
  setInterval(() => {
    try {
      fs.writeSync(4, '.')
    } catch {
      // stoa no longer listens: it has given up on this process, or has ended.
    }
  }, intervalMs).unref()
}

module.exports = { beat, errorReport, report, reportMember }

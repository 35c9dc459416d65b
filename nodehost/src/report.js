'use strict'

const fs = require('node:fs')
const { setInterval } = require('node:timers') // before a plugin can replace it

let done = false

// report tells stoa how the start went: one line on descriptor 4, once.
function report (message) {
  if (done) return
  done = true
  fs.writeSync(4, JSON.stringify(message) + '\n')
}

// beat tells stoa, after the report, that the event loop is not blocked: one byte on
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

module.exports = { beat, report }

'use strict'

// The order matters: harden before plugin code runs, read the instructions before
// anything else can fail, and report exactly once.

const { harden } = require('./hardening')
const { readInstructions } = require('./instructions')
const { loadPlugin } = require('./load')
const { beat, report } = require('./report')
const { createServer, listen } = require('./server')
const { provideModules } = require('./modules')
const { log } = require('./log')
const { warm } = require('./warm')

harden()
provideModules()
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

// phase tells a failure report how far the start got.
let phase = 'instructions'
let app

if (process.env.STOA_WARM) module.exports = { warm } // boot.cjs calls it
else start().catch(fail)

async function start () {
  const instructions = readInstructions()
  phase = 'load'
  const plugin = await loadPlugin(instructions.entry)
  phase = 'register'
  app = await createServer(instructions, plugin)
  process.on('SIGTERM', stop)
  phase = 'listen'
  await listen(app)
  phase = 'run'
  report({ ready: true })
  beat(instructions.beatMs)
}

// fail ends the process: after an uncaught error, the plugin's state is unknown.
// stoa starts a new process at the next call.
function fail (err) {
  if (phase === 'run') {
    log('fatal', 'The plugin failed outside of a request, and is restarted.', err)
  } else {
    report({ error: { phase, message: String(err?.message ?? err), stack: String(err?.stack ?? '') } })
  }
  process.exit(1)
}

// stop lets running requests finish and the plugin's onClose hooks run. stoa
// kills the process if that takes too long.
async function stop () {
  try {
    await app.close()
    process.exit(0)
  } catch (err) {
    log('error', 'The plugin failed while it was closed.', err)
    process.exit(1)
  }
}

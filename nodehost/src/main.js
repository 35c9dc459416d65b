'use strict'

// The order matters: harden before plugin code runs, read the instructions before
// anything else can fail, and report exactly once.

const { harden } = require('./hardening')
const { readInstructions } = require('./instructions')
const { explainNetwork } = require('./network')
const { hooksOf, listenForHooks } = require('./hooks')
const { load, pluginOf } = require('./load')
const { beat, errorReport, report } = require('./report')
const { createServer, listen } = require('./server')
const { provideModules } = require('./modules')
const { log } = require('./log')
const { share } = require('./shared')
const { positionOf } = require('./position')
const { tidy } = require('./tidy')
const { warm } = require('./warm')

explainNetwork()
harden()
provideModules()
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

// phase says in a failure report how far the start got.
let phase = 'instructions'
let instructions = {}
let app // a Fastify instance, or several instances
let print = (f) => f()

if (process.env.STOA_WARM) module.exports = { warm } // boot.cjs calls it
else start().catch(fail)

async function start () {
  instructions = readInstructions()
  Object.assign(process.env, instructions.environment)
  if (instructions.shared) {
    phase = 'run'
    app = share(instructions)
    print = app.untagged
    process.on('SIGTERM', stop)
    tidy(instructions.tidyMs)
    return
  }
  phase = 'load'
  const module = await load(instructions.entry)
  const hooks = hooksOf(module, (err) => positionOf(err, instructions.root, instructions.entry))
  if (instructions.until === 'hooks') {
    app = await listenForHooks(instructions.secret, hooks)
    process.on('SIGTERM', stop)
    phase = 'run'
    report({ ready: true })
    return beat(instructions.beatMs)
  }
  const plugin = pluginOf(module)
  if (instructions.until === 'load') return report({ ready: true })
  phase = 'register'
  app = await createServer({ ...instructions, hooks }, plugin)
  process.on('SIGTERM', stop)
  phase = 'listen'
  await listen(app)
  phase = 'run'
  report({ ready: true })
  beat(instructions.beatMs)
  tidy(instructions.tidyMs)
}

// fail ends the process: after an uncaught error, the plugin's state is unknown.
// stoa starts a new process at the next call.
function fail (err) {
  const at = instructions.root && positionOf(err, instructions.root, instructions.entry)
  if (phase === 'run') {
    print(() => log('fatal', 'The plugin failed outside of a request, and is restarted.', err, at))
  } else {
    report({ error: errorReport(phase, err, at) })
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

'use strict'

const { syncBuiltinESMExports } = require('node:module')
const os = require('node:os')
const { basename } = require('node:path')
const traceEvents = require('node:trace_events')
const v8 = require('node:v8')

// harden blocks what Node's permission flags still allow a plugin: sending signals to
// other processes of the same user (stoa itself, other plugins), changing the user or
// a priority, setting V8's flags (the memory limit), and writing trace files. It is
// the second line of defense, after what the operating system enforces (package
// sandbox) and the permission flags.
function harden () {
  // What the plugin says is its own process id does not count.
  const { pid: self } = process
  // Node.js has read it. It is no business of plugins.
  delete process.env.NODE_EXTRA_CA_CERTS
  // process.kill ends in process._kill.
  const kill = process._kill
  replace(process, '_kill', (pid, signal) => {
    if (pid !== self) throw denied('process.kill')
    return kill.call(process, pid, signal)
  })
  replace(process, 'dlopen', (module, file) => { throw denied(`process.dlopen (${basename(String(file))})`) })
  for (const name of ['_debugProcess', 'setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'initgroups', 'execve']) {
    if (name in process) replace(process, name, () => { throw denied(`process.${name}`) })
  }
  replace(os, 'setPriority', () => { throw denied('os.setPriority') })
  // It writes its files wherever the process stands, whatever the flags say.
  replace(traceEvents, 'createTracing', () => { throw denied('trace_events.createTracing') })
  for (const name of ['setHeapSnapshotNearHeapLimit', 'takeCoverage']) {
    if (name in v8) replace(v8, name, () => { throw denied(`v8.${name}`) })
  }
  keepTitle()
  replace(v8, 'setFlagsFromString', () => { throw denied('v8.setFlagsFromString') })
  syncBuiltinESMExports()
}

// keepTitle makes what ps shows stay: a plugin must not pass for another program. Frameworks
// set a title in good faith, so that is no error.
function keepTitle () {
  const { title } = process
  Object.defineProperty(process, 'title', { get: () => title, set () {}, configurable: false, enumerable: true })
}

function replace (object, name, value) {
  Object.defineProperty(object, name, { value, writable: false, configurable: false, enumerable: true })
}

function denied (what) {
  return Object.assign(new Error(`${what} is not available to plugins.`), { code: 'ERR_ACCESS_DENIED' })
}

module.exports = { harden }

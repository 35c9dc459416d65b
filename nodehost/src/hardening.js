'use strict'

const { syncBuiltinESMExports } = require('node:module')
const v8 = require('node:v8')

// harden blocks what Node's permission flags still allow a plugin: sending signals to
// other processes of the same user (stoa itself, other plugins), changing the user,
// and setting V8's flags (the memory limit). It is the second line of defense, after
// the process boundary and the permission flags.
function harden () {
  // process.kill ends in process._kill.
  const kill = process._kill
  replace(process, '_kill', (pid, signal) => {
    if (pid !== process.pid) throw denied('process.kill')
    return kill.call(process, pid, signal)
  })
  for (const name of ['_debugProcess', 'dlopen', 'setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'initgroups']) {
    if (name in process) replace(process, name, () => { throw denied(`process.${name}`) })
  }
  replace(v8, 'setFlagsFromString', () => { throw denied('v8.setFlagsFromString') })
  syncBuiltinESMExports()
}

function replace (object, name, value) {
  Object.defineProperty(object, name, { value, writable: false, configurable: false, enumerable: true })
}

function denied (what) {
  return Object.assign(new Error(`${what} is not available to plugins.`), { code: 'ERR_ACCESS_DENIED' })
}

module.exports = { harden }

'use strict'

const { setFlagsFromString } = require('node:v8') // before harden takes it away
const { runInNewContext } = require('node:vm')
const { served } = require('./gate')

// tidy gives back what the start has left, a few MiB, once: when nothing was asked of
// the process for afterMs. Most plugins of a shop are idle most of the time.
function tidy (afterMs) {
  let before = served()
  const timer = setInterval(() => {
    if (served() !== before) {
      before = served()
      return
    }
    clearInterval(timer)
    // Not the option of Node.js: plugins would have it, too.
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc')
    setFlagsFromString('--no-expose-gc')
    gc({ type: 'major', execution: 'async', flavor: 'last-resort' })
  }, afterMs)
  timer.unref()
}

module.exports = { tidy }

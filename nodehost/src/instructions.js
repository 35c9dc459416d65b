'use strict'

const fs = require('node:fs')

// readInstructions returns the first line of what stoa wrote to standard input:
//
//   entry           absolute path of the plugin's entry module
//   root            absolute path of the package's folder
//   slug, version   of the package
//   platformURL     x-platform-api-base-url
//   installationId  of the instance
//   config          the instance's config, an object
//   bodyLimit       bytes of a request body
//   secret          what each request of stoa carries (gate.js)
//   beatMs          how often to report that the event loop is not blocked
//   tidyMs          after how long without a request to give memory back, once
//   startTimeoutMs  how long the plugin may take to register
//   environment     variables that an administrator set for the plugin
//   development     whether clients may see what an error says
//   until           "load": only load the entry module and look for the function;
//                   "hooks": only load it, and answer calls of lifecycle hooks
//   shared          the process takes several instances. config and installationId are
//                   missing, secret is the process's own, and orders follow, a line each (shared.js)
//
// They come over a pipe because the config contains secrets: arguments and
// environment can be read in /proc.
function readInstructions () {
  const chunk = Buffer.alloc(64 << 10)
  let text = Buffer.alloc(0)
  let end = -1
  for (;;) {
    const n = fs.readSync(0, chunk)
    if (n === 0) break
    text = Buffer.concat([text, chunk.subarray(0, n)])
    if ((end = text.indexOf(0x0a)) >= 0) break
  }
  const first = end < 0 ? text : text.subarray(0, end)
  return { ...JSON.parse(first.toString()), rest: end < 0 ? '' : text.subarray(end + 1) }
}

module.exports = { readInstructions }

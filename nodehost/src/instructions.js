'use strict'

const fs = require('node:fs')

// readInstructions returns what stoa wrote to standard input:
//
//   entry           absolute path of the plugin's entry module
//   root            absolute path of the package's folder
//   slug, version   of the package
//   config          the instance's config, an object
//   bodyLimit       bytes of a request body
//   secret          what each request of stoa carries (gate.js)
//   beatMs          how often to report that the event loop is not blocked
//   startTimeoutMs  how long the plugin may take to register
//   environment     variables that an administrator set for the plugin
//   development     whether clients may see what an error says
//   until           "load": only load the entry module and look for the function
//
// They come over a pipe because the config contains secrets: arguments and
// environment can be read in /proc.
function readInstructions () {
  return JSON.parse(fs.readFileSync(0, 'utf8'))
}

module.exports = { readInstructions }

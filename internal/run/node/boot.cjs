'use strict'

// What a plugin's process runs first: it loads the host program with the code that
// V8 compiled of it before, if there is any. With STOA_WARM in its environment it
// makes that cache instead, and writes it to standard output.

const fs = require('node:fs')
const vm = require('node:vm')

const file = __dirname + '/host.cjs'
const text = `(function (exports, require, module, __filename, __dirname, importModule) { ${fs.readFileSync(file, 'utf8')}\n})`
let cachedData
try {
  cachedData = fs.readFileSync(__dirname + '/host.cache')
} catch {
  // Not made yet.
}
const script = new vm.Script(text, { filename: file, cachedData })
const host = { exports: {} }
script.runInThisContext()(host.exports, require, host, file, __dirname, (url) => import(url))

if (process.env.STOA_WARM) {
  host.exports.warm().then(() => { fs.writeFileSync(1, script.createCachedData()) })
}

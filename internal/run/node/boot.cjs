'use strict'

// What a plugin's process runs first: it loads the host program with V8's code cache,
// if that is there already. With STOA_WARM in its environment it makes the cache
// instead and writes it to standard output. stoa fills in the names of both files.

const fs = require('node:fs')
const vm = require('node:vm')

const file = __dirname + '/HOST_PROGRAM'
const text = `(function (exports, require, module, __filename, __dirname, importModule) { ${fs.readFileSync(file, 'utf8')}\n})`
let cachedData
try {
  cachedData = fs.readFileSync(__dirname + '/CODE_CACHE')
} catch {
  // Not made yet.
}
const script = new vm.Script(text, { filename: file, cachedData })
const host = { exports: {} }
script.runInThisContext()(host.exports, require, host, file, __dirname, (url) => import(url))

if (process.env.STOA_WARM) {
  host.exports.warm().then(() => { fs.writeFileSync(1, script.createCachedData()) })
}

'use strict'

const os = require('node:os')

// explain returns what an error does not say about stoa, as a sentence that begins with a
// space, or ''.
function explain (err) {
  return denied(err)
}

// denied explains what the permission flags refuse. Node.js says only that it did.
function denied (err) {
  if (err?.code !== 'ERR_ACCESS_DENIED') return ''
  if (err.permission === 'FileSystemWrite') {
    return process.permission?.has('fs.write', os.tmpdir())
      ? ` Plugins write only below os.tmpdir(), which is ${os.tmpdir()}.`
      : ' Plugins write no files on this machine, which cannot bound a folder for them.'
  }
  if (err.permission === 'FileSystemRead') return ' Plugins read only files of their own package, and below os.tmpdir().'
  return ''
}

module.exports = { explain }

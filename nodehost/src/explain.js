'use strict'

const os = require('node:os')

// explained returns a text about an error, with what the error does not say about stoa.
function explained (text, err) {
  const why = explain(err)
  // stoa keeps 1 KiB of a message.
  return why ? `${clipped(text).replace(/[.\s]*$/, '')}.${why}` : text
}

function clipped (text) {
  return text.length > 500 ? `${text.slice(0, 500)}…` : text
}

// explain returns that as sentences, each after a space.
function explain (err) {
  return native(err) || denied(err)
}

// What is said by Node.js, bindings, node-gyp-build, napi-rs and sharp when they find no
// compiled code, or may not load it.
const noNative = new RegExp([
  'could not find module root given file', 'could not locate the bindings file', 'no native build was found',
  'process\\.dlopen \\([^)]*\\) is not available', 'cannot find native binding', 'failed to load native binding',
  'could not load the "sharp" module', "cannot find module '[^']*\\.node'",
  "cannot find (?:module|package) '[^']*-(?:linux|linuxmusl|darwin|win32|android|freebsd)-[^']*'"
].join('|'), 'i')

// inLoader matches an error in a loader itself, which looks at files that plugins do not
// see. Older versions of Node.js throw even when it asks whether they exist.
const inLoader = /^ +at .*node_modules\/(?:bindings|node-gyp-build|@mapbox\/node-pre-gyp)\//m

// native explains that a package needs compiled code. What its loader says, such as
// "Could not find module root given file", looks like a file that could be added.
function native (err) {
  const texts = [err, err?.cause].map((e) => String(e?.message ?? ''))
  const stack = String(err?.stack ?? '')
  const codes = ['ERR_DLOPEN_DISABLED', 'ERR_DLOPEN_FAILED']
  if (!texts.some((text) => noNative.test(text)) && !codes.includes(err?.code) && !inLoader.test(stack)) return ''
  const name = nativeName(texts.join('\n'), stack)
  return ` This is a native module${name && ` (${name})`}, and plugins run no compiled code: use a package that is ` +
    'JavaScript alone, or run the plugin as a service of its own (external-http).'
}

// nativeName returns which module that is, as far as the error or the bundle tells.
function nativeName (text, stack) {
  const platform = /'((?:@[^'/]+\/)?[^'/]+-(?:linux|linuxmusl|darwin|win32|android|freebsd)-[^'/]*)'/.exec(text)
  const file = /[\w-][\w.-]*\.node\b/.exec(text)
  return platform?.[1] ?? file?.[0] ?? bundledName(stack) ?? ''
}

const loaders = ['bindings', 'node-gyp-build', 'node-gyp-build-optional-packages', 'file-uri-to-path', '@mapbox/node-pre-gyp']

// bundledName finds the package in whose code the error came up: esbuild names the
// function of a module after its file.
function bundledName (stack) {
  for (const [, name] of stack.matchAll(/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//g)) {
    if (!loaders.includes(name)) return name
  }
  return undefined
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

module.exports = { explained }

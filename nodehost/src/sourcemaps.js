'use strict'

const fs = require('node:fs')
const { SourceMap } = require('node:module')
const path = require('node:path')
const { fileURLToPath } = require('node:url')
const { getHeapStatistics } = require('node:v8')

// Maps larger than this are not read: one of 3 MiB takes a fifth of a second, once.
const maxMap = 8 << 20

// What a map takes of the heap, for each of its bytes.
const heapOfByte = 12

const marker = '//# sourceMappingURL='

const maps = new Map() // by file: { map, folder }, or null for a file without one

// originalOf returns the place in the author's files that a place in a bundle was made of, as
// { file, line, column } with file absolute, or undefined without a source map. Maps are read
// when the first error needs them, so that a start costs nothing. Node.js's own option would
// parse them at the start, and slow down every error.
function originalOf (file, line, column, root) {
  const known = mapOf(file)
  const entry = known?.map.findEntry(line - 1, (column ?? 1) - 1)
  if (entry?.originalSource === undefined) return undefined
  const source = pathOf(entry.originalSource, known, root)
  return source && { file: source, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
}

function mapOf (file) {
  if (!maps.has(file)) maps.set(file, readMap(file))
  return maps.get(file)
}

function readMap (file) {
  try {
    const text = fs.readFileSync(file, 'utf8')
    const at = text.lastIndexOf(marker)
    if (at < 0) return null
    const url = text.slice(at + marker.length).split('\n', 1)[0].trim()
    const inline = /^data:application\/json[^,]*;base64,/.exec(url)
    const source = inline
      ? Buffer.from(url.slice(inline[0].length), 'base64').toString()
      : readFile(path.resolve(path.dirname(file), decodeURI(url)))
    if (!fits(source.length)) return null
    const payload = JSON.parse(source)
    return { map: new SourceMap(payload), folder: path.resolve(path.dirname(file), payload.sourceRoot ?? '') }
  } catch {
    return null // a map that cannot be read is none
  }
}

function readFile (file) {
  return fits(fs.statSync(file).size) ? fs.readFileSync(file, 'utf8') : ''
}

// fits reports whether a map can be read without taking the heap that the plugin needs.
function fits (bytes) {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics()
  return bytes <= maxMap && bytes * heapOfByte < (limit - used) / 2
}

// pathOf returns the path of a source, which bundlers name in several ways.
function pathOf (source, { folder }, root) {
  if (source.startsWith('file:')) return fileURLToPath(source)
  const packed = /^webpack:\/\/[^/]*\/(.*)$/.exec(source)
  if (packed) return path.resolve(root, packed[1])
  return /^[a-z]+:/.test(source) ? undefined : path.resolve(folder, source)
}

module.exports = { originalOf }

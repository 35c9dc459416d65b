'use strict'

const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')
const { fileURLToPath } = require('node:url')
const { originalOf } = require('./sourcemaps')

// positionOf returns where in the package at the folder root an error comes from,
// as { file, line, column }, with file relative to root, or undefined. line and
// column may be missing. In a bundle with a source map it is the author's file, and the
// error's stack is changed to name the author's files, too.
function positionOf (err, root, entry) {
  const known = positions.get(err)
  if (known !== undefined) return known
  const stack = String(err?.stack ?? '')
  const at = firstFrame(stack, root) ?? missingImport(err, root) ?? deniedImport(err, root, entry) ?? syntaxError(err, root, entry)
  if (at === undefined || err === null || typeof err !== 'object') return at
  positions.set(err, at)
  try {
    const mapped = inSources(stack, root)
    if (mapped !== stack) err.stack = mapped
  } catch {
    // frozen
  }
  return at
}

// positions remembers errors whose stack was changed.
const positions = new WeakMap()

// firstFrame finds the first place inside root that a stack names: a frame, or
// the head that Node.js puts before a syntax error ("path:line").
function firstFrame (stack, root) {
  for (const line of stack.split('\n')) {
    const frame = frameOf(line, root)
    if (frame === undefined) continue
    const { file, line: number, column } = originalOf(frame.path, frame.line, frame.column, root) ??
      { file: frame.path, line: frame.line, column: frame.column }
    return { file: path.relative(root, file), line: number, ...(column !== undefined && { column }) }
  }
  return undefined
}

// frameOf returns the place inside root that a line of a stack names, with the text that
// names it.
function frameOf (line, root) {
  const match = /(?:^|[\s(])((?:file:\/\/)?\/[^():]*(?:\([^()]*\)[^():]*)*):(\d+)(?::(\d+))?\)?$/.exec(line)
  const file = match && inside(match[1], root)
  if (!file) return undefined
  const column = match[3] && Number(match[3])
  return { path: path.join(root, file), line: Number(match[2]), column, text: match[0].replace(/^[\s(]/, '').replace(/\)$/, '') }
}

// inSources returns a stack with the author's files instead of the bundle's: those of the
// package by their path, and others, which were not packaged, relative to it.
function inSources (stack, root) {
  return stack.split('\n').map((line) => {
    const frame = frameOf(line, root)
    const at = frame && originalOf(frame.path, frame.line, frame.column, root)
    if (!at) return line
    const file = inside(at.file, root) === undefined ? path.relative(root, at.file) : at.file
    return line.replace(frame.text, () => `${file}:${at.line}:${at.column}`)
  }).join('\n')
}

// missingImport finds the import statement of a module that does not exist.
function missingImport (err, root) {
  const match = /^Cannot find (?:module|package) '([^']+)' imported from (.+)$/m.exec(String(err?.message))
  const file = match && inside(match[2], root)
  return file ? importOf(path.basename(match[1]), file, root) : undefined
}

// deniedImport is missingImport for older versions of Node.js, which look for a
// module where they may not, and say only that.
function deniedImport (err, root, entry) {
  const match = err?.code === 'ERR_ACCESS_DENIED' && /\/node_modules\/(.+?)(?:\/package\.json)?$/.exec(String(err.resource))
  return match ? importOf(match[1], path.relative(root, entry), root) : undefined
}

function importOf (name, file, root) {
  const at = read(path.join(root, file)).split('\n').findIndex((line) => /\b(?:import|from)\b/.test(line) && line.includes(name))
  return at < 0 ? { file } : { file, line: at + 1 }
}

// syntaxError finds the line of a syntax error in an ES module, which Node.js does
// not tell: it compiles the modules that entry leads to once more, as functions.
function syntaxError (err, root, entry) {
  if (!(err instanceof SyntaxError)) return undefined
  const seen = new Set()
  const todo = [entry]
  while (todo.length > 0 && seen.size < 200) {
    const file = todo.pop()
    if (seen.has(file)) continue
    seen.add(file)
    const source = read(file)
    const line = failingLine(source, file, err.message)
    if (line !== undefined) return { file: path.relative(root, file), line }
    for (const [, specifier] of source.matchAll(/(?:\bfrom|\bimport)\s*['"](\.[^'"]+)['"]/g)) {
      todo.push(path.resolve(path.dirname(file), specifier))
    }
  }
  return undefined
}

function failingLine (source, filename, message) {
  try {
    new vm.Script(`(async function () { 'use strict'; ${withoutModuleSyntax(source)}\n})`, { filename }) // eslint-disable-line no-new
  } catch (err) {
    const head = String(err.stack).split('\n', 1)[0]
    if (err.message === message && head.startsWith(`${filename}:`)) return Number(head.slice(filename.length + 1))
  }
  return undefined
}

// withoutModuleSyntax takes import and export statements out and leaves every
// other line where it is.
function withoutModuleSyntax (source) {
  const blank = (text) => text.replace(/[^\n]/g, ' ')
  return source
    .replace(/^[ \t]*import\b(?!\s*[.(])[^'"]*['"][^'"\n]*['"]/gm, blank)
    .replace(/^[ \t]*export\s*(?:\*[^'"]*['"][^'"\n]*['"]|\{[^}]*\}(?:\s*from\s*['"][^'"\n]*['"])?)/gm, blank)
    .replace(/^([ \t]*)export\s+default\b/gm, '$1void')
    .replace(/^([ \t]*)export\s+(?=(?:const|let|var|async|function|class)\b)/gm, '$1')
}

// inside returns a path or file: URL relative to root, or undefined for one
// elsewhere and for what others wrote.
function inside (name, root) {
  let file = name
  if (name.startsWith('file:')) {
    try {
      file = fileURLToPath(name)
    } catch {
      return undefined
    }
  }
  const relative = path.relative(root, file)
  return relative === '' || relative.startsWith('..') || path.isAbsolute(relative) ? undefined : relative
}

function read (file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

module.exports = { positionOf }

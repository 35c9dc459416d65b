'use strict'

const { IncomingMessage } = require('node:http')

// Plugins may replace what is global.
const Compile = Function

// The most lists of names that are kept, and the longest of them. Requests with others
// go Node.js's own way.
const maxShapes = 64
const maxNames = 64

// requestWithout returns the class of requests whose headers lack the one called hidden
// (in lower case).
//
// stoa sends more than twenty headers. Node.js adds them to an object one by one, which is
// as much work as all the rest of a small call. Most requests have the names of an earlier
// one, in the same order: for these an object literal is compiled, once.
function requestWithout (hidden) {
  const shapes = []

  function literalFor (raw) {
    for (let i = 0; i < shapes.length; i++) if (fits(shapes[i].names, raw)) return shapes[i].literal
    if (shapes.length === maxShapes || raw.length > 2 * maxNames) return undefined
    const names = raw.filter((_, i) => i % 2 === 0)
    const literal = compile(names.map((name) => name.toLowerCase()), hidden)
    if (literal !== undefined) shapes.push({ names, literal })
    return literal
  }

  return class Request extends IncomingMessage {
    #headers

    get headers () {
      this.#headers ??= literalFor(this.rawHeaders)?.(this.rawHeaders) ?? super.headers
      return this.#headers
    }

    set headers (headers) {
      this.#headers = headers
    }
  }
}

function fits (names, raw) {
  if (names.length * 2 !== raw.length) return false
  for (let i = 0; i < names.length; i++) if (names[i] !== raw[2 * i]) return false
  return true
}

// compile returns a function that makes the headers with these names out of rawHeaders, or
// undefined if Node.js does more than to copy them: it joins those of one name, and makes a
// list of cookies.
function compile (names, hidden) {
  if (new Set(names).size < names.length || names.includes('set-cookie')) return undefined
  const fields = names.map((name, i) => name === hidden ? '' : `${JSON.stringify(name)}: raw[${2 * i + 1}],`)
  return new Compile('raw', `return { ${fields.join(' ')} }`)
}

module.exports = { requestWithout }

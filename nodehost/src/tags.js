'use strict'

// What several instances print goes into one pipe. A line of an instance begins with
// its name between these two bytes; the third instead of the second says that it
// prints nothing any more (internal/run/node/tagged.go).
const begin = '\u0001'
const then = '\u0002'
const last = '\u0003'

// longest bounds what is kept of a line that has not ended.
const longest = 8 << 10

// tagOutput marks what is printed on behalf of an instance. current is an
// AsyncLocalStorage of instances; what belongs to none of them stays as it is.
function tagOutput (current) {
  const plain = [process.stdout, process.stderr].map((stream, i) => {
    const write = stream.write.bind(stream)
    stream.write = (chunk, encoding, done) => {
      const member = current.getStore()
      if (member === undefined) return write(chunk, encoding, done)
      tagged(member, i, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString())
      const called = typeof encoding === 'function' ? encoding : done
      if (called) process.nextTick(called)
      return true
    }
    return write
  })

  function tagged (member, i, text) {
    const lines = (member.partial[i] + text).split('\n')
    member.partial[i] = lines.pop().slice(0, longest)
    if (lines.length > 0) plain[i](lines.map((line) => begin + member.name + then + line + '\n').join(''))
  }

  return {
    // write prints a line of an instance, whoever is running.
    write: (member, line) => { plain[1](begin + member.name + then + line) },
    end: (member) => {
      for (const i of [0, 1]) if (member.partial[i] !== '') tagged(member, i, '\n')
      plain[1](begin + member.name + last + '\n')
    }
  }
}

module.exports = { tagOutput }

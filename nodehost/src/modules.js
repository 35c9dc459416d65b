'use strict'

// The modules that plugins may import without packaging them. For each, stoa writes
// a small package into a node_modules folder above the plugins
// (internal/run/node/shims.go). These packages take the module from here, so that
// a plugin and the host share one Fastify.
function provideModules () {
  Object.defineProperty(globalThis, Symbol.for('stoa.modules'), {
    value: Object.freeze({
      fastify: require('fastify'),
      'fastify-plugin': require('fastify-plugin')
    })
  })
}

module.exports = { provideModules }

'use strict'

// The modules that plugins may import without bringing them. stoa writes a small
// package for each into a node_modules folder above the plugins
// (internal/runtime/node/shims.go); they take the module from here, so that a
// plugin and the host share one Fastify.
function provideModules () {
  Object.defineProperty(globalThis, Symbol.for('stoa.modules'), {
    value: Object.freeze({
      fastify: require('fastify'),
      'fastify-plugin': require('fastify-plugin')
    })
  })
}

module.exports = { provideModules }

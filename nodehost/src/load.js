'use strict'

const { pathToFileURL } = require('node:url')

// The names under which an entry module may export its plugin function, in the
// order tried (documented for plugin authors).
const names = ['default', 'plugin', 'fastifyPlugin', 'register']

// load imports the module at the absolute path entry. import() loads ES modules and
// CommonJS alike.
async function load (entry) {
  // boot.cjs passes import() in: code that comes out of V8's cache has lost its own
  // in Node.js 20.
  return importModule(pathToFileURL(entry).href) // eslint-disable-line no-undef
}

// pluginOf returns the plugin function of a module.
function pluginOf (module) {
  const plugin = findPlugin(module) ?? onlyFunction(module)
  if (plugin === undefined) {
    throw new Error(`The entry module exports no plugin function. Export it as one of: ${names.join(', ')}. ` +
      `It exports: ${Object.keys(module).join(', ') || 'nothing'}.`)
  }
  return plugin
}

// findPlugin also looks into nested defaults: import() returns the module.exports of
// CommonJS as the default, and TypeScript puts its own default inside that.
function findPlugin (exported, depth = 0) {
  if (typeof exported === 'function') return exported
  if (exported === null || typeof exported !== 'object' || depth > 2) return undefined
  for (const name of names) {
    const found = findPlugin(exported[name], depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

// onlyFunction returns the one function that a module exports, whatever its name.
// Lifecycle hooks are not plugin functions.
function onlyFunction (module) {
  const exported = typeof module.default === 'object' ? { ...module, ...module.default } : module
  const found = Object.keys(exported)
    .filter((name) => typeof exported[name] === 'function' && !name.startsWith('__lifecycle_'))
  return found.length === 1 ? exported[found[0]] : undefined
}

// withConfig returns a plugin function that gets config as its options, whatever
// it is registered with. Fastify acts on some options itself (prefix, logLevel,
// logSerializers), and in a config these are keys like any other. To Fastify, the
// result is the plugin function itself: its length, its name, and what
// fastify-plugin has written on it.
function withConfig (plugin, config) {
  return new Proxy(plugin, {
    apply: (target, self, [scope, , ...rest]) => Reflect.apply(target, self, [scope, config, ...rest])
  })
}

module.exports = { load, pluginOf, withConfig }

package node

import (
	"encoding/json"
	"net/http"
	"testing"
)

// TestConfigIsThePluginsAlone: prefix, logLevel and the like are ordinary config
// keys, however the plugin is written.
func TestConfigIsThePluginsAlone(t *testing.T) {
	t.Parallel()
	const (
		config = `{"prefix":"/api","logLevel":"silent","logSerializers":{"a":1},"name":"n","timeout":1,"greeting":"hi"}`
		body   = `app.decorate('mine', true); app.get('/api/options', async () => opts)`
	)
	f := newFixture(t)
	for slug, text := range map[string]string{
		"async":        "module.exports = async function (app, opts) { " + body + " }",
		"callback":     "module.exports = function (app, opts, done) { " + body + "; setImmediate(done) }",
		"encapsulated": "module.exports = async (app, opts) => { app.register(async (app) => { " + body + " }) }",
		"fastify-plugin": "module.exports = require('fastify-plugin')(async function (app, opts) { " + body +
			" }, { name: 'x', fastify: '5.x' })",
		"named": "exports.whateverItIsCalled = async function (app, opts) { " + body +
			" }\nexports.__lifecycle_onEnable = () => {}\nexports.version = '1'",
		"named-module": "export const shipping = async (app, opts) => { " + body + " }\nexport const VERSION = 1",
		"bound":        "async function plugin (app, opts) { " + body + " }\nmodule.exports = plugin.bind(null)",
	} {
		in := f.install(t, slug, files{"index.js": text})
		in.Instance.Config = json.RawMessage(config)
		if got := f.get(t, in, "/api/options"); got != config {
			t.Errorf("%s: got %s, want the config", slug, got)
		}
	}
}

func TestFastifyPluginsKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "skips-override", files{"index.js": `
	const fp = require('fastify-plugin')
	module.exports = fp(async (app, opts) => {
	  app.register(fp(async (app) => { app.decorate('base', 1) }, { name: 'base' }))
	  app.register(fp(async (app) => { app.get('/api/base', async () => app.base) }, { name: 'needs', dependencies: ['base'], decorators: { fastify: ['base'] } }))
	  app.register(async (app) => { app.decorate('hidden', 1) })
	  app.get('/api/hidden', async () => ({ hidden: app.hasDecorator('hidden'), root: Object.getPrototypeOf(Object.getPrototypeOf(app)) === Object.prototype || Object.getPrototypeOf(app) === Object.prototype }))
	}, { name: 'outer' })`})
	if got := f.get(t, in, "/api/base"); got != "1" {
		t.Errorf("a dependency that skips its override: got %s", got)
	}
	if got := f.get(t, in, "/api/hidden"); got != `{"hidden":false,"root":true}` {
		t.Errorf("got %s: the plugin must be registered on the root, and what it registers is encapsulated", got)
	}
	missing := f.install(t, "lacks-dependency", files{"index.js": `
	module.exports = require('fastify-plugin')(async () => {}, { name: 'x', dependencies: ['absent'] })`})
	if _, _, err := f.do(t, missing, http.MethodGet, "/health", ""); reasonOf(t, err) != reasonLoadFailed {
		t.Errorf("a dependency that is not there: got %v", err)
	}
}

package node

import (
	"testing"

	"stoa/internal/testkit/nodetest"
)

// A start loads no TLS and no HTTP/2, which would be a tenth of it. A plugin that makes a server of
// its own with them has them.
func TestAStartLoadsOnlyWhatItUses(t *testing.T) {
	t.Parallel()
	nodetest.Each(t, func(t *testing.T, path string) {
		t.Helper()
		f := newFixture(t, onNode(path))
		in := f.install(t, "lean", withRoutes(`
			const { fastify } = require('fastify')
			const loaded = () => ['tls', 'http2', 'https']
			  .filter((name) => process.moduleLoadList.includes('NativeModule ' + name))
			app.get('/api/x', async () => {
				const before = loaded()
				await fastify({ http2: true }).ready()
				await fastify({ https: {} }).ready()
				return [before, loaded()]
			})`))
		want := `[[],["tls","http2","https"]]`
		if got := f.get(t, in, "/api/x"); got != want {
			t.Errorf("loaded are %s, want %s", got, want)
		}
	})
}

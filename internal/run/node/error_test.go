package node

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/nodetest"
	"stoa/internal/testkit/waittest"
)

// TestErrorsAreForTheAuthor: an exception in a handler is logged with its stack and
// position; the shopper sees its message only in development.
func TestErrorsAreForTheAuthor(t *testing.T) {
	t.Parallel()
	text := `'use strict'
	module.exports = async function (app) {
	  app.get('/api/throw', async () => {
	    throw new Error('the password is swordfish')
	  })
	  app.get('/api/sync', () => {
	    null.x
	  })
	  app.get('/api/string', async () => { throw 'a mere string' })
	  app.get('/api/busy', async () => { throw Object.assign(new Error('internals'), { statusCode: 503, headers: { 'retry-after': '7' } }) })
	  app.get('/api/told', async () => { throw Object.assign(new Error('for all to know'), { statusCode: 502, expose: true }) })
	  app.get('/api/teapot', async () => { throw Object.assign(new Error('short and stout'), { statusCode: 418 }) })
	  app.register(async (app) => {
	    app.setErrorHandler(async (error, request, reply) => reply.code(500).send({ mine: error.message }))
	    app.get('/api/own', async () => { throw new Error('own words') })
	  })
	  app.register(async (app) => {
	    app.setErrorHandler((error) => { throw new Error('worse than ' + error.message) })
	    app.get('/api/worse', async () => { throw new Error('bad') })
	  })
	}`
	tests := []struct {
		target              string
		status              int
		hidden, development string // what is in the answer
		logged              string
	}{
		{"/api/throw", 500, `"message":"Internal Server Error"`, "swordfish", "index.js line=4"},
		{"/api/sync", 500, `"message":"Internal Server Error"`, "null", "index.js line=7"},
		{"/api/string", 500, "Internal Server Error", "", "a mere string"},
		{"/api/busy", 503, `"message":"Service Unavailable"`, "internals", "internals"},
		{"/api/told", 502, "for all to know", "for all to know", "for all to know"},
		{"/api/teapot", 418, "short and stout", "short and stout", ""},
		{"/api/own", 500, `{"mine":"own words"}`, `{"mine":"own words"}`, ""},
		{"/api/worse", 500, `"message":"Internal Server Error"`, "worse than bad", "worse than bad"},
	}
	nodetest.Each(t, func(t *testing.T, path string) {
		for _, development := range []bool{false, true} {
			log := new(logtest.Buffer)
			f := newFixture(t, onNode(path), func(c *options) { c.Log, c.Development = log.Logger(), development })
			in := f.install(t, "throwing", files{"index.js": text})
			for _, tt := range tests {
				status, body, err := f.do(t, in, http.MethodGet, tt.target, "")
				want := tt.hidden
				if development {
					want = tt.development
				}
				if err != nil || status != tt.status || !strings.Contains(body, want) {
					t.Errorf("development %t, %s: got %d %s, %v; want %d with %s", development, tt.target, status, body, err,
						tt.status, want)
				}
				if !development && strings.Contains(body, "swordfish") {
					t.Errorf("%s: the shopper was told: %s", tt.target, body)
				}
			}
			p := f.installation(in.Instance.ID).peek()
			f.Stop(in.Instance.ID)
			<-p.done
			for _, tt := range tests {
				if !strings.Contains(log.String(), tt.logged) {
					t.Errorf("%s: %q is not in the log:\n%s", tt.target, tt.logged, log)
				}
			}
			if strings.Contains(log.String(), "FSTWRN") {
				t.Errorf("Fastify warns:\n%s", log)
			}
		}
	})
}

func TestAPluginMaySetTheErrorHandlerOfTheRoot(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	f := newFixture(t, func(c *options) { c.Log = log.Logger() })
	in := f.install(t, "own-errors", files{"index.js": `module.exports = require('fastify-plugin')(async (app) => {
	  app.setErrorHandler((error, request, reply) => reply.code(400).send({ mine: error.message }))
	  app.get('/api/x', async () => { throw new Error('x') })
	})`})
	if status, body, err := f.do(t, in, http.MethodGet, "/api/x", ""); status != 400 || body != `{"mine":"x"}` ||
		err != nil {
		t.Errorf("got %d %s, %v", status, body, err)
	}
	p := f.installation(in.Instance.ID).peek()
	f.Stop(in.Instance.ID)
	<-p.done
	if strings.Contains(log.String(), "FSTWRN") {
		t.Errorf("Fastify warns:\n%s", log)
	}
}

// TestARequestIsNeverSentTwice: one during which the process died gets a 502,
// whatever its method and whether its connection was new.
func TestARequestIsNeverSentTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "suicidal", files{"index.js": `
	const seen = []
	module.exports = async (app) => {
	  app.all('/api/die', (req) => { req.log.info('asked to die'); process.abort() })
	}`})
	for round, method := range []string{
		http.MethodGet, http.MethodGet, http.MethodHead, http.MethodOptions,
		http.MethodPost,
	} {
		f.forgive(in)
		if round > 0 {
			f.get(t, in, "/health") // the connection is an old one then
		}
		if _, _, err := f.do(t, in, method, "/api/die", ""); reasonOf(t, err) != reasonCrashed {
			t.Errorf("%s: got %v", method, err)
		}
		if count := f.failureCount(in); count != 1 {
			t.Errorf("round %d, %s: %d processes died of one request", round, method, count)
		}
	}
}

func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	told := make(chan plugin.Failure, 10)
	var ids atomic.Value
	f := newFixture(t, func(c *options) {
		c.Failed = func(_ context.Context, in plugin.Installed, f plugin.Failure) {
			ids.Store(in.Instance.ID)
			told <- f
		}
	})
	in := f.install(t, "telling", withRoutes(pidRoute))
	f.do(t, in, http.MethodPost, "/api/crash", "{}")
	got := waittest.Next(t, "the notice of the failure", told)
	if got.Message != "Error: out of the blue" || got.File != "index.js" || got.Line != 4 ||
		ids.Load() != in.Instance.ID {
		t.Errorf("got %+v of %v", got, ids.Load())
	}
	if st := f.RuntimeStatus(in.Instance.ID); st.State != plugin.StateFailing ||
		fmt.Sprint(st.LastError) != fmt.Sprint(got) {
		t.Errorf("status %+v, want the failure %+v", st, got)
	}
}

package node

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/extension/config"
	"stoa/internal/testkit/logtest"
)

// jwt has the form of a platform token.
const jwt = "eyJhbGciOiJFZERTQSIsInR5cCI6InB0K2p3dCJ9." +
	"eyJhdWQiOiJzdG9hOnBsdWdpbiIsImV4cCI6MX0.c2lnbmF0dXJlLXNpZ25hdHVyZQ-_x"

// A careless plugin logs the headers of a request, which carry its config and a
// live token.
func TestContextHeadersDoNotReachTheLog(t *testing.T) {
	t.Parallel()
	log := new(logtest.Buffer)
	f := newFixture(t, func(c *options) { c.Log = log.Logger() })
	in := f.install(t, "talkative", withRoutes(`app.get('/api/x', async (req) => {
	  console.log(JSON.stringify(req.headers))
	  console.log(req.headers['x-platform-token'], req.headers['x-plugin-config'])
	  app.log.info({ headers: req.headers }, 'called with ' + req.headers['x-platform-token'])
	  app.log.error(new Error('bad config ' + req.headers['x-plugin-config']))
	  app.log.info('the last line')
	  return {}
	})`))
	in.Instance.Config = []byte(`{"1st": "s3cret-value", "region": "eu-north"}`)
	in.Package.Manifest.ConfigSchema = config.Schema{"1st": {Type: "secret", Secret: true}}
	header := base64.RawURLEncoding.EncodeToString([]byte(`{"1st":"s3cret-value","region":"eu-north"}`))

	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/x", nil)
	r.Header.Set("X-Platform-Token", jwt)
	r.Header.Set("X-Plugin-Config", header)
	if err := f.Serve(httptest.NewRecorder(), r, &in); err != nil {
		t.Fatal(err)
	}
	inst := f.installation(in.Instance.ID)
	p := inst.peek()
	f.Stop(in.Instance.ID)
	<-p.done // with it, all of its output is in the log
	text := log.String()
	if !strings.Contains(text, "the last line") {
		t.Fatalf("the log is not complete: %s", text)
	}
	for _, leak := range []string{
		header[:12], header[len(header)-12:], jwt[:12], jwt[len(jwt)-12:], jwt[45:57], "s3cret-value",
	} {
		if strings.Contains(text, leak) {
			t.Errorf("%q is in the log: %s", leak, text)
		}
	}
}

package node

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/extension/config"
)

// jwt has the form of a platform token.
const jwt = "eyJhbGciOiJFZERTQSIsInR5cCI6InB0K2p3dCJ9." +
	"eyJhdWQiOiJzdG9hOnBsdWdpbiIsImV4cCI6MX0.c2lnbmF0dXJlLXNpZ25hdHVyZQ-_x"

func TestRedactorFindsSecretsInEveryForm(t *testing.T) {
	t.Parallel()
	const secret = "s3cr\"t\n>>??"
	redact := redactor([]string{"s3cr\"t", secret, "other-value"})
	std, url := base64.StdEncoding, base64.URLEncoding
	for name, text := range map[string]string{
		"as it is":                 "key " + secret + " end",
		"in JSON":                  `{"key":"s3cr\"t\n>>??","x":1}`,
		"in base64":                std.EncodeToString([]byte(secret)),
		"in base64url":             url.EncodeToString([]byte(secret)),
		"of a user, in base64":     "Basic " + std.EncodeToString([]byte("me:"+secret)),
		"amid a text, in base64":   std.EncodeToString([]byte("a " + secret + " b")),
		"amid a text, base64url":   url.EncodeToString([]byte("key=" + secret + "&x")),
		"a token":                  "token " + jwt + ", end",
		"a token that was cut off": "token " + jwt[:60],
		"another secret":           "other-value",
	} {
		got := redact(text)
		for _, leak := range []string{"s3cr", "??", "other", std.EncodeToString([]byte(secret))[:6], "eyJ", "cy1zaWdu"} {
			if strings.Contains(got, leak) {
				t.Errorf("%s: %q became %q", name, text, got)
			}
		}
		if !strings.Contains(got, redacted) {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
}

func TestRedactorLeavesOrdinaryTextAlone(t *testing.T) {
	t.Parallel()
	for _, secrets := range [][]string{nil, {"s3cret-value"}} {
		for _, text := range []string{
			"", "ready", "eyJ is how a JWT begins", "at Object.<anonymous> (/x/index.js:3:9)", `{"a":"keyJack"}`,
		} {
			if got := redactor(secrets)(text); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

// A careless plugin logs the headers of a request, which carry its config and a
// live token.
func TestContextHeadersDoNotReachTheLog(t *testing.T) {
	t.Parallel()
	log := newLog()
	f := newFixture(t, func(c *Config) { c.Log = log.logger() })
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

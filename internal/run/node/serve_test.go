package node

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stoa/internal/run"
	"stoa/internal/testkit/waittest"
)

func TestConfigArrivesAsOptions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "options", withRoutes(`app.get('/api/x', async () => opts)`))
	in.Instance.Config = json.RawMessage(`{"a":{"b":[1,"zwei",null]},"key":"s3cret-value"}`)
	if got := f.get(t, in, "/api/x"); got != `{"a":{"b":[1,"zwei",null]},"key":"s3cret-value"}` {
		t.Errorf("got %s", got)
	}
	none := f.install(t, "no-options", withRoutes(`app.get('/api/x', async () => opts)`))
	if got := f.get(t, none, "/api/x"); got != `{}` {
		t.Errorf("without config: got %s", got)
	}
}

func TestOwnHealthRouteIsKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "healthy", withRoutes(`app.get('/health', async () => ({ status: 'well' }))`))
	if got := f.get(t, in, "/health"); got != `{"status":"well"}` {
		t.Errorf("got %s", got)
	}
}

// TestThePluginSeesTheRequestAsItIs: "r.Header is exactly what the plugin is to
// see" (run.Runtime).
func TestThePluginSeesTheRequestAsItIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "mirror", withRoutes(`
	  app.get('/api/*', async (req) => ({ url: req.raw.url, headers: req.headers, id: req.id, ip: typeof req.ip }))`))

	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/a%2Fb?x=1;y=%zz&&z", nil)
	r.Header = http.Header{
		"X-User-Id": {""}, "X-Request-Id": {"req-1"}, "X-Forwarded-For": {"203.0.113.9"},
		"Connection": {"x-user-role"}, "X-User-Role": {"guest"}, "Keep-Alive": {"9"},
	}
	r.Host = "shop.example.com"
	w := httptest.NewRecorder()
	if err := f.Serve(w, r, &in); err != nil {
		t.Fatal(err)
	}
	var seen struct {
		URL     string
		ID      string
		Headers map[string]string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &seen); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if seen.URL != "/api/a%2Fb?x=1;y=%zz&&z" || seen.ID != "req-1" {
		t.Errorf("url %q, id %q", seen.URL, seen.ID)
	}
	want := map[string]string{
		"x-user-id": "", "x-request-id": "req-1", "x-forwarded-for": "203.0.113.9", "x-user-role": "guest",
		"host": "shop.example.com",
	}
	for name, value := range want {
		if got, there := seen.Headers[name]; !there || got != value {
			t.Errorf("%s: got %q (%t), want %q", name, got, there, value)
		}
		delete(seen.Headers, name)
	}
	delete(seen.Headers, "connection")
	if len(seen.Headers) > 0 {
		t.Errorf("added headers: %v", seen.Headers)
	}
}

func TestLongHeadersReachThePlugin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "long-header", withRoutes(`
	  app.get('/api/x', async (req) => ({ n: req.headers['x-long'].length }))`))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/x", nil)
	r.Header.Set("X-Long", strings.Repeat("a", 40<<10))
	w := httptest.NewRecorder()
	if err := f.Serve(w, r, &in); err != nil || w.Body.String() != `{"n":40960}` {
		t.Errorf("got %d %s, %v", w.Code, w.Body, err)
	}
}

func TestEventsArriveWhenTheyHappen(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "events", withRoutes(`
	  let release
	  app.get('/api/events', (req, reply) => {
	    reply.hijack()
	    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
	    reply.raw.write('data: 1\n\n')
	    release = () => reply.raw.end('data: 2\n\n')
	  })
	  app.post('/api/release', async () => { release(); return {} })`))
	srv := f.serve(t, in)

	res, err := srv.Client().Get(srv.URL + "/api/events")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	events := bufio.NewReader(res.Body)
	first, err := events.ReadString('\n')
	if err != nil || first != "data: 1\n" {
		t.Fatalf("first event: %q, %v", first, err)
	}
	// The second is sent only now: the first cannot have waited for the end.
	released, err := srv.Client().Post(srv.URL+"/api/release", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	released.Body.Close()
	rest, err := io.ReadAll(events)
	if err != nil || string(rest) != "\ndata: 2\n\n" {
		t.Errorf("rest: %q, %v", rest, err)
	}
}

func TestLargeBodiesPassByteForByte(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "echo", withRoutes(`
	  app.addContentTypeParser('*', (req, payload, done) => done(null, payload))
	  app.post('/api/echo', async (req, reply) => {
	    return reply.type('application/octet-stream').header('content-encoding', 'gzip').send(req.body)
	  })`))
	srv := f.serve(t, in)
	sent := make([]byte, 24<<20)
	rand.Read(sent)
	// Both with a length and chunked.
	for _, body := range []io.Reader{bytes.NewReader(sent), io.MultiReader(bytes.NewReader(sent))} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/api/echo", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-mine")
		req.Header.Set("Accept-Encoding", "gzip") // by hand: the client leaves the answer as it is
		res, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("status %d: %d bytes came back of %d, %v", res.StatusCode, len(got), len(sent), err)
		}
	}
}

func TestBodyLimitOfTheHost(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.BodyLimit = 1 << 20 })
	in := f.install(t, "limit", withRoutes(`app.post('/api/x', async (req) => ({ n: JSON.stringify(req.body).length }))`))
	at := `"` + strings.Repeat("a", 1<<20-2) + `"`
	if status, body, err := f.do(t, in, http.MethodPost, "/api/x", at); status != 200 || err != nil {
		t.Errorf("at the limit: %d %s %v", status, body, err)
	}
	status, body, err := f.do(t, in, http.MethodPost, "/api/x", at+" ")
	if status != http.StatusRequestEntityTooLarge || err != nil {
		t.Errorf("one beyond: %d %s %v", status, body, err)
	}
}

func TestABodyThatIsTooLargeIsNotThePluginsFault(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "limited", withRoutes(`app.post('/api/x', async () => ({}))`))
	spaces := strings.NewReader(strings.Repeat(" ", 200<<10))
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/x", spaces)
	r.Header.Set("Content-Type", "application/json") // without one, Fastify answers 415 before it reads
	w := httptest.NewRecorder()
	r.Body = http.MaxBytesReader(w, r.Body, 100<<10)
	var tooLarge *http.MaxBytesError
	if err := f.Serve(w, r, &in); !errors.As(err, &tooLarge) {
		t.Errorf("got %v, want a MaxBytesError", err)
	}
}

func TestAnAnswerThatDoesNotBeginIsATimeout(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(c *options) { c.FirstByte = time.Second })
	in := f.install(t, "slow", withRoutes(`app.all('/api/never', () => {})
	  app.get('/api/slow-body', (req, reply) => {
	    reply.hijack()
	    reply.raw.write('a')
	    setTimeout(() => reply.raw.end('b'), 1300)
	  })`))
	for _, body := range []string{"", "{}"} {
		_, _, err := f.do(t, in, http.MethodPost, "/api/never", body)
		if !errors.Is(err, run.ErrTimeout) {
			t.Errorf("body %q: got %v, want ErrTimeout", body, err)
		}
	}
	waittest.Until(t, "an answer that began in time", func() error { // which it may not, on a busy machine
		_, got, err := f.do(t, in, http.MethodGet, "/api/slow-body", "")
		if !errors.Is(err, run.ErrTimeout) && (err != nil || got != "ab") {
			t.Fatalf("got %q, %v", got, err)
		}
		return err
	})
}

func TestTheClientMayLeave(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "left", withRoutes(`app.get('/api/never', () => { app.log.info('called') })`))
	f.get(t, in, "/health")
	ctx, leave := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/never", nil)
	leave()
	if err := f.Serve(httptest.NewRecorder(), r, &in); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

func TestPluginErrorsAreThePluginsAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := f.install(t, "errors", withRoutes(`app.get('/api/throw', async () => { throw new Error('own words') })`))
	for target, want := range map[string]int{"/api/throw": 500, "/api/none": 404} {
		if status, _, err := f.do(t, in, http.MethodGet, target, ""); status != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", target, status, err, want)
		}
	}
}

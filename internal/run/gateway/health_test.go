package gateway_test

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/extension/config"
	"stoa/internal/extension/plugin"
)

// No answer to a probe can crash stoa or keep it waiting.
func TestHealthOfServices(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string // in the failure; empty: healthy
	}{
		"200": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"ok"}`) }, ""},
		"404": {http.NotFound, ""},
		"503 with a text": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no database", http.StatusServiceUnavailable)
		}, "503: no database"},
		"a redirect":  {http.RedirectHandler("/elsewhere", http.StatusFound).ServeHTTP, "302"},
		"a long text": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, strings.Repeat("x", 1<<20), 500) }, "500"},
		"an answer that breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, "broke off"},
		"no answer": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "GET /health"},
		"an answer without an end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, strings.Repeat("x", 1000))
				_ = http.NewResponseController(w).Flush()
			}
		}, ""}, // its status counts
		"an answer that does not begin": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "GET /health"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			k.answer = func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/base/health" || r.Header.Get("X-Platform-Signature") == "" || r.Header.Get("X-Caller") == "" {
					t.Errorf("asked %s with %v", r.URL, r.Header)
				}
				tt.answer(w, r)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if strings.Contains(name, "not begin") {
				time.AfterFunc(300*time.Millisecond, cancel)
			}
			f := k.Health(ctx, k.Runtimes[plugin.External], k.finder.list[0])
			switch {
			case tt.want == "" && !f.IsZero():
				t.Errorf("unhealthy: %+v", f)
			case tt.want != "" && (f.IsZero() || !strings.Contains(f.Message, tt.want) || len(f.Message) > 1000):
				t.Errorf("got %+v, want a failure with %q", f, tt.want)
			}
		})
	}
}

// A service in a network that is not allowed is not even connected to.
func TestProbesGoThroughTheGuard(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.finder.change(func(in *plugin.Installed) { in.Package.Manifest.ExternalBaseURL = "http://169.254.169.254/latest" })
	f := k.Health(t.Context(), k.Runtimes[plugin.External], k.finder.list[0])
	if !strings.Contains(f.Message, "169.254") || !strings.Contains(f.Message, "prohibited") {
		t.Errorf("got %+v, want the guard's refusal", f)
	}
	k.untouched(t)
}

// runtimeFunc is a run.Runtime.
type runtimeFunc func(w http.ResponseWriter, r *http.Request) error

func (f runtimeFunc) Serve(w http.ResponseWriter, r *http.Request, _ *plugin.Installed) error {
	return f(w, r)
}

// The last check is cut short when the time is over. What the plugin said before is why it is unhealthy.
func TestTheEndOfProbingDoesNotHideWhatThePluginSaid(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	in := k.finder.list[0]
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		f := k.Probe(t.Context(), runtimeFunc(func(w http.ResponseWriter, r *http.Request) error {
			if asked++; asked > 5 {
				<-r.Context().Done()
				return r.Context().Err()
			}
			http.Error(w, "no database", http.StatusServiceUnavailable)
			return nil
		}), in)
		if asked != 6 || !strings.Contains(f.Message, "503: no database") {
			t.Errorf("after %d checks: %q", asked, f.Message)
		}
		f = k.Probe(t.Context(), runtimeFunc(func(_ http.ResponseWriter, r *http.Request) error {
			<-r.Context().Done()
			return r.Context().Err()
		}), in)
		if !strings.Contains(f.Message, "deadline") {
			t.Errorf("a plugin that never answers: %q", f.Message)
		}
	})
}

// What a plugin says of its health is logged, stored and shown: without the secrets of its config.
func TestHealthTellsNoSecrets(t *testing.T) {
	t.Parallel()
	const key, value = "carrierKey", "sk_live_0123456789abcdefghijklmnop"
	for name, said := range map[string]string{
		"as it is":               `{"error":"carrier refused key ` + value + `"}`,
		"where the text is cut":  strings.Repeat("x", 190) + value,
		"in the config's header": base64.RawURLEncoding.EncodeToString([]byte(`{"` + key + `":"` + value + `"}`)),
		"often":                  strings.Repeat(value, 1000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			k.finder.change(func(in *plugin.Installed) {
				in.Package.Manifest.ConfigSchema = config.Schema{key: {Type: "secret"}}
				in.Instance.Config = []byte(`{"` + key + `":"` + value + `"}`)
			})
			k.answer = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, said, http.StatusInternalServerError) }
			f := k.Health(t.Context(), k.Runtimes[plugin.External], k.finder.list[0])
			if strings.Contains(f.Message, "sk_l") || strings.Contains(f.Message, "eyJ") || len(f.Message) > 300 ||
				!strings.Contains(f.Message, "500: ") || !strings.Contains(f.Message, "[secret]") {
				t.Errorf("failure = %q", f.Message)
			}
		})
	}
}

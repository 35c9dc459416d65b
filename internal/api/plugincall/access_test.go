package plugincall_test

import (
	"cmp"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/api/plugincall"
	"stoa/internal/app"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/operate/settings"
	"stoa/internal/run/gateway"
	"stoa/internal/run/traffic"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

// logged returns an option that keeps the log, as JSON, and says which calls are in it.
func logged(buf *logtest.Buffer, calls string) testkit.Option {
	return func(_ testing.TB, cfg *app.Config) {
		cfg.AccessLog = calls
		cfg.Log = slog.New(reqctx.LogHandler(slog.NewJSONHandler(buf, nil)))
	}
}

// accessRecords returns the records of calls in a log.
func accessRecords(tb testing.TB, log string) (records []map[string]any) {
	tb.Helper()
	for line := range strings.Lines(log) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			tb.Fatalf("%v: %s", err, line)
		}
		if record["msg"] == "plugin call" {
			records = append(records, record)
		}
	}
	return records
}

func TestEachCallHasARecord(t *testing.T) {
	t.Parallel()
	var buf logtest.Buffer
	e := testkit.New(t, logged(&buf, "all")).InstallEcho(t, nil)
	user := e.Register(t, "ada")
	res := e.Do(t, testkit.Request{
		Method: "POST", Path: testkit.EchoPath + "/api/a%2Fb?x=1", Token: user.Access,
		Header: http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}},
	})
	e.Do(t, testkit.Get("", "/api/v1/shop/plugins/nothing/api/x"))

	records := accessRecords(t, buf.String())
	if len(records) != 2 {
		t.Fatalf("%d records in\n%s", len(records), buf.String())
	}
	for name, want := range map[string]any{
		"level": "INFO", "requestId": res.Header.Get("X-Request-Id"), "traceId": "0af7651916cd43dd8448eb211c80319c",
		"caller": "shop", "slug": "echo", "installationId": e.ID, "method": "POST", "path": "/api/a%2Fb",
		"status": 200.0, "outcome": "ok", "bytes": float64(len(res.Body)),
	} {
		if records[0][name] != want {
			t.Errorf("%s is %v, want %v", name, records[0][name], want)
		}
	}
	for _, name := range []string{"totalMs", "platformMs", "pluginMs"} {
		if took, ok := records[0][name].(float64); !ok || took <= 0 {
			t.Errorf("%s is %v", name, records[0][name])
		}
	}
	if records[0]["userId"] == "" || records[1]["userId"] != "" {
		t.Errorf("users: %v, %v", records[0]["userId"], records[1]["userId"])
	}
	if got := records[1]; got["slug"] != "nothing" || got["status"] != 404.0 || got["outcome"] != "not_found" {
		t.Errorf("the refused call: %v", got)
	}
}

func TestNoSecretIsInTheAccessLog(t *testing.T) {
	t.Parallel()
	var buf logtest.Buffer
	e := testkit.New(t, logged(&buf, "all")).InstallEcho(t, map[string]any{
		"configSchema": map[string]any{"apiKey": map[string]any{"type": "secret"}},
	})
	res := e.Do(t, testkit.Patch(e.Admin.Access, "/api/v1/admin/plugins/echo/instances/"+e.ID,
		map[string]any{"config": map[string]any{"apiKey": "sesame-config"}, "enabled": true}))
	if res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	for _, path := range []string{testkit.EchoPath + "/api/x", "/api/v1/shop/plugins/nothing/api/x"} {
		e.Do(t, testkit.Request{
			Method: "POST", Path: path + "?token=sesame-query&sesame-name", Token: e.Admin.Access,
			Header: http.Header{
				"X-Api-Key": {"sesame-header"}, "Cookie": {"c=sesame-cookie"}, "Tracestate": {"a=sesame-state"},
			},
			Body: `{"password":"sesame-body"}`,
		})
	}
	r := e.Reached()
	if r == nil || len(accessRecords(t, buf.String())) != 2 {
		t.Fatal("the calls left no record")
	}
	log := buf.String()
	for _, secret := range []string{
		"sesame", e.Admin.Access, r.Header.Get("X-Platform-Token"), r.Header.Get("X-Platform-Signature"),
		r.Header.Get("X-Plugin-Config"),
	} {
		if secret == "" || strings.Contains(log, secret) {
			t.Errorf("the log has %q:\n%s", secret, log)
		}
	}
}

func TestNoTokenOfAPathIsInTheAccessLog(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/api/reset/3vYkq0dWm1Xc8Zr5Tb2n/form":        "/api/reset/…/form",
		"/api/orders/0b0e7d0e-54a1-4a5f-8a3f-5b1c6d7": "/api/orders/…",
		"/api/reset/3vYkq0dWm1Xc8Zr5Tb2":              "/api/reset/3vYkq0dWm1Xc8Zr5Tb2", // 19 bytes
		"/api/recommendations-of-the-week/7":          "/api/recommendations-of-the-week/7",
		"/a":                                          "/a",
		"/3vYkq0dWm1Xc8Zr5Tb2n":                       "/…",
	} {
		var buf logtest.Buffer
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://shop.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		plugincall.AccessLog{Log: slog.New(reqctx.LogHandler(slog.NewJSONHandler(&buf, nil)))}.Record(r, gateway.Ended{Path: path})
		if got := accessRecords(t, buf.String()); len(got) != 1 || got[0]["path"] != want {
			t.Errorf("%s is logged as %v, want %s", path, got, want)
		}
	}
}

func TestTheAccessLogCanBeReduced(t *testing.T) {
	t.Parallel()
	for calls, want := range map[string]int{"all": 3, "failures": 1, "off": 0} {
		var buf logtest.Buffer
		e := testkit.New(t, logged(&buf, calls)).InstallEcho(t, nil)
		away := testkit.PluginArchive(t, testkit.ExternalManifest("away", "http://127.0.0.1:9"), nil)
		if res := e.Install(t, e.Admin.Access, "plugin", away); res.Status != http.StatusCreated {
			t.Fatalf("install: %d %s", res.Status, res.Body)
		}
		e.Do(t, testkit.Get("", testkit.EchoPath+"/api/x"))
		e.Do(t, testkit.Get("", "/api/v1/shop/plugins/nothing/api/x"))
		e.Do(t, testkit.Get("", "/api/v1/shop/plugins/away/api/x"))
		if got := len(accessRecords(t, buf.String())); got != want {
			t.Errorf("%s: %d records, want %d", calls, got, want)
		}
	}
}

func TestWhatClientsNameIsLoggedInPart(t *testing.T) {
	t.Parallel()
	var buf logtest.Buffer
	long := strings.Repeat("x", 100_000)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://shop.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Method = long
	plugincall.AccessLog{Log: buf.Logger()}.Record(r, gateway.Ended{Slug: long, Path: long})
	if n := len(buf.String()); n < 256 || n > 2000 {
		t.Errorf("%d bytes", n)
	}
}

// Records through Lines are those of log/slog, byte for byte, whatever clients send.
func TestRecordsOfCallsAreThoseOfSlog(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 24, 1, 2, 3, 4_000_000, time.UTC)
	for _, format := range []string{"text", "json"} {
		for _, hostile := range []string{
			"plain", "", "a b", "a=b", `"`, `\`, "\n level=ERROR", "\x00", "\x7f", "\xff", "é", "\u2028", "<&>", strings.Repeat("x", 300),
		} {
			for at0, e := range []gateway.Ended{
				{Call: traffic.Call{At: at, Status: 200}, Slug: hostile, Path: "/api/x"},
				{Call: traffic.Call{At: at, Status: 504, Outcome: traffic.Timeout, Platform: time.Hour}, Slug: "a", Path: "/" + hostile},
				{Call: traffic.Call{At: at.Add(123_456_789)}, Slug: "a", InstallationID: hostile, Bytes: 1 << 40, Total: 1000 * time.Hour},
			} {
				var want, got, odd logtest.Buffer
				logging := settings.Logging{LogFormat: format}
				ctx := reqctx.WithCaller(reqctx.WithRequestID(t.Context(), "01a20d9d"), reqctx.Caller{UserID: hostile})
				if at0 > 0 {
					ctx = trace.With(ctx, trace.New())
				}
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://shop.example/", nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Method = cmp.Or(hostile, r.Method)
				plugincall.AccessLog{Log: logging.Logger(&want)}.Record(r, e)
				log, records := logging.Open(&got)
				plugincall.AccessLog{Log: log, Records: records}.Record(r, e)
				records.Odd = logging.Logger(&odd).Handler()
				records.Flush()
				if got.String() != want.String() || want.String() == "" {
					t.Errorf("got  %q\nwant %q", got.String(), want.String())
				}
				plugincall.AccessLog{Log: log, Records: records}.Record(r, e)
				if plain := hostile == "plain" || hostile == "" && at0 == 1; plain && odd.String() != "" {
					t.Errorf("log/slog wrote %q", odd.String())
				}
			}
		}
	}
}

func BenchmarkAccessLog(b *testing.B) {
	logging := settings.Logging{}
	log, records := logging.Open(io.Discard)
	for name, a := range map[string]plugincall.AccessLog{"slog": {Log: log}, "records": {Log: log, Records: records}} {
		b.Run(name, func(b *testing.B) { benchmarkRecord(b, a) })
	}
}

func benchmarkRecord(b *testing.B, a plugincall.AccessLog) {
	b.Helper()
	ctx := reqctx.WithCaller(reqctx.WithRequestID(b.Context(), reqctx.NewRequestID()), reqctx.Caller{UserID: "tz4a98xxat96iws9zmbrgj3a"})
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://shop.example/", nil)
	if err != nil {
		b.Fatal(err)
	}
	e := gateway.Ended{
		Call: traffic.Call{Status: 200, Platform: 31_000, Plugin: 240_000}, Slug: "loyalty", Path: "/api/orders/7",
		InstallationID: "0b0e7d0e-54a1-4a5f-8a3f-5b1c6d7e8f90", Caller: "shop", Trace: trace.New(), Bytes: 120, Total: 300_000,
	}
	b.ReportAllocs()
	for b.Loop() {
		a.Record(r, e)
	}
}

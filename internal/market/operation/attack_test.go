package operation_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/market/terms"
	"stoa/internal/testkit"
	"stoa/internal/testkit/tuftest"
)

const packagePath = terms.PackagePath + "tool/1.0.0"

// serveBytes answers requests for the package with other bytes than those that were signed.
func (s *stage) serveBytes(content []byte) {
	s.m.Serve(packagePath, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(content) })
}

// A market that serves another package than it signed is not trusted any more, and nothing is installed.
func TestPackagesThatDoNotFit(t *testing.T) {
	t.Parallel()

	permissions := []string{"storage:read", "events:publish"}
	for name, attack := range map[string]func(t *testing.T, s *stage){
		"a swapped ZIP": func(t *testing.T, s *stage) {
			s.serveBytes(plugin(t, acme, "tool", "1.0.0", "storage:read"))
		},
		"one byte more": func(t *testing.T, s *stage) {
			s.serveBytes(append(plugin(t, acme, "tool", "1.0.0", permissions...), 0))
		},
		"a body that does not end": func(_ *testing.T, s *stage) {
			s.m.Serve(packagePath, func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					if _, err := w.Write(bytes.Repeat([]byte{0}, 1<<16)); err != nil {
						return
					}
				}
			})
		},
		"the ZIP of another slug": func(t *testing.T, s *stage) {
			s.sign(t, "1.0.0", plugin(t, acme, "other", "1.0.0", permissions...))
		},
		"the ZIP of another version": func(t *testing.T, s *stage) {
			s.sign(t, "1.0.0", plugin(t, acme, "tool", "0.9.0", permissions...))
		},
		"the key of another slug": func(t *testing.T, s *stage) {
			s.sign(t, "1.0.0", plugin(t, evil, "tool", "1.0.0", permissions...))
		},
		"no signature": func(t *testing.T, s *stage) {
			s.sign(t, "1.0.0", unsigned(t, "tool", "1.0.0", permissions...))
		},
		"a file that was not signed": func(t *testing.T, s *stage) {
			pkg := testkit.WithEntry(t, plugin(t, acme, "tool", "1.0.0", permissions...), testkit.Entry{Name: "more.js", Body: "1"})
			s.sign(t, "1.0.0", pkg)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := newStage(t, false)
			attack(t, s)
			wantLast(t, s.settled(t, s.install(t, "tool", "")), "MARKET_UNTRUSTED")
			if got := s.version(t, "tool"); got != "" {
				t.Errorf("%s is installed", got)
			}
			m, err := s.Markets.Get(t.Context(), s.market)
			if state, _ := m.At(s.Clock.Now()); err != nil || state != "untrusted" {
				t.Errorf("the market is %s, %v", state, err)
			}
			want(t, s.install(t, "tool", ""), http.StatusConflict, "MARKET_UNTRUSTED")
		})
	}
}

func wantLast(t *testing.T, op testkit.Response, code string) {
	t.Helper()
	if got := op.Text(t, "data.error.code"); got != code || op.Text(t, "data.state") != "failed" {
		t.Fatalf("%s, want %s", op.Body, code)
	}
}

// sign signs any archive as a version of the package of the product tool by acme.
func (s *stage) sign(t *testing.T, version string, archive []byte) {
	t.Helper()
	custom := tuftest.Custom("tool", version, testkit.T0)
	custom.Publisher.Key = base64.StdEncoding.EncodeToString(acme.Public())
	s.m.Carry("tool", custom, archive)
	s.m.Publish()
}

// What is signed as larger than a plugin may be is not even asked for.
func TestAnOversizePackage(t *testing.T) {
	t.Parallel()

	s := newStage(t, false)
	asked := false
	s.sign(t, "1.0.0", make([]byte, 50<<20+1))
	s.m.Serve(packagePath, func(http.ResponseWriter, *http.Request) { asked = true })
	want(t, s.install(t, "tool", ""), http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")
	if asked {
		t.Error("it was downloaded")
	}
}

// A market's answers in place of a package.
func TestAnswersThatAreNoPackage(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		status int
		body   string
		want   string // empty: it is tried again
	}{
		"gone":               {404, `{"error":"NOT_FOUND","message":"x"}`, "NOT_FOUND"},
		"recalled":           {410, `{"error":"RECALLED","message":"x"}`, "NOT_FOUND"},
		"refused":            {403, `{"error":"LICENSE_REFUSED","message":"x","details":{"reason":"revoked"}}`, "LICENSE_REFUSED"},
		"busy":               {429, `{"error":"RATE_LIMIT_EXCEEDED","message":"x"}`, ""},
		"broken":             {500, `oops`, ""},
		"a page of a proxy":  {403, `<html>`, ""},
		"a redirect":         {302, ``, ""},
		"a body cut short":   {200, "cut", ""},
		"a connection reset": {0, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := newStage(t, false)
			s.m.Serve(packagePath, func(w http.ResponseWriter, _ *http.Request) {
				switch {
				case tt.status == 0:
					panic(http.ErrAbortHandler)
				case tt.body == "cut":
					w.Header().Set("Content-Length", "1000")
				case tt.status == http.StatusFound:
					w.Header().Set("Location", "/elsewhere")
				}
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			})
			op := s.settled(t, s.install(t, "tool", ""))
			if tt.want != "" {
				wantLast(t, op, tt.want)
				return
			}
			if op.Text(t, "data.state") != "pending" {
				t.Fatalf("%s", op.Body)
			}
			s.m.Serve(packagePath, nil)
			s.Clock.Advance(lastPause)
			if err := s.Operations.Idle(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantSteps(t, s.operation(t, op.Text(t, "data.operationId")), "downloaded", "verified", "installed", "running")
		})
	}
}

// Whatever a market sends, its catalog is shown within limits.
func TestACatalogThatIsNotOne(t *testing.T) {
	t.Parallel()

	s := newStage(t, false)
	list := func() testkit.Response {
		t.Helper()
		return s.Do(t, testkit.Get(s.admin.Access, marketsPath+s.market+"/products?limit=2"))
	}
	const products = "/api/marketplace/products"
	for name, body := range map[string]string{
		"no JSON": "<html>", "another type": `{"products":{}}`, "too large": `{"products":[{"name":"` + strings.Repeat("x", 9<<20) + `"}]}`,
	} {
		s.m.Serve(products, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) })
		if res := list(); res.Status != http.StatusConflict || res.Text(t, "error.code") != "MARKET_UNTRUSTED" {
			t.Errorf("%s: %d %.200s", name, res.Status, res.Body)
		}
	}
	long := strings.Repeat("é", 5000)
	s.serve(products, 200, object{
		"products": []object{
			{"slug": "tool", "name": "A\u202eB\n" + long, "shortDescription": long, "icon": "https://elsewhere.example/x.png", "unknown": 1},
			{"slug": "../x", "name": "no slug"},
			{"slug": "third", "name": "beyond the page"},
		},
		"pagination": object{"total": 1 << 50},
	})
	s.serve(products+"/tool", 200, object{"pricingTiers": []object{
		{"id": "a", "name": "One", "price": -1, "currency": "EUR"},
		{"id": "b", "price": 1, "currency": "euro"},
		{"id": "c", "name": "Three", "price": 9.5, "currency": "EUR", "billingPeriod": "hourly", "trialDays": 1000},
	}})
	res := list()
	items, _ := res.Get(t, "data.items").([]any)
	if len(items) != 1 {
		t.Fatalf("%d %.300s", res.Status, res.Body)
	}
	item := items[0].(object)
	name, _ := item["name"].(string)
	tiers, _ := item["tiers"].([]any)
	if !strings.HasPrefix(name, "A B éé") || len([]rune(name)) != 200 || len([]rune(item["description"].(string))) != 600 ||
		item["picture"] != nil || len(tiers) != 1 || tiers[0].(object)["billingPeriod"] != nil ||
		tiers[0].(object)["trialDays"] != 90.0 || res.Get(t, "data.pagination.total") != 1e6 {
		t.Errorf("%.2000s", res.Body)
	}
}

package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/gateway"
)

func TestInstanceResolution(t *testing.T) {
	t.Parallel()

	id := func(values ...string) http.Header { return http.Header{"X-Installation-ID": values} }
	tests := []struct {
		name   string
		query  string
		header http.Header
		want   string // installation id; empty means 404
		rest   string // the query the plugin gets
	}{
		{"nothing said", "?a=1", nil, "id-default", "?a=1"},
		{"by key", "?installation=eu&a=1", nil, "id-eu", "?a=1"},
		{"by id in the query", "?a=%20&installationId=id-eu&b", nil, "id-eu", "?a=%20&b"},
		{"by id in the header", "", id("id-eu"), "id-eu", ""},
		{"the header wins over the query", "?installationId=id-off&installation=off", id("id-eu"), "id-eu", ""},
		{"the id wins over the key", "?installation=off&installationId=id-eu", nil, "id-eu", ""},
		{"an encoded name", "?installation%49d=id-eu", nil, "id-eu", ""},
		{"the same id twice", "", id("id-eu", "id-eu"), "id-eu", ""},
		{"names are compared with case", "?Installation=eu", nil, "id-default", "?Installation=eu"},
		{"an underscore is another header", "", http.Header{"x_installation_id": {"id-eu"}}, "id-default", ""},
		{"unknown key", "?installation=us", nil, "", ""},
		{"empty key", "?installation=", nil, "", ""},
		{"disabled by key", "?installation=off", nil, "", ""},
		{"disabled by id", "?installationId=id-off", nil, "", ""},
		{"an unknown id is not retried as default", "?installationId=id-us", nil, "", ""},
		{"an unknown id in the header is not retried with the query", "?installationId=id-eu", id("id-us"), "", ""},
		{"an empty id is not default", "?installationId=", nil, "", ""},
		{"an empty header is not default", "", id(""), "", ""},
		{"the id of another package", "?installationId=id-other", nil, "", ""},
		{"two ids", "", id("id-eu", "id-default"), "", ""},
		{"two keys", "?installation=eu&installation=default", nil, "", ""},
		{"bytes that are no text", "?installationId=%zz", nil, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			k := newKit(t)
			res := k.do(t, "GET", "/api/charge"+tt.query, nil, tt.header)
			if tt.want == "" {
				message, slug := res.Header.Get("X-Message"), res.Header.Get("X-Slug")
				if got := code(res); got != "NOT_FOUND" || message != gateway.ErrNotFound.Message || slug != "pay" {
					t.Errorf("code = %s, slug %q; want NOT_FOUND of pay", got, slug)
				}
				k.untouched(t)
				return
			}
			got := k.next(t)
			got.verified(t)
			if id := got.Header.Get("X-Installation-Id"); id != tt.want || code(res) != "418" {
				t.Errorf("installation = %q, status %s; want %q, 418", id, code(res), tt.want)
			}
			if want := "/base/api/charge" + tt.rest; got.RequestURI != want {
				t.Errorf("target = %q, want %q", got.RequestURI, want)
			}
		})
	}
}

func TestContextHeaders(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.who = reqctx.Caller{UserID: "u1", Role: reqctx.RoleUser}
	k.do(t, "POST", "/api/charge?x=1", strings.NewReader("hello"), http.Header{"Accept-Language": {"de-CH, en;q=0.5"}})
	got := k.next(t)
	got.verified(t)
	for name, want := range map[string]string{
		"X-Plugin-Slug": "pay", "X-Installation-Id": "id-default", "X-Installation-Key": "default",
		"X-Platform-Id": "platform-1",
		"X-User-Id":     "u1", "X-User-Role": "customer", "X-Request-Id": "req-1", "X-Caller": "shop",
		"X-Platform-Timestamp": "1900000000000", "X-Platform-Version": "1.2.3",
		"X-Platform-Api-Base-Url": "https://shop.example",
		"X-Locale":                "de-CH", "X-Plugin-Config": "eyJrIjoxfQ",
		"X-Tenant-Id": "id-default", "X-Plugin-Permissions": "orders:read", "X-Platform-Token": "token-1-of-id-default",
	} {
		if v := got.Header[name]; len(v) != 1 || v[0] != want {
			t.Errorf("%s = %q, want %q", name, v, want)
		}
	}
	if sig := got.Header.Get("X-Platform-Signature"); strings.Count(sig, "v1=") != 2 {
		t.Errorf("signature = %q, want one for each secret", sig)
	}
}

func TestUserAndCaller(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name           string
		who            reqctx.Caller
		id, role, from string
	}{
		{"a guest has the empty id", reqctx.Caller{}, "", "guest", "shop"},
		{"a customer", reqctx.Caller{UserID: "u1", Role: reqctx.RoleUser}, "u1", "customer", "shop"},
		{"another role is a customer", reqctx.Caller{UserID: "u1", Role: "SELLER"}, "u1", "customer", "shop"},
		{"an administrator", reqctx.Caller{UserID: "u2", Role: reqctx.RoleAdmin}, "u2", "admin", "shop"},
		{"a service has no user", reqctx.Caller{Service: "erp", Role: reqctx.RoleAdmin}, "", "guest", "api-internal"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			k := newKit(t)
			k.who = tt.who
			k.do(t, "GET", "/api/x", nil, nil)
			h := k.next(t).Header
			id, ok := h["X-User-Id"]
			role, from := h.Get("X-User-Role"), h.Get("X-Caller")
			if !ok || id[0] != tt.id || role != tt.role || from != tt.from {
				t.Errorf("id %q, role %q, caller %q; want %q, %q, %q", id, role, from, tt.id, tt.role, tt.from)
			}
		})
	}
}

func TestLocale(t *testing.T) {
	t.Parallel()

	tests := []struct{ header, want string }{
		{"", "en"},
		{"fr", "fr"},
		{"de-CH, de;q=0.9", "de-CH"},
		{"de;q=0.5, fr;q=0.8", "fr"},
		{"de;q=0.8, fr;q=0.8", "de"},
		{"de;q=0, fr;q=0.1", "fr"},
		{"de;q=0", "en"},
		{"*, it;q=0.5", "it"},
		{"zh-Hant-TW", "zh-Hant-TW"},
		{"../../etc, pt", "pt"},
		{"de\tx:y, pt", "pt"},
		{"de;q=2, de;q=NaN, pt;q=0.1", "pt"},
		{strings.Repeat("?,", 20) + "pt", "en"},
		{"abcdefghi", "en"},
		// What browsers send, and others.
		{"de-CH,de;q=0.9,en-US;q=0.8,en;q=0.7", "de-CH"},
		{"en-GB-oxendict,en;q=0.9", "en-GB-oxendict"},
		{"fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5", "fr-CH"},
		{"es-419", "es-419"},
		{"en-US;q=0.3, pt-BR;q=0.7, es;q=0.7", "pt-BR"},
		{" ja ; q=0.2 ,\tko;q=0.9", "ko"},
		{"pt-br", "pt-BR"},
		{"en_US", "en-US"},
		{"*", "en"},
		{"und", "en"},
		{"nl;q=0.000", "en"},
		{"nl;q=1.001, pt;q=0.1", "pt"},
		{"nl;q=-1, pt;q=0.1", "pt"},
		{"nl;q=, pt;q=0.1", "pt"},
		{"nl;level=1, pt;q=0.1", "pt"},
		// At the limits, and one beyond.
		{strings.Repeat("?,", 15) + "pt", "pt"},
		{strings.Repeat("?,", 16) + "pt", "en"},
		{"pt;q=0." + strings.Repeat("9", 93), "pt"},
		{"pt;q=0." + strings.Repeat("9", 94), "en"},
		{"en-" + strings.Repeat("a-", 10_000) + "x, pt", "pt"},
		{strings.Repeat("-", 20_000), "en"},
	}
	for _, tt := range tests {
		t.Run(tt.header, func(t *testing.T) {
			t.Parallel()

			k := newKit(t)
			k.do(t, "GET", "/api/x", nil, http.Header{"Accept-Language": {tt.header}})
			if got := k.next(t).Header.Get("X-Locale"); got != tt.want {
				t.Errorf("locale = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestConfigHeader(t *testing.T) {
	t.Parallel()

	config := func(size int) string { return `{"k":"` + strings.Repeat("x", size-len(`{"k":""}`)) + `"}` }
	tests := []struct {
		name, config string
		value        string
		digest       bool
	}{
		{"none is the empty object", "", "e30", false},
		{"compact", "{ \"a\" : \"<&>\" }", "eyJhIjoiPCY-In0", false},
		{"8 KiB of header", config(6144), "", false},
		{"one byte more", config(6145), "", true},
		{"64 KiB of config", config(65536), "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			k := newKit(t)
			k.finder.change(func(in *plugin.Installed) { in.Instance.Config = []byte(tt.config) })
			for range 2 { // derived, and from the cache
				k.do(t, "GET", "/api/x", nil, nil)
				got := k.next(t)
				got.verified(t)
				value, digest := got.Header.Get("X-Plugin-Config"), got.Header.Get("X-Plugin-Config-Digest")
				if (digest != "") != tt.digest || (value == "") != tt.digest || tt.value != "" && value != tt.value {
					t.Errorf("config %.40q, digest %q", value, digest)
				}
				if digest != "" && len(digest) != 64 {
					t.Errorf("digest = %q, want SHA-256 in hex", digest)
				}
			}
		})
	}
}

func TestChangesShowAtTheNextCall(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.do(t, "GET", "/api/x", nil, nil)
	k.next(t)
	k.finder.change(func(in *plugin.Installed) { in.Instance.Config, in.Instance.Granted = []byte(`{"k":2}`), nil })
	k.do(t, "GET", "/api/x", nil, nil)
	h := k.next(t).Header
	if h.Get("X-Plugin-Config") != "eyJrIjoyfQ" || h.Get("X-Plugin-Permissions") != "" {
		t.Errorf("config %q, permissions %q: want the new ones", h.Get("X-Plugin-Config"), h.Get("X-Plugin-Permissions"))
	}
	k.finder.change(func(in *plugin.Installed) { in.Instance.Enabled = false })
	if got := code(k.do(t, "GET", "/api/x", nil, nil)); got != "NOT_FOUND" {
		t.Errorf("after disabling: %s, want NOT_FOUND", got)
	}
}

func TestTokenIsReusedForHalfItsLife(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	token := func(after time.Duration) string {
		k.mu.Lock()
		k.now = now.Add(after)
		k.mu.Unlock()
		k.do(t, "GET", "/api/x", nil, nil)
		return k.next(t).Header.Get("X-Platform-Token")
	}
	first := token(0)
	if got := token(5*time.Minute - time.Millisecond); got != first {
		t.Errorf("just before half its life: %q, want %q again", got, first)
	}
	if got := token(5 * time.Minute); got == first {
		t.Error("after half its life: the same token")
	}
	k.do(t, "GET", "/api/x?installation=eu", nil, nil)
	if got := k.next(t).Header.Get("X-Platform-Token"); !strings.HasSuffix(got, "-of-id-eu") {
		t.Errorf("token of another installation = %q", got)
	}
}

// A key may have been withdrawn: then the platform refuses the tokens it signed.
func TestTokenOfAnotherKeyIsNotReused(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	token := func(key string) string {
		k.tokens.mu.Lock()
		k.tokens.key = key
		k.tokens.mu.Unlock()
		k.do(t, "GET", "/api/x", nil, nil)
		return k.next(t).Header.Get("X-Platform-Token")
	}
	first := token("old")
	second := token("new")
	if second == first {
		t.Errorf("when another key signs: %q, want a new token", second)
	}
	if got := token("new"); got != second {
		t.Errorf("of the same key: %q, want %q again", got, second)
	}
}

func TestRoutePermissions(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	k.finder.change(func(in *plugin.Installed) {
		in.Package.Manifest.RoutePermissions = []plugin.RoutePermission{
			{Method: "GET", Path: "/api/orders", Permission: "orders:read"},
			{Method: "POST", Path: "/api/orders/:id", Permission: "orders:write"},
			{Method: "GET", Path: "/api/away", Permission: "gone:away"}, // granted, no longer declared
		}
	})
	for target, want := range map[string]string{
		"GET /api/orders":      "418",
		"GET /api/other":       "418",
		"GET /api/orders/7":    "418",
		"POST /api/orders/7":   "PERMISSION_NOT_GRANTED",
		"POST /api/ORDERS/7/":  "PERMISSION_NOT_GRANTED",
		"POST /api/%6frders/7": "PERMISSION_NOT_GRANTED",
		"POST /api/orders%2F7": "PERMISSION_NOT_GRANTED",
		"GET /api/away%2F":     "PERMISSION_NOT_GRANTED",
		"GET /api/away;a/b":    "PERMISSION_NOT_GRANTED",
		"GET /api/other%2F7":   "418",
		"GET /api/away":        "PERMISSION_NOT_GRANTED",
		"HEAD /api/away":       "PERMISSION_NOT_GRANTED",
	} {
		method, path, _ := strings.Cut(target, " ")
		res := k.do(t, method, path, nil, nil)
		if got := code(res); got != want || want != "418" && res.Header.Get("X-Slug") != "pay" {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
		if want == "418" {
			k.next(t)
		}
	}
	k.untouched(t)
}

func TestPathsArriveAsSent(t *testing.T) {
	t.Parallel()

	k := newKit(t)
	for _, target := range []string{
		"/api/a|b\"<>^{}", "/api/\xc3\xa9", "/api/%c3%A9%7E~", "/api/a;b=c,d:e@f!$&'()*+=", "/api/a%2Fb%2fc", "/api/x?",
		"/api/x?|\"{}&%zz",
	} {
		k.raw(t, "GET "+target+" HTTP/1.1", "Host: shop")
		got := k.next(t)
		got.verified(t)
		if got.RequestURI != "/base"+target {
			t.Errorf("sent %q, arrived %q", target, got.RequestURI)
		}
	}
	for _, target := range []string{"/api/../x", "/api//x", "/__lifecycle/onInstall", "/api/%2e%2e/%5f%5flifecycle/x"} {
		if res := k.raw(t, "GET "+target+" HTTP/1.1", "Host: shop"); code(res) != "NOT_FOUND" {
			t.Errorf("%s: %s, want NOT_FOUND", target, code(res))
		}
	}
	k.untouched(t)
}

package plugincall_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// Browsers ignore a policy with a fault in it, ours included if it stood beside.
func TestAFaultInAPluginsPolicyDoesNotVoidTheShops(t *testing.T) {
	t.Parallel()
	var own []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Permissions-Policy"] = own
	}))
	t.Cleanup(srv.Close)
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest("pages", srv.URL), nil))
	a.Do(t, testkit.Patch(admin, "/api/v1/admin/plugins/pages", map[string]any{"allowSameOrigin": true}))
	const ours = "publickey-credentials-get=(), publickey-credentials-create=()"
	for _, tt := range []struct {
		own   []string
		stays bool
	}{
		{nil, false},
		{[]string{`camera=(), geolocation=(self "https://maps.example"), usb=*`}, true},
		{[]string{"camera=()", "usb=self"}, true},
		{[]string{"camera 'none'"}, false},
		{[]string{"camera=()", "usb=("}, false},
		{[]string{`camera="`}, false},
		{[]string{"camera=(),"}, false},
		{[]string{"Camera=()"}, false},
		{[]string{""}, false},
	} {
		own = tt.own
		got := a.DoUnchecked(t, testkit.Request{
			Method: http.MethodGet, Path: "/api/v1/shop/plugins/pages/api/x",
		}).Header.Values("Permissions-Policy")
		want := []string{ours}
		if tt.stays {
			want = append(slices.Clone(tt.own), ours)
		}
		if !slices.Equal(got, want) {
			t.Errorf("own policy %q: %q, want %q", tt.own, got, want)
		}
	}
}

// What acts on the shop's origin passes only as far as an administrator allowed it, from
// the next call on, and a plugin's cookie is never one of stoa's (TestPluginsHaveCookiesOfTheirOwn).
func TestAnswersActOnTheOriginOnlyAsAllowed(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		for _, cookie := range []string{"cart=1; Path=/", "stoa-refresh=x; Path=/auth", "__Secure-STOA-refresh=x", "__Host-stoa-a=1"} {
			h.Add("Set-Cookie", cookie)
		}
		h.Set("Access-Control-Allow-Origin", "https://front.example")
		h.Set("Service-Worker-Allowed", "/")
		h.Set("Permissions-Policy", "publickey-credentials-get=*")
		h.Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<p>hello")
	}))
	t.Cleanup(srv.Close)
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest("pages", srv.URL), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	call := func(headers http.Header) testkit.Response {
		return a.DoUnchecked(t, testkit.Request{
			Method: http.MethodGet, Path: "/api/v1/shop/plugins/pages/api/x", Header: headers,
		})
	}
	const names = "allowCookies allowCors allowSameOrigin"
	for _, allowed := range []string{"", "allowCookies", "allowCors", "allowSameOrigin", names, ""} {
		change := make(map[string]any)
		for name := range strings.FieldsSeq(names) {
			change[name] = slices.Contains(strings.Fields(allowed), name)
		}
		res := a.Do(t, testkit.Patch(admin, "/api/v1/admin/plugins/pages", change))
		for name, want := range change {
			if got := res.Get(t, "data.settings."+name); got != want {
				t.Errorf("%s is shown as %v, want %v", name, got, want)
			}
		}
		h := call(nil).Header
		cookies := h.Values("Set-Cookie")
		if got := len(cookies) == 4; got != change["allowCookies"] || !got && len(cookies) > 0 {
			t.Errorf("allowed %q: cookies %q", allowed, cookies)
		}
		for _, line := range cookies {
			if !strings.HasPrefix(strings.TrimPrefix(line, "__Secure-"), "p-") {
				t.Errorf("allowed %q: the cookie %q", allowed, line)
			}
		}
		if got := h.Get("Access-Control-Allow-Origin") != ""; got != change["allowCors"] {
			t.Errorf("allowed %q: CORS passes: %t", allowed, got)
		}
		if got := h.Get("Content-Security-Policy") == ""; got != change["allowSameOrigin"] {
			t.Errorf("allowed %q: the page is not sandboxed: %t", allowed, got)
		}
		policies := h.Values("Permissions-Policy")
		const none = "publickey-credentials-get=(), publickey-credentials-create=()"
		if got := len(policies) > 0 && policies[len(policies)-1] == none; got != change["allowSameOrigin"] {
			t.Errorf("allowed %q: Permissions-Policy %q", allowed, policies)
		}
		if h.Get("Service-Worker-Allowed") != "" {
			t.Errorf("allowed %q: a service worker may act on more than its own folder", allowed)
		}
		worker := call(http.Header{"Service-Worker": {"script"}}).Status
		if got := worker == http.StatusOK; got != change["allowSameOrigin"] {
			t.Errorf("allowed %q: the script of a service worker = %d", allowed, worker)
		}
	}
}

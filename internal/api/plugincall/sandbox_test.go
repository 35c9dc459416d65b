package plugincall_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// No way to a plugin, no method and no status is without the sandbox, whatever else the plugin sends.
func TestEveryAnswerOfAPluginIsSandboxed(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.URL.Query().Get("early") != "" {
			h.Set("Content-Security-Policy", "default-src *")
			w.WriteHeader(http.StatusEarlyHints)
		}
		h.Set("Content-Type", "text/html")
		h.Set("Connection", "content-security-policy, x-content-type-options")
		h.Set("X-Content-Type-Options", "sniff")
		h.Set("Trailer", "Content-Security-Policy, X-Content-Type-Options")
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<p>hello")
		h.Set("Content-Security-Policy", "default-src *")
	}))
	t.Cleanup(srv.Close)
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest("pages", srv.URL), nil))
	check := func(method, target string) {
		t.Helper()
		res := a.DoUnchecked(t, testkit.Request{Method: method, Path: target, Token: admin})
		policy := strings.Join(res.Header.Values("Content-Security-Policy"), ", ")
		options := res.Header.Values("X-Content-Type-Options")
		if !strings.Contains(policy, "sandbox allow-scripts") || len(options) != 1 || options[0] != "nosniff" {
			t.Errorf("%s %s = %d with the policy %q and %q: %s", method, target, res.Status, policy, options, res.Body)
		}
	}
	for _, status := range []int{200, 201, 204, 205, 206, 301, 304, 401, 404, 500, 599, 999} {
		for _, more := range []string{"", "&early=1"} {
			query := fmt.Sprintf("?status=%d%s", status, more)
			for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "PROPFIND"} {
				for _, at := range []string{
					shopPages + "/api/x", "/api/extensions/plugin/pages/api/x", adminPages + "/api/x", adminPages + "/admin/x",
				} {
					check(method, at+query)
				}
			}
			for _, method := range []string{"GET", "HEAD"} {
				check(method, adminPages+"/admin"+query)
				check(method, shopPages+"/health"+query)
			}
		}
	}
}

const shopPages, adminPages = "/api/v1/shop/plugins/pages", "/api/v1/admin/plugins/pages"

package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// browserAccept is what Chromium sends when a person opens a URL.
const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

func opened(path string) testkit.Request {
	return testkit.Request{Method: http.MethodGet, Path: path, Header: http.Header{"Accept": {browserAccept}}}
}

// wantPage checks that an answer is one of stoa's own pages, with its policy.
func wantPage(t *testing.T, path string, res testkit.Response, status int, title string) {
	t.Helper()
	if res.Status != status || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") ||
		!strings.Contains(string(res.Body), "<title>"+title+"</title>") {
		t.Errorf("%s = %d %s, want %d with the page %q\n%.300s", path, res.Status, res.Header.Get("Content-Type"), status,
			title, res.Body)
	}
	if policy := res.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
		!strings.Contains(strings.Join(res.Header.Values("Vary"), ","), "Accept") {
		t.Errorf("%s has the policy %q and Vary %q", path, policy, res.Header.Values("Vary"))
	}
}

func TestTheRootIsAPageForPeople(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Name = "Acme" })
	res := a.Do(t, opened("/"))
	wantPage(t, "/", res, http.StatusOK, "Acme")
	for _, link := range []string{"/docs", "/sign-in", "/register", "/reset-password", "/claim-orders"} {
		if !strings.Contains(string(res.Body), `href="`+link+`"`) {
			t.Errorf("the page does not lead to %s", link)
		}
	}
	again := opened("/")
	again.Header.Set("If-None-Match", res.Header.Get("ETag"))
	if got := a.Do(t, again); got.Status != http.StatusNotModified {
		t.Errorf("the page again = %d, want 304", got.Status)
	}
}

// Monitors, previews of links and curl see the shop. Only who prefers JSON does not.
func TestTheRootIsAPageForWhoeverDoesNotPreferJSON(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Name = "Acme" })
	for accept, page := range map[string]bool{
		"": true, "*/*": true, "text/html": true, "image/png, */*;q=0.5": true,
		"application/json": false, "application/json, text/plain, */*": false, "text/html;q=0": false,
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			req := testkit.Request{Method: method, Path: "/", Header: http.Header{"Accept": {accept}}}
			if accept == "" {
				req.Header = nil
			}
			res := a.Do(t, req)
			switch {
			case !page && method == http.MethodGet:
				testkit.WantError(t, res, http.StatusNotFound, "NOT_FOUND")
			case !page:
				if res.Status != http.StatusNotFound {
					t.Errorf("HEAD / with Accept: %s = %d", accept, res.Status)
				}
			case method == http.MethodGet:
				wantPage(t, "/", res, http.StatusOK, "Acme")
			case res.Status != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html"):
				t.Errorf("HEAD / with Accept: %s = %d %v", accept, res.Status, res.Header)
			}
		}
	}
}

func TestPeopleGetAPageAtUnknownAddresses(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	for _, path := range []string{"/nowhere", "/livez/", "/docs/", "/a/../b", "//", "/media"} {
		res := a.DoUnchecked(t, opened(path))
		wantPage(t, path, res, http.StatusNotFound, "Page not found")
		if res.Header.Get("X-Request-Id") == "" || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s has the headers %v", path, res.Header)
		}
	}
	// Below the API's addresses, there are only programs, whatever they accept.
	for _, path := range []string{"/api/nowhere", "/api/marketplace/nowhere", "/auth/nowhere", "/.well-known/nowhere"} {
		if res := a.Do(t, opened(path)); !strings.Contains(string(res.Body), `"NOT_FOUND"`) {
			t.Errorf("%s = %s, want an error for programs", path, res.Body)
		}
	}
}

// Nobody can sign in to a shop without an administrator: the console leads to the set-up.
func TestTheConsoleLeadsToTheSetUpUntilThereIsAnAdministrator(t *testing.T) {
	t.Parallel()

	needWeb(t)
	a := testkit.New(t)
	a.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, path := range []string{"/console", "/console/shop/products"} {
		res := a.Do(t, opened(path))
		if got := res.Header.Get("Location"); res.Status != http.StatusSeeOther || got != "/setup" {
			t.Errorf("%s = %d to %q, want 303 to /setup", path, res.Status, got)
		}
	}
	settings := testkit.Get("", "/api/v1/shop/settings")
	if res := a.Do(t, settings); res.Get(t, "data.setUp") != false {
		t.Errorf("before the set-up: %s", res.Body)
	}
	a.Admin(t, "root")
	if res := a.Do(t, settings); res.Get(t, "data.setUp") != true {
		t.Errorf("after the set-up: %s", res.Body)
	}
	if res := a.Do(t, opened("/console")); res.Status != http.StatusOK {
		t.Errorf("with an administrator, /console = %d", res.Status)
	}
}

// What programs were answered before there were pages.
func TestProgramsGetErrorsInTheirForm(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Admin(t, "root") // so there is nothing to set up
	for _, path := range []string{"/nowhere", "/setup"} {
		for _, accept := range []string{"", "*/*", "application/json", "application/json, text/plain, */*", "text/html;q=0"} {
			req := testkit.Get("", path)
			req.Header = http.Header{"Accept": {accept}}
			testkit.WantError(t, a.Do(t, req), http.StatusNotFound, "NOT_FOUND")
		}
		post := opened(path)
		post.Method = http.MethodPost
		if res := a.Do(t, post); !strings.Contains(string(res.Body), `"success":false`) {
			t.Errorf("POST %s = %s, want an error for programs", path, res.Body)
		}
	}
	wantPage(t, "/setup", a.Do(t, opened("/setup")), http.StatusNotFound, "Set-up is complete")
}

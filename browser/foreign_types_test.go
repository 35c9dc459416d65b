package browser_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
)

// foreignTypes are the Content-Type headers under which a plugin may try to have a browser run its page:
// every type that some browser shows as a document, broken ones, and two where one is due.
var foreignTypes = [][]string{
	{"text/html"},
	{"Text/HTML; charset=utf-8"},
	{"text/html; charset"},
	{"application/xhtml+xml"},
	{"image/svg+xml"},
	{"text/xml"},
	{"application/xml"},
	{"text/xsl"},
	{"application/xslt+xml"},
	{"application/rss+xml"},
	{"application/atom+xml"},
	{"application/mathml+xml"},
	{"text/rdf"},
	{"application/rdf+xml"},
	{"application/vnd.wap.xhtml+xml"},
	{"application/vnd.mozilla.xul+xml"},
	{"image/png"},
	{"text/plain"},
	{"application/json"},
	{"text/css"},
	{"text/javascript"},
	{"text/vtt"},
	{"text/cache-manifest"},
	{"application/pdf"},
	{"audio/mpeg"},
	{"video/mp4"},
	{"application/x-x509-user-cert"},
	{"message/rfc822"},
	{"application/http-index-format"},
	{"application/unknown"},
	{"unknown/unknown"},
	{"*/*"},
	{"x/y"},
	nil,
	{"multipart/x-mixed-replace; boundary=part"},
	{"multipart/x-mixed-replace;boundary=\"part\""},
	{"multipart/related; boundary=part"},
	{"multipart/mixed; boundary=part"},
	{"text/plain", "text/html"},
	{"image/png", "text/html"},
	{"application/json", "text/html"},
	{"text/html", "text/plain"},
	{"text/plain, text/html"},
	{"text/plain", ""},
	{""},
	{"html"},
	{"text"},
	{"text/"},
	{"/html"},
	{"text/html text/plain"},
	{";text/html"},
	{"text /html"},
	{"text\\html"},
}

// report is what a page of the plugin found out about itself.
type report struct{ origin, storage string }

// spy is the hostile plugin, and the server that its pages report to.
type spy struct {
	*httptest.Server

	mu      sync.Mutex
	reports map[string]report
	asked   map[string]bool // pages, by the end of their address
	done    chan struct{}   // closed when the browser has shown all pages
}

// page runs a script in whatever document it is shown: it is HTML as well as XML.
func (s *spy) page(name string) string {
	script := fmt.Sprintf(`let storage = "refused"; try { localStorage.setItem("a", "b"); storage = "used" } catch {}
new Image().src = "%s/report?name=%s&origin=" + encodeURIComponent(self.origin) + "&storage=" + storage`, s.URL, name)
	return `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><script>` +
		strings.ReplaceAll(script, "&", `\u0026`) + `</script></body></html>`
}

// frames shows one address after the other, because a browser may take one page for another's sub-page.
func (s *spy) frames(addresses []string) string {
	return fmt.Sprintf(`<!doctype html><title>frames</title><script>
const show = (address) => new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.onload = () => setTimeout(resolve, 100);
  frame.src = address;
  document.body.append(frame);
  // What is saved as a file does not load.
  fetch("/asked/" + address.split("/").slice(-2).join("/")).then(() => setTimeout(resolve, 1000));
});
addEventListener("load", async () => {
  for (const address of %q.split(" ")) await show(address);
  new Image().src = "/done";
})
</script><body>`, strings.Join(addresses, " "))
}

func newSpy(t *testing.T) *spy {
	t.Helper()
	s := &spy{reports: make(map[string]report), asked: make(map[string]bool), done: make(chan struct{})}
	over := sync.OnceFunc(func() { close(s.done) })
	mux := http.NewServeMux()
	mux.HandleFunc("/report", func(_ http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.reports[r.FormValue("name")] = report{r.FormValue("origin"), r.FormValue("storage")}
	})
	mux.HandleFunc("/asked/{type}/{name}", func(_ http.ResponseWriter, r *http.Request) { // answers when it was
		for r.Context().Err() == nil && !s.wasAsked(r) {
			time.Sleep(10 * time.Millisecond)
		}
	})
	mux.HandleFunc("/done", func(http.ResponseWriter, *http.Request) { over() })
	mux.HandleFunc("/frames", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, s.frames(r.URL.Query()["show"]))
	})
	mux.HandleFunc("/api/{type}/{name}", func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(r.PathValue("type"))
		if err != nil || i >= len(foreignTypes) {
			http.NotFound(w, r)
			return
		}
		s.mu.Lock()
		s.asked[pageOf(r)] = true
		s.mu.Unlock()
		body := s.page(r.PathValue("name"))
		w.Header()["Content-Type"] = foreignTypes[i]
		if types := foreignTypes[i]; len(types) == 1 && strings.HasPrefix(types[0], "multipart/") {
			body = "--part\r\nContent-Type: text/html\r\n\r\n" + body + "\r\n--part--\r\n"
		}
		_, _ = io.WriteString(w, body)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// pageOf is the end of a page's address, as a request has it.
func pageOf(r *http.Request) string { return r.PathValue("type") + "/" + r.PathValue("name") }

func (s *spy) wasAsked(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[pageOf(r)]
}

// browse starts a browser with a page, and ends it when the page says that all is shown.
func (s *spy) browse(t *testing.T, page string, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	home, err := os.MkdirTemp("", "st-") //nolint:usetesting // a socket's path has 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	cmd := exec.CommandContext(ctx, program, append(args, page)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home, "XDG_CONFIG_HOME=", "XDG_CACHE_HOME=", "MOZ_CRASHREPORTER_DISABLE=1")
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-s.done:
		cancel()
		<-ended
	case err := <-ended:
		t.Fatalf("the browser did not show all pages: %v, %v\n%s", err, errors.Join(ctx.Err()), said.String())
	}
}

// chromium and firefox are the arguments of browsers that open no window and reach loopback only.
func chromium(t *testing.T) []string {
	t.Helper()
	return []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + t.TempDir(),
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
	}
}

func firefox(t *testing.T) []string {
	t.Helper()
	profile := t.TempDir()
	// Everything but loopback goes to a proxy that is not there.
	const settings = `user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1"); user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1"); user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.no_proxies_on", "127.0.0.1");
user_pref("network.proxy.failover_direct", false);
user_pref("app.update.enabled", false); user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false); user_pref("toolkit.telemetry.enabled", false);
user_pref("network.captive-portal-service.enabled", false); user_pref("network.connectivity-service.enabled", false);
user_pref("termsofuse.bypassNotification", true); user_pref("browser.aboutwelcome.enabled", false);
`
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--headless", "--no-remote", "--profile", profile}
}

// A page of a plugin that runs in a browser has no origin, whatever the plugin calls it: not the
// shop's, whose storage and tokens it could read. The browsers themselves say so.
func TestNoTypeOfAnswerGivesAPluginTheShopsOrigin(t *testing.T) {
	t.Parallel()
	for _, with := range []struct {
		browser string
		args    func(*testing.T) []string
		runs    []string // types that this browser shows as pages: else the test would see nothing
	}{
		{"chromium", chromium, []string{"text/html", "text/xml", "text/xsl", "image/svg+xml"}},
		{"firefox-esr", firefox, []string{"text/html", "text/xml", "image/svg+xml", "multipart/x-mixed-replace; boundary=part"}},
	} {
		t.Run(with.browser, func(t *testing.T) {
			t.Parallel()
			if with.browser != "chromium" {
				needtest.Long(t, "a second browser")
			}
			program := needtest.Program(t, with.browser, "Debian: apt-get install "+with.browser)
			s := newSpy(t)
			a := testkit.New(t)
			admin := a.Admin(t, "root").Access
			for _, slug := range []string{"evil", "trusted"} {
				res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, testkit.ExternalManifest(slug, s.URL), nil))
				if res.Status != http.StatusCreated {
					t.Fatalf("install: %d %s", res.Status, res.Body)
				}
			}
			a.Do(t, testkit.Patch(admin, "/api/v1/admin/plugins/trusted", map[string]any{"allowSameOrigin": true}))
			const plugins = "/api/v1/shop/plugins/"
			show := []string{a.URL + plugins + "trusted/api/0/trusted"}
			for i := range foreignTypes {
				show = append(show, fmt.Sprintf("%s%sevil/api/%d/%d", a.URL, plugins, i, i))
			}
			s.browse(t, s.URL+"/frames?"+url.Values{"show": show}.Encode(), program, with.args(t)...)

			s.mu.Lock()
			defer s.mu.Unlock()
			if got := s.reports["trusted"]; got.origin != a.URL {
				t.Errorf("with allowSameOrigin, a page reports %+v, want the origin %s: the test sees nothing", got, a.URL)
			}
			for i, types := range foreignTypes {
				got, ran := s.reports[strconv.Itoa(i)]
				if ran && got != (report{"null", "refused"}) {
					t.Errorf("%q: a page reports %+v", types, got)
				}
				if !ran && len(types) == 1 && slices.Contains(with.runs, types[0]) {
					t.Errorf("%q: no page ran", types)
				}
			}
		})
	}
}

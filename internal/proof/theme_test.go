package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/ziptest"
)

const (
	themeKills = 8 // of each kind, on each engine
	shopTheme  = "/api/v1/admin/themes/shop"
)

// An administrator installs, activates, rolls back, deactivates, uninstalls and purges a
// theme while the process is killed (kill -9) at random moments. After each kill the theme
// is in the old state or in the new one, with all files of it, and what was answered
// holds. No process of a theme app outlives the kill, and the active one runs again.
func TestThemesSurviveAKill(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it kills processes and starts them again")

	for kind, span := range map[string]time.Duration{
		"theme-shop": 200 * time.Millisecond, "theme-app-shop": 1500 * time.Millisecond,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			onEngines(t, func(t *testing.T, c *cluster) { survive(t, c, kind, span) })
		})
	}
}

// survive kills the first process of c within span, again and again. The others do not
// run: they would keep a theme app running.
func survive(t *testing.T, c *cluster, kind string, span time.Duration) {
	t.Helper()
	needtest.Program(t, "node", "")
	for _, p := range c.processes[1:] {
		p.kill()
	}
	p := c.processes[0]
	p.kill()
	p.env = append(p.env, "STOA_PLUGIN_ISOLATION=basic") // whatever this machine has
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	seed := newSeed(t)
	rng, waits := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 1))
	w := &wardrobe{c: c, kind: kind, admin: c.people(t).admin, now: newOutfit(), then: newOutfit()}
	w.progress = make(chan struct{}, 1)
	for range amount(t, themeKills) {
		ctx, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		ended := make(chan struct{})
		work.Go(func() {
			defer close(ended)
			for ctx.Err() == nil {
				if err := w.change(ctx, rng); err != nil {
					if errors.Is(err, errOdd) {
						t.Error(err)
					}
					return
				}
			}
		})
		select { // a slow machine gets something done, too
		case <-w.progress:
		case <-ended:
		}
		<-time.After(time.Duration(waits.Int64N(int64(span))))
		p.kill()
		stop()
		work.Wait()
		wantNoApps(t, p)
		if err := p.start(); err != nil {
			t.Fatal(err)
		}
		if err := w.check(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d changes were answered, %d not; of those %d had happened", w.answered, w.open, w.happened)
	if !short() && (w.answered == 0 || w.open == 0) {
		t.Error("the kills did not meet the requests")
	}
}

// wantNoApps waits until no process runs a theme app of p's data folder: the kernel ends
// them when stoa dies, and needs a moment.
func wantNoApps(tb testing.TB, p *process) {
	tb.Helper()
	dir := ""
	for _, variable := range p.env {
		if at, ok := strings.CutPrefix(variable, "STOA_DATA="); ok {
			dir = at
		}
	}
	for end := time.Now().Add(time.Minute); ; {
		var left []string
		commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range commands {
			if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), filepath.Join(dir, "theme-app")) {
				left = append(left, name)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			tb.Fatalf("processes outlived stoa: %s", left)
		}
		<-time.After(10 * time.Millisecond)
	}
}

// wardrobe is what an administrator knows of the theme dress.
type wardrobe struct {
	c     *cluster
	kind  string
	admin string

	next int    // minor number of the next version
	now  outfit // as answered last
	then outfit // if the last request had its effect, which was not answered

	answered, open, happened int
	progress                 chan struct{} // gets something after an answer
}

// outfit is the state of the theme and of its target.
type outfit struct {
	versions         map[string]bool // that are installed
	active, previous string          // versions; empty for the built-in theme, and for none
}

func newOutfit() outfit { return outfit{versions: make(map[string]bool)} }

func (o outfit) String() string {
	return fmt.Sprint(slices.Sorted(maps.Keys(o.versions)), " active ", o.active, " previous ", o.previous)
}

// change makes a random change. An error that is not errOdd means that there was no
// answer.
func (w *wardrobe) change(ctx context.Context, rng *rand.Rand) error {
	method, path, body := http.MethodPost, shopTheme, []byte(nil)
	want := outfit{versions: maps.Clone(w.now.versions), active: w.now.active, previous: w.now.previous}
	switch n := rng.IntN(12); {
	case n < 4 && len(want.versions) > 0:
		all := slices.Sorted(maps.Keys(want.versions))
		version := all[rng.IntN(len(all))]
		path += "/activate"
		body = fmt.Appendf(nil, `{"slug":"dress","version":%q}`, version)
		if version != want.active {
			want.active, want.previous = version, want.active
		}
	case n < 6 && want.previous != "":
		path += "/rollback"
		want.active, want.previous = want.previous, want.active
	case n < 8 && want.active != "":
		path += "/deactivate"
		want.active, want.previous = "", want.active
	case n < 9 && want.active == "" && len(want.versions) > 0:
		method, path = http.MethodDelete, "/api/v1/admin/extensions/"+w.kind+"/dress"
		if rng.IntN(2) == 0 {
			path += "?purge=true"
		}
		want = newOutfit()
	default:
		w.next++
		version := fmt.Sprintf("1.%d.0", w.next)
		path = "/api/v1/admin/extensions/" + w.kind + "/install"
		body = w.archive(version)
		want.versions[version] = true
	}
	w.then = want
	a, err := w.send(ctx, method, path, body)
	switch {
	case err != nil:
		w.open++
		return err
	case a.status >= http.StatusBadRequest:
		return fmt.Errorf("%s %s in state %s: %w", method, path, w.now, odd(a))
	}
	w.now = want
	w.answered++
	select {
	case w.progress <- struct{}{}:
	default:
	}
	return nil
}

func (w *wardrobe) send(ctx context.Context, method, path string, body []byte) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, w.c.processes[0].URL()+path, bytes.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+w.admin)
	switch {
	case bytes.HasPrefix(body, []byte("PK")):
		req.Header.Set("Content-Type", "application/zip")
	case body != nil:
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, got}, err
}

// check finds out which state the theme is in after a kill: the one that was answered
// last, or the one of the request without an answer. Whatever is installed is whole, and
// an active app answers.
func (w *wardrobe) check(ctx context.Context) error {
	got, err := w.read(ctx)
	if err != nil {
		return err
	}
	switch got.String() {
	case w.then.String():
		if w.then.String() != w.now.String() {
			w.happened++
		}
	case w.now.String():
	default:
		return fmt.Errorf("state %s, want %s or %s", got, w.now, w.then)
	}
	w.now, w.then = got, got
	for version := range got.versions {
		path := "/api/v1/admin/extensions/" + w.kind + "/dress/files?limit=100&version=" + version
		files, err := w.send(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		if files.status != http.StatusOK || strings.Contains(string(files.body), `"intact":false`) ||
			strings.Count(string(files.body), `"intact":true`) != dressFiles+2 {
			return fmt.Errorf("files of %s: %w", version, odd(files))
		}
	}
	if got.active == "" || w.kind != "theme-app-shop" {
		return nil
	}
	a, err := w.send(ctx, http.MethodGet, "/version", nil)
	if err == nil && strings.Contains(string(a.body), "THEME_APP_STARTING") { // for longer than a call waits
		return w.check(ctx)
	}
	if err == nil && string(a.body) != got.active {
		err = fmt.Errorf("the app of %s answers: %w", got, odd(a))
	}
	return err
}

// read asks stoa for the state.
func (w *wardrobe) read(ctx context.Context) (outfit, error) {
	var shown struct {
		Data struct {
			Active, Previous *struct{ Version string }
			Versions         []struct{ Version string }
		}
	}
	got := newOutfit()
	for _, path := range []string{shopTheme, "/api/v1/admin/extensions/" + w.kind + "/dress"} {
		a, err := w.send(ctx, http.MethodGet, path, nil)
		if err != nil {
			return got, err
		}
		if a.status == http.StatusNotFound && path != shopTheme {
			continue // uninstalled
		}
		if err := json.Unmarshal(a.body, &shown); err != nil || a.status != http.StatusOK {
			return got, fmt.Errorf("%s: %w", path, odd(a))
		}
	}
	for _, v := range shown.Data.Versions {
		got.versions[v.Version] = true
	}
	if v := shown.Data.Active; v != nil {
		got.active = v.Version
	}
	if v := shown.Data.Previous; v != nil {
		got.previous = v.Version
	}
	return got, nil
}

const dressFiles = 60

// archive is a version of the theme that takes a while to unpack.
func (w *wardrobe) archive(version string) []byte {
	manifest := map[string]any{"schemaVersion": 1, "slug": "dress", "name": "Dress", "version": version}
	files := make(map[string]string, dressFiles)
	for i := range dressFiles {
		files[fmt.Sprintf("d%d/f%d.js", i%7, i)] = strings.Repeat(version, 2000)
	}
	if w.kind == "theme-shop" {
		manifest["entry"] = "theme.css"
		files["theme.css"] = "/* " + version + " */"
	} else {
		manifest["runtime"] = map[string]any{"entry": "server.js"}
		manifest["healthCheck"] = map[string]any{"path": "/health"}
		files["server.js"] = `require('http').createServer((req, res) => res.end('` + version + `')).listen(process.env.PORT)`
	}
	return ziptest.Plugin(noTest{}, manifest, files) // manifest.json is accepted for every kind
}

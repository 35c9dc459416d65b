package proof

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/ziptest"
)

const (
	bundleKills = 10 // on each engine
	extensions  = "/api/v1/admin/extensions"
	bundlePath  = extensions + "/bundle/starter"
)

var bundled = []string{"plugin/one", "plugin/two", "plugin/three", "theme-shop/aurora"}

// An administrator installs, upgrades and uninstalls a bundle while the process is killed
// (kill -9) at random moments. After each kill the bundle and all its items are in the old
// state or in the new one, with all files; and once they are old enough, no other files are
// left.
func TestBundlesSurviveAKill(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it kills processes and starts them again")

	onEngines(t, func(t *testing.T, c *cluster) {
		seed := newSeed(t)
		rng, waits := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 1))
		keeper := &bundleShelf{shelf: &shelf{c: c, admin: c.people(t).admin}, tb: t}
		for n := range amount(t, bundleKills) {
			ctx, stop := context.WithCancel(t.Context())
			var work sync.WaitGroup
			answered, ended := make(chan struct{}, 1), make(chan struct{})
			work.Go(func() {
				defer close(ended)
				for ctx.Err() == nil {
					if err := keeper.change(ctx, rng); err != nil {
						if errors.Is(err, errOdd) {
							t.Error(err)
						}
						return
					}
					select {
					case answered <- struct{}{}:
					default:
					}
				}
			})
			if n%2 == 0 { // however slow the machine is, some changes are answered
				select {
				case <-answered:
				case <-ended:
				}
			}
			<-time.After(10*time.Millisecond + time.Duration(waits.Int64N(int64(400*time.Millisecond))))
			c.processes[0].kill()
			stop()
			work.Wait()
			grownOld(t, c.dir)
			if err := c.processes[0].start(); err != nil {
				t.Fatal(err)
			}
			if err := keeper.check(t.Context()); err != nil {
				t.Fatal(err)
			}
			keeper.checkFiles(t)
		}
		t.Logf("%d changes were answered, %d not; of those %d had happened", keeper.answered, keeper.open, keeper.happened)
		if !short() && (keeper.answered == 0 || keeper.open == 0) {
			t.Error("the kills did not meet the requests")
		}
	})
}

// bundleShelf is what an administrator knows of the bundle starter.
type bundleShelf struct {
	*shelf

	tb        testing.TB
	now, then state // previous is not used
}

// change makes a random change. An error that is not errOdd means that there was no answer.
func (s *bundleShelf) change(ctx context.Context, rng *rand.Rand) error {
	method, path, body := http.MethodPost, extensions+"/bundle/install", []byte(nil)
	want := s.now
	switch n := rng.IntN(4); {
	case s.now.uninstalled:
		want.uninstalled = false
		body = s.bundle(want.version)
	case s.now.version != "" && n == 0:
		method, path, want = http.MethodDelete, bundlePath+"?items=true&purge=true", state{}
	case s.now.version != "" && n == 1:
		method, path = http.MethodDelete, bundlePath+"?items=true"
		want.uninstalled = true
	default:
		s.next++
		want = state{version: fmt.Sprintf("1.%d.0", s.next)}
		body = s.bundle(want.version)
	}
	s.then = want
	a, err := s.send(ctx, method, path, body)
	switch {
	case err != nil:
		s.open++
		return err
	case a.status >= http.StatusBadRequest:
		return fmt.Errorf("%s %s in state %+v: %w", method, path, s.now, odd(a))
	}
	s.now = want
	s.answered++
	return nil
}

// bundle is an archive of the bundle. Required config is missing, so nothing is started.
func (s *bundleShelf) bundle(version string) []byte {
	var items []map[string]any
	archives := make(map[string][]byte)
	for _, name := range bundled {
		kind, slug, _ := strings.Cut(name, "/")
		items = append(items, map[string]any{"kind": kind, "path": slug + ".zip"})
		if kind != "plugin" {
			archives[slug+".zip"] = testkit.ThemePack(noTest{}, slug, version, nil, nil)
			continue
		}
		items[len(items)-1]["instances"] = []map[string]any{{"instanceKey": "eu"}}
		files := make(map[string]string)
		for i := range 20 {
			files[fmt.Sprintf("d%d/f%d.js", i%3, i)] = strings.Repeat(version+slug, 1000)
		}
		archives[slug+".zip"] = ziptest.Plugin(noTest{}, map[string]any{
			"schemaVersion": 1, "slug": slug, "name": slug, "version": version,
			"runtimeType": "external-http", "externalBaseUrl": "https://plugin.example",
			"configSchema": map[string]any{"key": map[string]any{"type": "string", "required": true}},
		}, files)
	}
	return testkit.Bundle(noTest{}, testkit.BundleManifest("starter", version, items...), archives)
}

// check finds out which state the bundle is in after a kill: the one that was answered last,
// or the one of the request without an answer. Its items are in the same one.
func (s *bundleShelf) check(ctx context.Context) error {
	a, err := s.send(ctx, http.MethodGet, extensions+"?limit=100", nil)
	if err != nil {
		return err
	}
	var list struct {
		Data struct {
			Items []struct{ Kind, Slug, Version string }
		}
	}
	if err := json.Unmarshal(a.body, &list); err != nil {
		return fmt.Errorf("%w: %w", err, odd(a))
	}
	var got []string
	for _, i := range list.Data.Items {
		got = append(got, i.Kind+"/"+i.Slug+" "+i.Version)
	}
	slices.Sort(got)
	switch {
	case slices.Equal(got, s.visible(s.then)):
		if s.then != s.now {
			s.happened++
		}
		s.now = s.then
	case slices.Equal(got, s.visible(s.now)):
		s.then = s.now
	default:
		return fmt.Errorf("installed are %q, want those of %+v or of %+v", got, s.now, s.then)
	}
	if len(got) == 0 {
		return nil
	}
	for _, name := range bundled {
		files, err := s.send(ctx, http.MethodGet, extensions+"/"+name+"/files?limit=100", nil)
		if err != nil {
			return err
		}
		if files.status != http.StatusOK || strings.Contains(string(files.body), `"intact":false`) {
			return fmt.Errorf("files of %s in %+v: %w", name, s.now, odd(files))
		}
	}
	return nil
}

// visible are the extensions that are installed in a state.
func (s *bundleShelf) visible(st state) []string {
	if st.version == "" || st.uninstalled {
		return nil
	}
	list := []string{"bundle/starter " + st.version}
	for _, name := range bundled {
		list = append(list, name+" "+st.version)
	}
	slices.Sort(list)
	return list
}

// checkFiles fails the test if there are files that no record points to.
func (s *bundleShelf) checkFiles(tb testing.TB) {
	tb.Helper()
	recorded := make(map[string]bool)
	rows, err := s.c.db.QueryContext(tb.Context(), `
		SELECT install_path FROM plugin_packages UNION SELECT install_path FROM plugin_previous_versions
		UNION SELECT install_path FROM theme_versions`)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			tb.Fatal(err)
		}
		recorded[name], recorded[name+".zip"] = true, true
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	for _, pattern := range []string{"plugins/*/*", "theme-shop/*/*", "plugins/.tmp*", "tmp/upload-*", "bundles/*"} {
		found, err := filepath.Glob(filepath.Join(s.c.dir, pattern))
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range found {
			if rel, _ := filepath.Rel(s.c.dir, name); !recorded[filepath.ToSlash(rel)] {
				tb.Errorf("%s belongs to nothing in state %+v", rel, s.now)
			}
		}
	}
}

// grownOld makes all files of packages so old that a start removes those without a record.
func grownOld(tb testing.TB, dir string) {
	tb.Helper()
	then := time.Now().Add(-2 * time.Hour)
	for _, folder := range []string{"plugins", "theme-shop", "tmp", "bundles"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(name string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chtimes(name, then, then)
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			tb.Fatal(err)
		}
	}
}

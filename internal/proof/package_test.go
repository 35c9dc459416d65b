package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/ziptest"
)

const (
	packageKills = 12 // on each engine
	packages     = "/api/v1/admin/plugins/worker"
)

// An administrator installs, upgrades, rolls back, uninstalls, restores and purges a
// plugin while the process is killed (kill -9) at random moments. After each kill the
// package is in the old state or in the new one, with all files of it, and what was
// answered holds.
func TestPackagesSurviveAKill(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it kills processes and starts them again")

	onEngines(t, func(t *testing.T, c *cluster) {
		seed := newSeed(t)
		rng, waits := rand.New(rand.NewPCG(seed, 0)), rand.New(rand.NewPCG(seed, 1))
		keeper := &shelf{c: c, admin: c.people(t).admin}
		for range amount(t, packageKills) {
			ctx, stop := context.WithCancel(t.Context())
			var work sync.WaitGroup
			work.Go(func() {
				for ctx.Err() == nil {
					if err := keeper.change(ctx, rng); err != nil {
						if errors.Is(err, errOdd) {
							t.Error(err)
						}
						return
					}
				}
			})
			<-time.After(10*time.Millisecond + time.Duration(waits.Int64N(int64(300*time.Millisecond))))
			c.processes[0].kill()
			stop()
			work.Wait()
			if err := c.processes[0].start(); err != nil {
				t.Fatal(err)
			}
			if err := keeper.check(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%d changes were answered, %d not; of those %d had happened", keeper.answered, keeper.open, keeper.happened)
		if !short() && (keeper.answered == 0 || keeper.open == 0) {
			t.Error("the kills did not meet the requests")
		}
	})
}

// shelf is what an administrator knows of the package worker.
type shelf struct {
	c     *cluster
	admin string

	next int   // minor number of the next version
	now  state // as answered last
	then state // if the last request had its effect, which was not answered

	answered, open, happened int
}

// state is that of the package. version is empty without one, and previous without one
// to return to.
type state struct {
	version, previous string
	uninstalled       bool
}

// change makes a random change. An error that is not errOdd means that there was no
// answer.
func (s *shelf) change(ctx context.Context, rng *rand.Rand) error {
	method, path, body := http.MethodPost, packages, []byte(nil)
	want := s.now
	switch n := rng.IntN(10); {
	case s.now.uninstalled && n < 7:
		path += "/restore"
		want.uninstalled = false
	case s.now.uninstalled || n == 0 && s.now.version != "":
		method, path = http.MethodDelete, path+"?purge=true"
		want = state{}
	case n == 1 && s.now.version != "":
		method = http.MethodDelete
		want.uninstalled = true
	case n < 4 && s.now.previous != "":
		path += "/rollback"
		want.version, want.previous = s.now.previous, s.now.version
	default:
		s.next++
		path = "/api/v1/admin/extensions/plugin/install"
		want.version, want.previous = fmt.Sprintf("1.%d.0", s.next), s.now.version
		body = manyFiles(want.version)
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

func (s *shelf) send(ctx context.Context, method, path string, archive []byte) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.c.processes[0].URL()+path, bytes.NewReader(archive))
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Authorization", "Bearer "+s.admin)
	if archive != nil {
		req.Header.Set("Content-Type", "application/zip")
	}
	resp, err := httpClient.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, got}, err
}

// check finds out which state the package is in after a kill: the one that was answered
// last, or the one of the request without an answer. Whatever is installed is whole.
func (s *shelf) check(ctx context.Context) error {
	a, err := s.send(ctx, http.MethodGet, packages, nil)
	if err != nil {
		return err
	}
	var one struct {
		Data struct {
			Version string `json:"version"`
		} `json:"data"`
	}
	if a.status == http.StatusOK {
		if err := json.Unmarshal(a.body, &one); err != nil {
			return err
		}
	}
	visible := func(st state) string {
		if st.uninstalled {
			return ""
		}
		return st.version
	}
	switch one.Data.Version {
	case visible(s.then):
		if s.then != s.now {
			s.happened++
		}
		s.now = s.then
	case visible(s.now):
	default:
		return fmt.Errorf("version %q, want that of %+v or of %+v", one.Data.Version, s.now, s.then)
	}
	if a.status != http.StatusOK {
		// Uninstalled, purged or never installed: that the next change finds out.
		return s.settle(ctx)
	}
	files, err := s.send(ctx, http.MethodGet, "/api/v1/admin/extensions/plugin/worker/files?limit=100", nil)
	if err != nil {
		return err
	}
	if files.status != http.StatusOK || strings.Contains(string(files.body), `"intact":false`) ||
		strings.Count(string(files.body), `"intact":true`) != workerFiles+1 {
		return fmt.Errorf("files of %+v: %w", s.now, odd(files))
	}
	return nil
}

// settle purges what may be there without being visible, and starts over.
func (s *shelf) settle(ctx context.Context) error {
	a, err := s.send(ctx, http.MethodDelete, packages+"?purge=true", nil)
	if err == nil && a.status != http.StatusOK && a.status != http.StatusNotFound {
		err = odd(a)
	}
	s.now = state{}
	s.then = s.now
	return err
}

const workerFiles = 60

// manyFiles is an archive of the plugin worker that takes a while to unpack. Its default
// instance is not enabled, because required config is missing, so nothing is started.
func manyFiles(version string) []byte {
	files := make(map[string]string, workerFiles)
	for i := range workerFiles {
		files[fmt.Sprintf("d%d/f%d.js", i%7, i)] = strings.Repeat(version, 2000)
	}
	return ziptest.Plugin(noTest{}, map[string]any{
		"schemaVersion": 1, "slug": "worker", "name": "Worker", "version": version,
		"runtimeType": "external-http", "externalBaseUrl": "https://plugin.example",
		"configSchema": map[string]any{"key": map[string]any{"type": "string", "required": true}},
	}, files)
}

// noTest lets ziptest build archives in another goroutine than the test's.
type noTest struct{ testing.TB }

func (noTest) Helper() {}

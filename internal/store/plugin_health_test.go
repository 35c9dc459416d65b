package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

// claims returns the instances in whose name packages are asked at a time; they are due
// again a minute later.
func claims(t *testing.T, s *store.Plugin, at time.Time, limit int) []string {
	t.Helper()
	found, err := s.ClaimProbes(t.Context(), at, at.Add(time.Minute), limit)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.Instance.ID
		if f.Instance.Slug != f.Package.Manifest.Slug || f.Instance.Sealed == "" {
			t.Errorf("claimed %+v of %+v", f.Instance, f.Package)
		}
	}
	return ids
}

func testClaimProbes(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	internal := pkg("in")
	internal.Manifest.RuntimeType = plugin.Internal
	asleep := inst("off", "j1", "default")
	asleep.Enabled = false
	other := inst("p2", "k1", "custom")
	err := errors.Join(
		s.CreatePackage(ctx, internal), s.CreateInstance(ctx, inst("in", "l1", "default")),
		s.CreatePackage(ctx, pkg("off")), s.CreateInstance(ctx, asleep),
		s.CreatePackage(ctx, pkg("p2")), s.CreateInstance(ctx, other),
		s.CreatePackage(ctx, pkg("none")),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := func(what string, got []string, ids ...string) {
		t.Helper()
		if !slices.Equal(got, ids) {
			t.Errorf("%s: asked are %v, want %v", what, got, ids)
		}
	}
	want("one of two", claims(t, s, T0, 1), "i1")
	want("the other, in the name of a custom instance", claims(t, s, T0, 9), "k1")
	want("nothing is due", claims(t, s, T0.Add(time.Minute-time.Millisecond), 9))
	want("both are due", claims(t, s, T0.Add(time.Minute), 9), "i1", "k1")

	off := inst("p1", "i1", "default")
	off.Enabled, off.Version = false, 2
	if err := errors.Join(s.UpdateInstance(ctx, off), s.DeletePackage(ctx, "p2", T0)); err != nil {
		t.Fatal(err)
	}
	want("without default, and without p2", claims(t, s, T0.Add(time.Hour), 9), "i2")

	changed := pkg("p1")
	changed.Manifest.RuntimeType = plugin.Internal
	if err := s.ReplaceVersion(ctx, changed, nil); err != nil {
		t.Fatal(err)
	}
	want("a version that stoa runs", claims(t, s, T0.Add(2*time.Hour), 9))
}

func testProbeRace(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	const packages = 20
	for i := range packages {
		slug := fmt.Sprintf("r%d", i)
		err := errors.Join(s.CreatePackage(ctx, pkg(slug)), s.CreateInstance(ctx, inst(slug, "r-"+slug, "default")))
		if err != nil {
			t.Fatal(err)
		}
	}
	for round := range 3 {
		var (
			mu    sync.Mutex
			asked []string
			wg    sync.WaitGroup
		)
		for range 4 {
			wg.Go(func() {
				for range 8 {
					got := claims(t, s, T0.Add(time.Duration(round)*time.Hour), 3)
					mu.Lock()
					asked = append(asked, got...)
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		slices.Sort(asked)
		if len(asked) != packages+1 || len(slices.Compact(asked)) != packages+1 {
			t.Errorf("round %d: %d were asked, want each of %d once: %v", round, len(asked), packages+1, asked)
		}
	}
}

func testHealths(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	want := func(what string, want map[string]plugin.Health) {
		t.Helper()
		for _, slugs := range [][]string{nil, {"p1", "p9"}} {
			got, err := s.Healths(ctx, slugs...)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s, of %v: %v (-want +got):\n%s", what, slugs, err, diff)
			}
		}
	}
	put := func(h plugin.Health) {
		t.Helper()
		if err := s.PutHealth(ctx, "p1", h); err != nil {
			t.Fatal(err)
		}
	}
	at := func(minutes int) time.Time { return T0.Add(time.Duration(minutes) * time.Minute) }
	none := map[string]plugin.Health{}
	good := plugin.Health{ZipHash: "hash-p1", Healthy: true, Since: at(1)}
	put(good)
	want("of a package that was not claimed", none)
	claims(t, s, T0, 9)
	want("claimed, and not yet answered", none)
	good.Due = at(1)
	put(good)
	want("healthy", map[string]plugin.Health{"p1": good})
	later := good
	later.Since = at(2)
	put(later)
	want("still healthy", map[string]plugin.Health{"p1": good})

	bad := plugin.Health{ZipHash: "hash-p1", Since: at(3), Due: at(1), LastError: plugin.Failure{At: at(3), Message: "no"}}
	put(bad)
	want("unhealthy", map[string]plugin.Health{"p1": bad})
	worse := bad
	worse.Since, worse.LastError = at(4), plugin.Failure{At: at(4), Message: "never\x00"}
	put(worse)
	bad.LastError = plugin.Failure{At: at(4), Message: "never"}
	want("still unhealthy, for another reason", map[string]plugin.Health{"p1": bad})

	good = plugin.Health{ZipHash: "hash-p1", Healthy: true, Since: at(5), Due: at(1)}
	put(good)
	good.LastError = bad.LastError
	want("healthy again, with the last error", map[string]plugin.Health{"p1": good})

	next := pkg("p1")
	next.ZipHash = "hash-next"
	if err := s.ReplaceVersion(ctx, next, nil); err != nil {
		t.Fatal(err)
	}
	want("of another archive", none)
	good = plugin.Health{ZipHash: "hash-next", Healthy: true, Since: at(6), Due: at(1)}
	put(good)
	want("healthy, without the error of the archive before", map[string]plugin.Health{"p1": good})
	if err := s.DeletePackage(ctx, "p1", T0); err != nil {
		t.Fatal(err)
	}
	want("of an uninstalled package", none)
	if err := s.PurgePackage(ctx, "p1"); err != nil {
		t.Fatal(err)
	}
	put(good)
	want("of a purged package", none)
}

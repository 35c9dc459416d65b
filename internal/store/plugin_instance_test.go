package store_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

func testFind(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	if err := s.CreatePackage(ctx, pkg("p2")); err != nil {
		t.Fatal(err)
	}
	want := inst("p1", "i1", "default")
	for name, find := range map[string]func() (plugin.Package, plugin.StoredInstance, error){
		"FindByID":  func() (plugin.Package, plugin.StoredInstance, error) { return s.FindByID(ctx, "p1", "i1") },
		"FindByKey": func() (plugin.Package, plugin.StoredInstance, error) { return s.FindByKey(ctx, "p1", "default") },

		"FindInstallation": func() (plugin.Package, plugin.StoredInstance, error) { return s.FindInstallation(ctx, "i1") },
	} {
		p, got, err := find()
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s = %v (-want +got):\n%s", name, err, diff)
		}
		if diff := cmp.Diff(pkg("p1"), p); diff != "" {
			t.Errorf("%s: package (-want +got):\n%s", name, diff)
		}
	}
	_, _, err := s.FindByID(ctx, "p2", "i1")
	wantKind(t, err, errs.NotFound)
	_, _, err = s.FindByKey(ctx, "p2", "default")
	wantKind(t, err, errs.NotFound)
	_, _, err = s.FindInstallation(ctx, "i9")
	wantKind(t, err, errs.NotFound)
}

// The database counts how often an instance was enabled, whoever enables it.
func testEnabling(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	in := inst("p1", "i3", "three")
	in.Enabled = false
	if err := s.CreateInstance(ctx, in); err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct {
		enabled bool
		want    int64
	}{{false, 1}, {true, 2}, {true, 2}, {false, 2}, {true, 3}} {
		in.Enabled, in.Enabling = tt.enabled, 99 // what is written does not count
		in.Version++
		if err := s.UpdateInstance(ctx, in); err != nil {
			t.Fatal(err)
		}
		if _, got, err := s.FindByID(ctx, "p1", "i3"); err != nil || got.Enabling != tt.want {
			t.Errorf("%d: Enabling = %d, %v; want %d", i, got.Enabling, err, tt.want)
		}
	}
}

// An instance is found until its package is purged.
func testFindUnpurged(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	want := func(when string, found bool) {
		t.Helper()
		p, in, err := s.FindUnpurged(ctx, "i1")
		if found && (err != nil || in.ID != "i1" || p.Manifest.Slug != "p1") {
			t.Errorf("%s: %v, %v, %v", when, p.Manifest.Slug, in.ID, err)
		}
		if !found && errs.KindOf(err) != errs.NotFound {
			t.Errorf("%s: %v, want an errs.NotFound", when, err)
		}
	}
	want("at first", true)
	in := inst("p1", "i1", "default")
	in.Enabled, in.DeletedAt = false, T0
	in.Version++
	if err := s.UpdateInstance(ctx, in); err != nil {
		t.Fatal(err)
	}
	want("deleted", true)
	if err := s.DeletePackage(ctx, "p1", T0); err != nil {
		t.Fatal(err)
	}
	want("uninstalled", true)
	if err := s.PurgePackage(ctx, "p1"); err != nil {
		t.Fatal(err)
	}
	want("purged", false)
}

func testLive(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	off, gone := inst("p1", "i3", "off"), inst("p1", "i4", "gone")
	off.Enabled = false
	err := errors.Join(s.CreateInstance(ctx, off), s.CreateInstance(ctx, gone),
		s.CreatePackage(ctx, pkg("p2")), s.CreateInstance(ctx, inst("p2", "j1", "default")))
	if err != nil {
		t.Fatal(err)
	}
	gone.Version, gone.DeletedAt = 2, T0
	changed := inst("p1", "i2", "two")
	changed.Version = 2
	if err := errors.Join(s.UpdateInstance(ctx, gone), s.UpdateInstance(ctx, changed)); err != nil {
		t.Fatal(err)
	}
	want := func(what string, ids []string, want map[string]plugin.Revision) {
		t.Helper()
		got, err := s.LiveInstances(ctx, ids, T0)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
	}
	all := []string{"i1", "i2", "i3", "i4", "i9", "j1"}
	i1 := plugin.Revision{Instance: 1, ZipHash: "hash-p1", Updated: T0.Add(time.Second)}
	i2, j1 := i1, i1
	i2.Instance, j1.ZipHash = 2, "hash-p2"
	want("all", all, map[string]plugin.Revision{"i1": i1, "i2": i2, "j1": j1})
	want("one", []string{"i2"}, map[string]plugin.Revision{"i2": i2})
	want("none", nil, map[string]plugin.Revision{})
	known := func(what string, want ...string) { // disabled ones, too
		t.Helper()
		got, err := s.KnownInstances(ctx, slices.Concat(all, slices.Repeat([]string{"i9"}, 1_000)))
		if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, want) || err != nil {
			t.Errorf("%s: known are %q, %v; want %q", what, list, err, want)
		}
	}
	known("at first", "i1", "i2", "i3", "j1")
	if err := s.DeletePackage(ctx, "p1", T0); err != nil {
		t.Fatal(err)
	}
	want("after an uninstall", all, map[string]plugin.Revision{"j1": j1})
	known("after an uninstall", "j1")
}

func testKeyOnce(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	state := func(key string) plugin.KeyState {
		st, err := s.KeyState(ctx, "p1", key)
		if err != nil {
			t.Error(err)
		}
		return st
	}
	if got := state("three"); got != plugin.KeyFree {
		t.Errorf("state of an unused key = %v", got)
	}
	if got := state("two"); got != plugin.KeyTaken {
		t.Errorf("state of a used key = %v", got)
	}
	wantKind(t, s.CreateInstance(ctx, inst("p1", "i3", "two")), errs.Conflict)
	gone := inst("p1", "i2", "two")
	gone.Version, gone.DeletedAt = 2, T0
	if err := s.UpdateInstance(ctx, gone); err != nil {
		t.Fatal(err)
	}
	if got := state("two"); got != plugin.KeyDeleted {
		t.Errorf("state of a deleted instance's key = %v", got)
	}
	wantKind(t, s.CreateInstance(ctx, inst("p1", "i3", "two")), errs.Conflict)
}

func testUpdate(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	want := inst("p1", "i1", "default")
	want.Undecided = []string{}
	want.Enabled, want.Sealed, want.Granted, want.Version, want.UpdatedAt = false, "", []string{}, 2, T0.Add(time.Hour)
	if err := s.UpdateInstance(ctx, want); err != nil {
		t.Fatal(err)
	}
	_, got, err := s.FindByID(ctx, "p1", "i1")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("after the update: %v (-want +got):\n%s", err, diff)
	}
}

func testUpdateStale(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	for _, version := range []int64{1, 3} {
		in := inst("p1", "i1", "default")
		in.Version, in.Enabled = version, false
		wantKind(t, s.UpdateInstance(ctx, in), errs.Conflict)
	}
	if _, got, err := s.FindByID(ctx, "p1", "i1"); err != nil || !got.Enabled || got.Version != 1 {
		t.Errorf("instance = %+v, %v; want it unchanged", got, err)
	}
}

func testDeletedInstance(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	in := inst("p1", "i2", "two")
	in.Version, in.DeletedAt, in.Enabled = 2, T0, false
	if err := s.UpdateInstance(ctx, in); err != nil {
		t.Fatal(err)
	}
	_, _, err := s.FindByID(ctx, "p1", "i2")
	wantKind(t, err, errs.NotFound)
	_, _, err = s.FindByKey(ctx, "p1", "two")
	wantKind(t, err, errs.NotFound)
	_, _, err = s.FindInstallation(ctx, "i2")
	wantKind(t, err, errs.NotFound)
	in.Version = 3
	wantKind(t, s.UpdateInstance(ctx, in), errs.NotFound)
	if _, total, err := s.ListInstances(ctx, "p1", plugin.InstanceQuery{Limit: 9}); err != nil || total != 1 {
		t.Errorf("ListInstances: total %d, %v; want 1", total, err)
	}
}

func testEventUse(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	for _, want := range []time.Time{{}, T0.Add(time.Millisecond), T0} {
		if !want.IsZero() {
			if err := s.SaveEventUse(ctx, "i1", want); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.LockEventUse(ctx, "i1"); err != nil || !got.Equal(want) {
			t.Errorf("LockEventUse = %v, %v; want %v", got, err, want)
		}
	}
	if got, err := s.LockEventUse(ctx, "i2"); err != nil || !got.IsZero() {
		t.Errorf("LockEventUse of another = %v, %v; want none", got, err)
	}
	_, err := s.LockEventUse(ctx, "i9")
	wantKind(t, err, errs.NotFound)
	if err := s.PurgePackage(ctx, "p1"); err != nil {
		t.Errorf("the use holds up a purge: %v", err)
	}
}

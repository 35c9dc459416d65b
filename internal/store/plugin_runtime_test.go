package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

func testPackageSettings(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	want := plugin.Settings{
		KeepRunning: true, StartTimeoutMs: 2000, TimeoutMs: 3000, MemoryMb: 256, Sealed: "sealed", Version: 7,
	}
	for _, settings := range []plugin.Settings{want, {Version: 8}, want} {
		if err := s.UpdateSettings(ctx, "p1", settings); err != nil {
			t.Fatal(err)
		}
		p, err := s.GetPackage(ctx, "p1")
		if diff := cmp.Diff(settings, p.Settings); diff != "" || err != nil {
			t.Errorf("GetPackage = %v (-want +got):\n%s", err, diff)
		}
	}
	p, _, err := s.FindByID(ctx, "p1", "i1")
	if diff := cmp.Diff(want, p.Settings); diff != "" || err != nil {
		t.Errorf("FindByID = %v (-want +got):\n%s", err, diff)
	}
	live, err := s.LiveInstances(ctx, []string{"i1"}, T0)
	if err != nil || live["i1"].Settings != 7 {
		t.Errorf("LiveInstances = %+v, %v; want settings version 7", live, err)
	}
	wantKind(t, s.UpdateSettings(ctx, "p9", want), errs.NotFound)
	if err := s.DeletePackage(ctx, "p1", T0); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.UpdateSettings(ctx, "p1", want), errs.NotFound)
}

func testKeptRunning(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	off := inst("p1", "i3", "off")
	off.Enabled = false
	err := errors.Join(s.CreateInstance(ctx, off), s.CreatePackage(ctx, pkg("p2")),
		s.CreateInstance(ctx, inst("p2", "j1", "default")))
	if err != nil {
		t.Fatal(err)
	}
	want := func(what string, ids ...string) {
		t.Helper()
		var got []string
		found, err := s.KeptRunning(ctx)
		for _, f := range found {
			got = append(got, f.Instance.ID)
			if f.Package.Manifest.Slug != f.Instance.Slug || !f.Package.Settings.KeepRunning {
				t.Errorf("%s: package %+v of instance %+v", what, f.Package, f.Instance)
			}
		}
		if diff := cmp.Diff(ids, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
	}
	want("none")
	if err := s.UpdateSettings(ctx, "p1", plugin.Settings{KeepRunning: true, Version: 1}); err != nil {
		t.Fatal(err)
	}
	want("the enabled ones", "i1", "i2")
	if err := s.DeletePackage(ctx, "p1", T0); err != nil {
		t.Fatal(err)
	}
	want("after an uninstall")
}

func testFailures(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	revision := plugin.Revision{Instance: 1, ZipHash: "hash-p1"}
	first := plugin.Failure{At: T0, Message: "Error: no", File: "lib/a.js", Line: 12}
	last := plugin.Failure{At: T0.Add(time.Hour), Message: "Error: never"}
	want := func(what string, want map[string]plugin.Failure) {
		t.Helper()
		got, err := s.Failures(ctx, []string{"i1", "i2", "i9"})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
		}
	}
	want("none", map[string]plugin.Failure{})
	if err := errors.Join(s.PutFailure(ctx, "i1", revision, first), s.PutFailure(ctx, "i2", revision, first)); err != nil {
		t.Fatal(err)
	}
	want("one each", map[string]plugin.Failure{"i1": first, "i2": first})
	if err := s.PutFailure(ctx, "i1", revision, last); err != nil {
		t.Fatal(err)
	}
	want("the last", map[string]plugin.Failure{"i1": last, "i2": first})
	changed := inst("p1", "i1", "default")
	changed.Version = 2
	if err := s.UpdateInstance(ctx, changed); err != nil {
		t.Fatal(err)
	}
	want("after a change of one", map[string]plugin.Failure{"i2": first})
	other := revision
	other.ZipHash = "another"
	if err := s.PutFailure(ctx, "i2", other, last); err != nil {
		t.Fatal(err)
	}
	want("of another archive", map[string]plugin.Failure{})
	if got, err := s.Failures(ctx, nil); len(got) > 0 || err != nil {
		t.Errorf("of none: %v, %v", got, err)
	}
	odd := plugin.Failure{At: T0, Message: "a\x00b\xff"}
	if err := s.PutFailure(ctx, "i2", revision, odd); err != nil {
		t.Errorf("a message that is no text: %v", err)
	}
	if err := s.PutFailure(ctx, "i9", revision, first); err == nil {
		t.Error("a failure of an unknown instance was kept")
	}
}

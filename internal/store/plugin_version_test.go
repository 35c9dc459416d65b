package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

func testVersions(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	_, err := s.PreviousVersion(ctx, "p1")
	wantKind(t, err, errs.NotFound)

	was := pkg("p1")
	next := was
	next.ID, next.InstallPath, next.ZipHash, next.UpgradeID = "other", "plugins/p1/2.0.0-11", "hash-2", "request"
	next.Source, next.SignedBy = plugin.SourceMarket, "another-key"
	next.Manifest = pkg("p1").Manifest
	next.InstalledAt, next.UpdatedAt = T0.Add(time.Hour), T0.Add(2*time.Hour)
	previous := plugin.Version{
		Source: was.Source, InstallPath: was.InstallPath, ZipHash: was.ZipHash, SignedBy: was.SignedBy,
		Manifest: was.Manifest,
	}
	if err := s.ReplaceVersion(ctx, next, &previous); err != nil {
		t.Fatal(err)
	}
	want := next
	want.ID, want.InstalledAt = was.ID, was.InstalledAt // the package stays the same one
	got, err := s.GetPackage(ctx, "p1")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("package: %v\n%s", err, diff)
	}
	back, err := s.PreviousVersion(ctx, "p1")
	if diff := cmp.Diff(previous, back); err != nil || diff != "" {
		t.Errorf("previous: %v\n%s", err, diff)
	}
	// Without a previous one, the version to return to stays.
	next.ZipHash, next.InstallPath = "hash-3", "plugins/p1/2.0.0-22"
	if err := s.ReplaceVersion(ctx, next, nil); err != nil {
		t.Fatal(err)
	}
	if back, _ := s.PreviousVersion(ctx, "p1"); back.ZipHash != was.ZipHash {
		t.Errorf("previous = %+v", back)
	}
	paths, err := s.InstallPaths(ctx)
	if want := []string{was.InstallPath, "plugins/p1/2.0.0-22"}; err != nil || !slices.Equal(paths, want) {
		t.Errorf("paths = %q, %v; want %q", paths, err, want)
	}
	if err := s.DeletePackage(ctx, "p1", T0); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.ReplaceVersion(ctx, next, nil), errs.NotFound)
	if paths, _ := s.InstallPaths(ctx); len(paths) != 2 {
		t.Errorf("paths of an uninstalled package = %q", paths)
	}
}

func testRestore(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	wantKind(t, s.RestorePackage(ctx, "p1", T0), errs.NotFound)
	_, _, err := s.FindUninstalled(ctx, "p1", "default")
	wantKind(t, err, errs.NotFound)
	if err := s.DeletePackage(ctx, "p1", T0.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	p, in, err := s.FindUninstalled(ctx, "p1", "default")
	if err != nil || p.DeletedAt.IsZero() || in.ID != "i1" || in.Enabled {
		t.Errorf("FindUninstalled = %+v, %+v, %v", p, in, err)
	}
	if err := s.RestorePackage(ctx, "p1", T0.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	p, in, err = s.FindByKey(ctx, "p1", "default")
	if err != nil || !p.DeletedAt.IsZero() || !p.UpdatedAt.Equal(T0.Add(time.Hour)) || in.Enabled {
		t.Errorf("FindByKey = %+v, %+v, %v", p, in, err)
	}
	if secret, err := s.GetSecret(ctx, "p1"); err != nil || secret.Current != "c" {
		t.Errorf("secret = %+v, %v", secret, err)
	}
}

func testPurge(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	in, err := s.GetPackage(ctx, "p1")
	if err != nil {
		t.Fatal(err)
	}
	v := plugin.Version{Source: in.Source, InstallPath: "x", ZipHash: "y", Manifest: in.Manifest}
	if err := s.ReplaceVersion(ctx, in, &v); err != nil {
		t.Fatal(err)
	}
	if err := s.PutFailure(ctx, "i1", plugin.Revision{Instance: 1}, plugin.Failure{At: T0, Message: "m"}); err != nil {
		t.Fatal(err)
	}
	if err := s.PurgePackage(ctx, "p1"); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.PurgePackage(ctx, "p1"), errs.NotFound)
	_, err = s.GetPackage(ctx, "p1")
	wantKind(t, err, errs.NotFound)
	_, err = s.GetSecret(ctx, "p1")
	wantKind(t, err, errs.NotFound)
	_, err = s.PreviousVersion(ctx, "p1")
	wantKind(t, err, errs.NotFound)
	if state, err := s.KeyState(ctx, "p1", "two"); err != nil || state != plugin.KeyFree {
		t.Errorf("key = %v, %v", state, err)
	}
	if paths, err := s.InstallPaths(ctx); err != nil || len(paths) != 0 {
		t.Errorf("paths = %q, %v", paths, err)
	}
	if err := s.CreatePackage(ctx, pkg("p1")); err != nil {
		t.Errorf("the slug is not free: %v", err)
	}
}

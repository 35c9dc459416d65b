package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

// publishing is a package with a block.
func publishing(tb testing.TB, slug string) plugin.Package {
	tb.Helper()
	p := pkg(slug)
	m, err := plugin.DecodeManifest([]byte(`{"schemaVersion":1,"slug":"` + slug + `","name":"N","version":"1.2.3",
		"runtimeType":"external-http","externalBaseUrl":"https://x.example",
		"themeExtensions":{"blocks":[{"extensionId":"b","name":"B"}]}}`))
	if err != nil {
		tb.Fatal(err)
	}
	p.Manifest = m
	return p
}

func publishers(tb testing.TB, s *store.Plugin) map[string]int {
	tb.Helper()
	list, err := s.Publishers(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	found := make(map[string]int)
	for _, p := range list {
		found[p.Package.Manifest.Slug] = p.Instances
		if !p.Package.Manifest.ThemeExtensions.Any() {
			tb.Errorf("%s has no theme extensions", p.Package.Manifest.Slug)
		}
	}
	return found
}

func testPublishers(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	third := inst("p1", "i3", "three")
	third.CreatedAt = T0.Add(2 * time.Minute)
	if err := s.CreateInstance(ctx, third); err != nil {
		t.Fatal(err)
	}
	if err := s.CreatePackage(ctx, publishing(t, "p2")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"p2": 0}, publishers(t, s)); diff != "" {
		t.Errorf("publishers (-want +got):\n%s", diff)
	}
	// A version that has extensions, and then one without.
	next := publishing(t, "p1")
	next.ZipHash = "hash-2"
	if err := s.ReplaceVersion(ctx, next, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"p1": 3, "p2": 0}, publishers(t, s)); diff != "" {
		t.Errorf("publishers (-want +got):\n%s", diff)
	}
	two := inst("p1", "i2", "two")
	two.Enabled, two.Version = false, 2
	if err := s.UpdateInstance(ctx, two); err != nil {
		t.Fatal(err)
	}
	names, err := s.EnabledInstances(ctx, "p1", 10, 0)
	want := []plugin.InstanceName{{ID: "i1", Key: "default"}, {ID: "i3", Key: "three"}}
	if diff := cmp.Diff(want, names); diff != "" || err != nil {
		t.Errorf("enabled instances: %v (-want +got):\n%s", err, diff)
	}
	names, err = s.EnabledInstances(ctx, "p1", 1, 1)
	if diff := cmp.Diff(want[1:], names); diff != "" || err != nil {
		t.Errorf("the second enabled instance: %v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff(map[string]int{"p1": 2, "p2": 0}, publishers(t, s)); diff != "" {
		t.Errorf("publishers (-want +got):\n%s", diff)
	}
	if err := s.DeletePackage(ctx, "p2", T0); err != nil {
		t.Fatal(err)
	}
	plain := pkg("p1")
	plain.ZipHash = "hash-3"
	if err := s.ReplaceVersion(ctx, plain, nil); err != nil {
		t.Fatal(err)
	}
	if got := publishers(t, s); len(got) != 0 {
		t.Errorf("publishers = %v, want none", got)
	}
}

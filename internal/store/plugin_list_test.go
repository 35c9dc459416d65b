package store_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"stoa/internal/base/text"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

// wantPackages fails the test unless a query finds packages in that order on its page, of so
// many in all.
func wantPackages(t *testing.T, s *store.Plugin, q plugin.PackageQuery, total int, want ...string) {
	t.Helper()
	list, found, err := s.ListPackages(t.Context(), q)
	got := make([]string, len(list))
	for i, p := range list {
		got[i] = p.Manifest.Slug
	}
	if err != nil || found != total || !slices.Equal(got, want) {
		t.Errorf("ListPackages(%+v) = %v of %d, %v; want %v of %d", q, got, found, err, want, total)
	}
}

func testPackageSearch(t *testing.T, open Open) {
	s := store.NewPlugin(open(t))
	add := func(i int, slug, name, runtime, more string) {
		raw := fmt.Sprintf(`{"schemaVersion":1,"slug":%q,"name":%q,"version":"1.0.0","runtimeType":%q%s}`,
			slug, name, runtime, more)
		m, err := plugin.DecodeManifest([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		p := pkg(slug)
		p.Manifest, p.UpdatedAt = m, T0.Add(time.Duration(i%3)*time.Hour)
		if err := s.CreatePackage(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	const external = `,"externalBaseUrl":"https://x.example"`
	add(0, "mail-courier", "Mail Courier", "external-http", external)
	add(1, "rates", "Übersee 100%", "external-http", external)
	// Nothing but the name is read of a manifest, whatever else it holds.
	add(2, "points", "a_b", "internal-fastify", `,"entryModule":"i.js","x":{"name":"Courier","nul":"\\u0000"}`)
	add(3, "blog", "blog", "internal-fastify", `,"entryModule":"i.js"`)
	add(4, "gone", "Courier", "external-http", external)
	if err := s.DeletePackage(t.Context(), "gone", T0); err != nil {
		t.Fatal(err)
	}
	for search, want := range map[string][]string{
		"COURIER": {"mail-courier"}, "l-c": {"mail-courier"}, "l c": {"mail-courier"},
		"a": {"mail-courier", "points", "rates"}, "none": {},
		"übersee": {"rates"}, "U\u0308BERSEE": {"rates"}, "%": {"rates"}, "_": {"points"}, `\`: {}, "~": {}, "'": {},
	} {
		wantPackages(t, s, plugin.PackageQuery{Search: search, Limit: 9}, len(want), want...)
	}
	wantPackages(t, s, plugin.PackageQuery{Search: "a", Limit: 2}, 3, "mail-courier", "points")
	wantPackages(t, s, plugin.PackageQuery{Search: "a", Limit: 2, Offset: 2}, 3, "rates")
	wantPackages(t, s, plugin.PackageQuery{Search: "a", Limit: 2, Offset: math.MaxInt}, 3)
	wantPackages(t, s, plugin.PackageQuery{Runtime: plugin.Internal, Limit: 9}, 2, "blog", "points")
	wantPackages(t, s, plugin.PackageQuery{Runtime: plugin.External, Search: "a", Sort: "-slug", Limit: 9},
		2, "rates", "mail-courier")
	wantPackages(t, s, plugin.PackageQuery{Sort: "name", Limit: 9}, 4, "points", "blog", "mail-courier", "rates")
	wantPackages(t, s, plugin.PackageQuery{Search: "r", Sort: "-updated", Limit: 9}, 2, "rates", "mail-courier")
	wantSorted(t, plugin.PackageSorts, 4, func(sort string, limit, offset int) (rows []sortedRow, total int, err error) {
		list, total, err := s.ListPackages(t.Context(), plugin.PackageQuery{Sort: sort, Limit: limit, Offset: offset})
		for _, p := range list {
			rows = append(rows, sortedRow{p.Manifest.Slug, map[string]any{
				"slug": p.Manifest.Slug, "name": text.Fold(p.Manifest.Name), "updated": p.UpdatedAt.UnixMilli(),
			}})
		}
		return rows, total, err
	})
}

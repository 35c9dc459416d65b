package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/extension/theme"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

func testThemes(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *store.Theme, Open){
		"Versions": testThemeVersions, "Uninstall": testThemeUninstall, "List": testThemeList, "State": testThemeState,
		"Lock": testThemeLock, "Transaction": testThemeTransaction,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := open(t)
			test(t, store.NewTheme(db), func(testing.TB) *database.DB { return db })
		})
	}
}

// themeVersion is a version of a theme of that kind.
func themeVersion(kind extension.Kind, slug, number string) theme.Version {
	raw := fmt.Sprintf(`{"schemaVersion":1,"slug":%q,"name":"N","version":%q,"entry":"a.css","extra":{"x":[1]},`+
		`"defaultConfig":{"a":1},"configSchema":{"a":{"type":"number"}}}`, slug, number)
	m, err := theme.DecodeManifest(kind, []byte(raw))
	if err != nil {
		panic(err)
	}
	id := strings.Join([]string{string(kind), slug, number}, "-")
	return theme.Version{
		ID: "id-" + id, Kind: kind, Manifest: m, InstalledAt: T0, UpdatedAt: T0.Add(time.Second),
		Files: extension.Files{PackageID: "request-" + id, InstallPath: id, ZipHash: "hash-" + id},
	}
}

func mustPut(tb testing.TB, s theme.Store, versions ...theme.Version) {
	tb.Helper()
	for _, v := range versions {
		if err := s.PutVersion(context.Background(), v); err != nil {
			tb.Fatal(err)
		}
	}
}

func versionsByNumber(tb testing.TB, s theme.Store, target theme.Target, slug string) []theme.Version {
	tb.Helper()
	list, err := s.Versions(context.Background(), target, slug)
	if err != nil {
		tb.Fatal(err)
	}
	slices.SortFunc(list, func(a, b theme.Version) int { return strings.Compare(a.Manifest.Version, b.Manifest.Version) })
	return list
}

func testThemeVersions(t *testing.T, s *store.Theme, _ Open) {
	ctx := t.Context()
	one, two := themeVersion("theme-shop", "aurora", "1.0.0"), themeVersion("theme-shop", "aurora", "2.0.0")
	two.Replaced, two.FromMarket, two.SignedBy = true, true, "acme"
	mustPut(t, s, one, two, themeVersion("theme-admin", "aurora", "1.0.0"), themeVersion("theme-shop", "other", "1.0.0"))
	got := versionsByNumber(t, s, theme.Shop, "aurora")
	if diff := cmp.Diff([]theme.Version{one, two}, got); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	place, err := s.FindPlace(ctx, theme.Shop, "aurora", "2.0.0")
	wanted := theme.Place{ID: two.ID, Kind: two.Kind, InstallPath: two.InstallPath, ZipHash: two.ZipHash, Replaced: true}
	if err != nil || place != wanted {
		t.Errorf("FindPlace = %+v, %v", place, err)
	}
	if kind, err := s.FindKind(ctx, two.ID); kind != two.Kind || err != nil {
		t.Errorf("FindKind = %s, %v", kind, err)
	}
	_, err = s.FindKind(ctx, "id")
	mustBe(t, "FindKind of an unknown id", err, errs.NotFound)
	for _, unknown := range [][3]string{
		{"shop", "aurora", "3.0.0"},
		{"shop", "none", "1.0.0"},
		{"admin", "other", "1.0.0"},
	} {
		_, err := s.FindPlace(ctx, theme.Target(unknown[0]), unknown[1], unknown[2])
		mustBe(t, fmt.Sprint("FindPlace ", unknown), err, errs.NotFound)
	}
	found, err := s.FindArchive(ctx, "theme-shop", two.ZipHash)
	if diff := cmp.Diff(two, found); err != nil || diff != "" {
		t.Errorf("FindArchive: %v\n%s", err, diff)
	}
	_, err = s.FindArchive(ctx, "theme-admin", two.ZipHash)
	mustBe(t, "FindArchive of another kind", err, errs.NotFound)

	// In place of the same version.
	again := themeVersion("theme-shop", "aurora", "1.0.0")
	again.ID, again.InstallPath, again.ZipHash, again.PackageID = "new", "new-path", "new-hash", "new-request"
	again.Replaced, again.InstalledAt, again.UpdatedAt = true, T0.Add(time.Hour), T0.Add(2*time.Hour)
	again.Manifest.Name = "N" // as in Raw
	mustPut(t, s, again)
	if diff := cmp.Diff([]theme.Version{again, two}, versionsByNumber(t, s, theme.Shop, "aurora")); diff != "" {
		t.Errorf("replaced (-want +got):\n%s", diff)
	}
	paths, err := s.InstallPaths(ctx, "theme-shop")
	want := []string{"new-path", "theme-shop-aurora-2.0.0", "theme-shop-other-1.0.0"}
	if err != nil || !slices.Equal(paths, want) {
		t.Errorf("InstallPaths = %q, %v", paths, err)
	}
}

func testThemeUninstall(t *testing.T, s *store.Theme, _ Open) {
	ctx := t.Context()
	mustPut(t, s, themeVersion("theme-shop", "aurora", "1.0.0"), themeVersion("theme-admin", "aurora", "1.0.0"),
		themeVersion("theme-shop", "other", "1.0.0"))
	later := T0.Add(time.Hour)
	if err := s.DeleteVersions(ctx, theme.Shop, "aurora", later); err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, themeVersion("theme-shop", "aurora", "2.0.0"))
	got := versionsByNumber(t, s, theme.Shop, "aurora")
	if len(got) != 2 || !got[0].DeletedAt.Equal(later) || !got[0].UpdatedAt.Equal(later) || !got[1].DeletedAt.IsZero() {
		t.Errorf("versions = %+v", got)
	}
	_, err := s.FindPlace(ctx, theme.Shop, "aurora", "1.0.0")
	mustBe(t, "FindPlace of an uninstalled one", err, errs.NotFound)
	_, err = s.FindArchive(ctx, "theme-shop", got[0].ZipHash)
	mustBe(t, "FindArchive of an uninstalled one", err, errs.NotFound)
	_, err = s.FindKind(ctx, got[0].ID)
	mustBe(t, "FindKind of an uninstalled one", err, errs.NotFound)
	if paths, err := s.InstallPaths(ctx, "theme-shop"); err != nil || len(paths) != 3 {
		t.Errorf("InstallPaths = %q, %v", paths, err)
	}
	// What was uninstalled before keeps its time.
	if err := s.DeleteVersions(ctx, theme.Shop, "aurora", later.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := versionsByNumber(t, s, theme.Shop, "aurora"); !got[0].DeletedAt.Equal(later) || got[1].DeletedAt.IsZero() {
		t.Errorf("versions = %+v", got)
	}
	if err := s.PurgeVersion(ctx, got[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := versionsByNumber(t, s, theme.Shop, "aurora"); len(got) != 1 || got[0].Manifest.Version != "2.0.0" {
		t.Errorf("one version purged, and there are %+v", got)
	}
	if err := s.PurgeVersion(ctx, "unknown"); err != nil {
		t.Errorf("PurgeVersion of an unknown one: %v", err)
	}
	if err := s.PurgeVersions(ctx, theme.Shop, "aurora"); err != nil {
		t.Fatal(err)
	}
	if got := versionsByNumber(t, s, theme.Shop, "aurora"); len(got) != 0 {
		t.Errorf("purged, but there are %+v", got)
	}
	for _, rest := range []struct{ target, slug string }{{"admin", "aurora"}, {"shop", "other"}} {
		if got := versionsByNumber(t, s, theme.Target(rest.target), rest.slug); len(got) != 1 || !got[0].DeletedAt.IsZero() {
			t.Errorf("%v: %+v", rest, got)
		}
	}
}

func testThemeList(t *testing.T, s *store.Theme, _ Open) {
	ctx := t.Context()
	mustPut(t, s,
		themeVersion("theme-shop", "b", "1.0.0"), themeVersion("theme-shop", "a", "1.0.0"),
		themeVersion("theme-shop", "b", "2.0.0"), themeVersion("theme-admin", "b", "1.0.0"),
		themeVersion("theme-shop", "gone", "1.0.0"), themeVersion("theme-shop", "c", "1.0.0"),
		themeVersion("theme-app-shop", "night-sky", "1.0.0"))
	if err := s.DeleteVersions(ctx, theme.Shop, "gone", T0); err != nil {
		t.Fatal(err)
	}
	all := "theme-admin-b-1.0.0 theme-app-shop-night-sky-1.0.0 " +
		"theme-shop-a-1.0.0 theme-shop-b-1.0.0 theme-shop-b-2.0.0 theme-shop-c-1.0.0"
	yes, no := true, false
	tests := []struct {
		q     theme.Query
		want  string
		total int
	}{
		{theme.Query{Limit: 10}, all, 5},
		{theme.Query{Limit: 2, Offset: 2}, "theme-shop-a-1.0.0 theme-shop-b-1.0.0 theme-shop-b-2.0.0", 5},
		{
			theme.Query{Kind: "theme-shop", Limit: 10, Offset: 1},
			"theme-shop-b-1.0.0 theme-shop-b-2.0.0 theme-shop-c-1.0.0", 3,
		},
		{theme.Query{Kind: "theme-admin", Limit: 10}, "theme-admin-b-1.0.0", 1},
		{theme.Query{Kind: "theme-shop", Limit: 10, Offset: 3}, "", 3},
		{theme.Query{}, "", 5},
		{theme.Query{Target: theme.Admin, Limit: 10}, "theme-admin-b-1.0.0", 1},
		{theme.Query{Target: theme.Shop, Limit: 1}, "theme-app-shop-night-sky-1.0.0", 4},
		{theme.Query{App: &yes, Limit: 10}, "theme-app-shop-night-sky-1.0.0", 1},
		{theme.Query{App: &no, Limit: 1}, "theme-admin-b-1.0.0", 4},
		{theme.Query{Target: theme.Admin, App: &yes, Limit: 10}, "", 0},
		{theme.Query{Search: "Night S", Limit: 10}, "theme-app-shop-night-sky-1.0.0", 1},
		{theme.Query{Search: "B", Target: theme.Shop, Limit: 10}, "theme-shop-b-1.0.0 theme-shop-b-2.0.0", 1},
		{theme.Query{Search: "%", Limit: 10}, "", 0},
		{theme.Query{Search: "gone", Limit: 10}, "", 0},
	}
	for _, tt := range tests {
		list, total, err := s.ListThemes(ctx, tt.q)
		var paths []string
		for _, v := range list {
			paths = append(paths, v.InstallPath)
		}
		if got := strings.Join(paths, " "); err != nil || got != tt.want || total != tt.total {
			t.Errorf("ListThemes(%+v) = %s, %d, %v; want %s, %d", tt.q, got, total, err, tt.want, tt.total)
		}
	}
}

func testThemeState(t *testing.T, s *store.Theme, _ Open) {
	ctx := t.Context()
	for _, target := range []theme.Target{theme.Shop, theme.Admin} {
		if got, err := s.State(ctx, target); err != nil || got != (theme.State{}) {
			t.Errorf("%s at first: %+v, %v", target, got, err)
		}
	}
	want := theme.State{
		Active:   theme.Choice{Slug: "a", Version: "1.0.0", Sealed: "x"},
		Previous: theme.Choice{Slug: "b", Version: "2.0.0", Sealed: "y"},
	}
	if err := s.PutState(ctx, theme.Shop, want); err != nil {
		t.Fatal(err)
	}
	if got, err := s.State(ctx, theme.Shop); err != nil || got != want {
		t.Errorf("state = %+v, %v", got, err)
	}
	if got, _ := s.State(ctx, theme.Admin); got != (theme.State{}) {
		t.Errorf("the other target has %+v", got)
	}
	if err := s.PutState(ctx, theme.Shop, theme.State{}); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.State(ctx, theme.Shop); got != (theme.State{}) {
		t.Errorf("state = %+v, want none", got)
	}
}

// Two that read the state of a target to change it do so one after the other.
func testThemeLock(t *testing.T, s *store.Theme, _ Open) {
	const changes = 20
	var all sync.WaitGroup
	for range changes {
		all.Go(func() {
			err := s.InTx(t.Context(), func(st theme.Store) error {
				state, err := st.State(t.Context(), theme.Shop)
				if err != nil {
					return err
				}
				state.Active.Slug += "x"
				return st.PutState(t.Context(), theme.Shop, state)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got, err := s.State(t.Context(), theme.Shop); err != nil || len(got.Active.Slug) != changes {
		t.Errorf("%d of %d changes are kept, %v", len(got.Active.Slug), changes, err)
	}
}

func testThemeTransaction(t *testing.T, s *store.Theme, open Open) {
	log := store.NewAudit(open(t))
	undo := errors.New("undo")
	for _, result := range []error{undo, nil} {
		err := s.InTx(t.Context(), func(st theme.Store) error {
			mustPut(t, st, themeVersion("theme-shop", "aurora", "1.0.0"))
			e := entry("e1", T0)
			e.Action = audit.ThemeInstall
			if err := st.Record(t.Context(), e); err != nil {
				return err
			}
			return result
		})
		if !errors.Is(err, result) {
			t.Fatalf("InTx = %v, want %v", err, result)
		}
		want := 0
		if result == nil {
			want = 1
		}
		_, entries, err := log.ListEntries(t.Context(), audit.Query{Limit: 10})
		if got := len(versionsByNumber(t, s, theme.Shop, "aurora")); got != want || entries != want || err != nil {
			t.Errorf("%d versions, %d entries, %v; want %d", got, entries, err, want)
		}
	}
}

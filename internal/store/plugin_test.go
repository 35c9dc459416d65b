package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
	"stoa/internal/store"
)

func pkg(slug string) plugin.Package {
	raw := fmt.Sprintf(`{"schemaVersion":1,"slug":%q,"name":"N","version":"1.2.3","runtimeType":"external-http",`+
		`"externalBaseUrl":"https://x.example","permissions":["a:b"],"extra":{"x":[1]}}`, slug)
	m, err := plugin.DecodeManifest([]byte(raw))
	if err != nil {
		panic(err)
	}
	return plugin.Package{
		ID: "id-" + slug, Source: plugin.SourceLocalZip, InstallPath: "plugins/" + slug + "/1.2.3-00",
		ZipHash: "hash-" + slug, SignedBy: "key-" + slug, Manifest: m, InstalledAt: T0, UpdatedAt: T0.Add(time.Second),
	}
}

func inst(slug, id, key string) plugin.StoredInstance {
	return plugin.StoredInstance{
		Instance: plugin.Instance{
			ID: id, Slug: slug, Key: key, Enabled: true, Granted: []string{"a:b"}, Undecided: []string{"c:d"},
			Version: 1, Enabling: 1, CreatedAt: T0, UpdatedAt: T0,
		},
		Sealed: "sealed-" + id,
	}
}

// seeded returns a store with package p1, its instances "default" (i1) and "two"
// (i2), and its secret.
func seeded(t *testing.T, open Open) *store.Plugin {
	t.Helper()
	s := store.NewPlugin(open(t))
	ctx := t.Context()
	two := inst("p1", "i2", "two")
	two.CreatedAt = T0.Add(time.Minute)
	err := errors.Join(
		s.CreatePackage(ctx, pkg("p1")), s.CreateInstance(ctx, two), s.CreateInstance(ctx, inst("p1", "i1", "default")),
		s.PutSecret(ctx, "p1", plugin.Secret{Current: "c"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func testPlugin(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *store.Plugin){
		"packages come back as they were stored":                      testPackage,
		"a slug stays taken after an uninstall":                       testSlugTaken,
		"lists are sorted, in pages, without deleted ones":            testLists,
		"a version is replaced, and the one before is kept":           testVersions,
		"packages with theme extensions are found":                    testPublishers,
		"an uninstalled package is restored":                          testRestore,
		"a purge removes everything of a package":                     testPurge,
		"an uninstall disables, hides and keeps":                      testUninstall,
		"instances are found by id and by key, in their package only": testFind,
		"the database counts enablings":                               testEnabling,
		"FindUnpurged finds what is not purged":                       testFindUnpurged,
		"LiveInstances returns the live ones of many":                 testLive,
		"the use of the allowance of events is kept":                  testEventUse,
		"a key is used only once":                                     testKeyOnce,
		"an update replaces what may change":                          testUpdate,
		"an update of an old version is refused":                      testUpdateStale,
		"a deleted instance is gone":                                  testDeletedInstance,
		"secrets come back as they were put":                          testSecret,
		"a transaction keeps everything or nothing":                   testPluginTx,
		"a package that a transaction locked makes others wait":       testPackageLock,
		"of many who create one package, one succeeds":                testCreateRace,
		"what does not exist is not found":                            testAbsent,
		"settings come back as they were put":                         testPackageSettings,
		"instances that are kept running are listed":                  testKeptRunning,
		"a failure is one of the present version":                     testFailures,
		"packages whose health is due are claimed":                    testClaimProbes,
		"of many who ask, one gets a package to ask":                  testProbeRace,
		"health is that of the present archive":                       testHealths,
		"the generation rises with the commit":                        testGenerationTx,
		"whoever writes is told":                                      testOnChange,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, seeded(t, open)) })
	}
	for name, test := range map[string]func(*testing.T, Open){
		"every table is kept in memory or not":      testGenerationTables,
		"whatever is written raises the generation": testGenerationRises,
		"others hear of changes":                    testListen,
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, open) })
	}
}

func testPackage(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	want := pkg("p1")
	for range 2 { // the second manifest comes from the cache
		got, err := s.GetPackage(ctx, "p1")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("GetPackage = %v (-want +got):\n%s", err, diff)
		}
	}
	got, err := s.FindArchive(ctx, want.ZipHash)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("FindArchive = %v (-want +got):\n%s", err, diff)
	}
	if string(got.Manifest.Raw) != string(want.Manifest.Raw) {
		t.Errorf("the manifest's text changed: %s", got.Manifest.Raw)
	}
}

func testSlugTaken(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	again := pkg("p1")
	again.ID, again.ZipHash = "other", "other"
	wantKind(t, s.CreatePackage(ctx, again), errs.Conflict)
	if err := s.DeletePackage(ctx, "p1", T0); err != nil {
		t.Fatal(err)
	}
	wantKind(t, s.CreatePackage(ctx, again), errs.Conflict)
}

func testLists(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	for _, slug := range []string{"p3", "p0", "p2"} {
		if err := s.CreatePackage(ctx, pkg(slug)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeletePackage(ctx, "p2", T0); err != nil {
		t.Fatal(err)
	}
	slugs := func(limit, offset int) (out []string) {
		list, total, err := s.ListPackages(ctx, plugin.PackageQuery{Limit: limit, Offset: offset})
		if err != nil || total != 3 {
			t.Errorf("ListPackages: total %d, %v; want 3", total, err)
		}
		for _, p := range list {
			out = append(out, p.Manifest.Slug)
		}
		return out
	}
	var got [][]string
	for _, offset := range []int{0, 2, 4} {
		got = append(got, slugs(2, offset))
	}
	if diff := cmp.Diff([][]string{{"p0", "p1"}, {"p3"}, nil}, got); diff != "" {
		t.Errorf("pages of packages (-want +got):\n%s", diff)
	}
	paths, err := s.InstallPaths(ctx)
	want := []string{"plugins/p0/1.2.3-00", "plugins/p1/1.2.3-00", "plugins/p2/1.2.3-00", "plugins/p3/1.2.3-00"}
	if diff := cmp.Diff(want, paths); diff != "" || err != nil {
		t.Errorf("InstallPaths = %v, uninstalled included (-want +got):\n%s", err, diff)
	}

	if err := s.CreateInstance(ctx, inst("p1", "i3", "a-first-of-its-moment")); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for at := range 3 {
		list, total, err := s.ListInstances(ctx, "p1", plugin.InstanceQuery{Limit: 1, Offset: at})
		if err != nil || total != 3 || len(list) != 1 {
			t.Fatalf("ListInstances = %d of %d, %v; want 1 of 3", len(list), total, err)
		}
		keys = append(keys, list[0].Key)
	}
	if diff := cmp.Diff([]string{"a-first-of-its-moment", "default", "two"}, keys); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}
}

func testUninstall(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	at := T0.Add(time.Hour)
	if err := s.DeletePackage(ctx, "p1", at); err != nil {
		t.Fatal(err)
	}
	p, err := s.GetPackage(ctx, "p1")
	if err != nil || !p.DeletedAt.Equal(at) || !p.UpdatedAt.Equal(at) {
		t.Errorf("GetPackage = deleted %v, updated %v, %v; want both %v", p.DeletedAt, p.UpdatedAt, err, at)
	}
	if p, err = s.FindArchive(ctx, "hash-p1"); err != nil || !p.DeletedAt.Equal(at) {
		t.Errorf("FindArchive = deleted %v, %v; want %v", p.DeletedAt, err, at)
	}
	_, _, err = s.FindByID(ctx, "p1", "i1")
	wantKind(t, err, errs.NotFound)
	_, _, err = s.FindByKey(ctx, "p1", "default")
	wantKind(t, err, errs.NotFound)
	_, err = s.GetSecret(ctx, "p1")
	wantKind(t, err, errs.NotFound)
	list, total, err := s.ListInstances(ctx, "p1", plugin.InstanceQuery{Limit: 9})
	changed := func(in plugin.StoredInstance) bool { return in.Enabled || in.Version != 2 || !in.UpdatedAt.Equal(at) }
	if err != nil || total != 2 || slices.ContainsFunc(list, changed) {
		t.Errorf("instances = %+v, %v; want both disabled", list, err)
	}
	wantKind(t, s.DeletePackage(ctx, "p1", at), errs.NotFound)
}

func testSecret(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	for _, want := range []plugin.Secret{
		{Current: "c"}, {Current: "d", Previous: "c", PreviousUntil: T0}, {Current: "e"},
	} {
		if err := s.PutSecret(ctx, "p1", want); err != nil {
			t.Fatal(err)
		}
		got, err := s.GetSecret(ctx, "p1")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("GetSecret = %v (-want +got):\n%s", err, diff)
		}
	}
}

func testPluginTx(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	failed := errors.New("failed")
	err := s.InTx(ctx, func(tx plugin.Store) error {
		err := errors.Join(tx.CreatePackage(ctx, pkg("p2")), tx.CreateInstance(ctx, inst("p2", "x", "default")),
			tx.DeletePackage(ctx, "p1", T0))
		if err != nil {
			return err
		}
		if _, _, err := tx.FindByID(ctx, "p2", "x"); err != nil {
			t.Errorf("inside the transaction: %v", err)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("InTx = %v, want the error of fn", err)
	}
	_, err = s.GetPackage(ctx, "p2")
	wantKind(t, err, errs.NotFound)
	if _, _, err := s.FindByID(ctx, "p1", "i1"); err != nil {
		t.Errorf("p1 after the rollback: %v", err)
	}
}

// Without the lock, two writers would read the same version.
func testPackageLock(t *testing.T, s *store.Plugin) {
	const writers = 8
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			err := s.InTx(t.Context(), func(tx plugin.Store) error {
				if _, err := tx.GetPackage(t.Context(), "p1"); err != nil {
					return err
				}
				_, in, err := tx.FindByID(t.Context(), "p1", "i1")
				if err != nil {
					return err
				}
				in.Version++
				return tx.UpdateInstance(t.Context(), in)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, in, err := s.FindByID(t.Context(), "p1", "i1"); err != nil || in.Version != 1+writers {
		t.Errorf("version = %d, %v; want %d", in.Version, err, 1+writers)
	}
}

func testCreateRace(t *testing.T, s *store.Plugin) {
	const writers = 6
	failures := make(chan error, writers)
	for i := range writers {
		go func() {
			failures <- s.InTx(t.Context(), func(tx plugin.Store) error {
				p := pkg("race")
				p.ID = fmt.Sprint("id", i)
				if err := tx.CreatePackage(t.Context(), p); err != nil {
					return err
				}
				return tx.CreateInstance(t.Context(), inst("race", fmt.Sprint("r", i), "default"))
			})
		}()
	}
	won := 0
	for range writers {
		if err := <-failures; err == nil {
			won++
		} else {
			wantKind(t, err, errs.Conflict)
		}
	}
	_, total, err := s.ListInstances(context.WithoutCancel(t.Context()), "race", plugin.InstanceQuery{Limit: 9})
	if won != 1 || total != 1 || err != nil {
		t.Errorf("%d succeeded, %d instances, %v; want one and one", won, total, err)
	}
}

func testAbsent(t *testing.T, s *store.Plugin) {
	ctx := t.Context()
	_, err := s.GetPackage(ctx, "nope")
	wantKind(t, err, errs.NotFound)
	_, err = s.FindArchive(ctx, "nope")
	wantKind(t, err, errs.NotFound)
	_, err = s.GetSecret(ctx, "nope")
	wantKind(t, err, errs.NotFound)
	wantKind(t, s.DeletePackage(ctx, "nope", T0), errs.NotFound)
	in := inst("p1", "nope", "nope")
	in.Version = 2
	wantKind(t, s.UpdateInstance(ctx, in), errs.NotFound)
	list, total, err := s.ListInstances(ctx, "nope", plugin.InstanceQuery{Limit: 9})
	if len(list) != 0 || total != 0 || err != nil {
		t.Errorf("ListInstances of an unknown package = %v, %d, %v; want none", list, total, err)
	}
}

package backup_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"

	"stoa/internal/data/blob"
	"stoa/internal/keep/backup"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
)

// site is a place for a restore, and what is in it.
type site struct {
	backup.Target

	bucket string // the folder that stands for object storage; empty without
}

func newSite(tb testing.TB) site {
	tb.Helper()
	return site{Target: emptyPlace(tb)}
}

// onPostgres moves the database to PostgreSQL.
func (s site) onPostgres(tb testing.TB) site {
	tb.Helper()
	s.DatabaseURL = pgtest.URL(tb)
	return s
}

// onStorage adds an object storage.
func (s site) onStorage(tb testing.TB) site {
	tb.Helper()
	s.bucket = tb.TempDir()
	storage, err := blob.OpenFolder(s.bucket)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = storage.Close() })
	s.Storage = storage
	return s
}

// put writes a file below a folder.
func put(tb testing.TB, parts ...string) {
	tb.Helper()
	name := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// contents returns everything in the site: files with their contents, and tables with their number
// of rows.
func (s site) contents(tb testing.TB) map[string]string {
	tb.Helper()
	all := make(map[string]string)
	for _, dir := range []string{s.DataDir, s.bucket} {
		if dir == "" {
			continue
		}
		for _, name := range leftovers(tb, dir) {
			text, _ := os.ReadFile(name) // a folder has none
			all[name] = string(text)
		}
	}
	if !strings.HasPrefix(s.DatabaseURL, "postgres") {
		return all
	}
	tables, err := openTarget(tb, s.Target).Conn().Tables(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	for _, t := range tables {
		all["table "+t.Name] = ""
	}
	return all
}

// refuses checks that a restore fails for all of the reasons and changes nothing.
func (s site) refuses(t *testing.T, archive []byte, key backup.Key, kind error, reasons ...string) {
	t.Helper()
	before := s.contents(t)
	_, err := s.Restore(t.Context(), bytes.NewReader(archive), key)
	if err == nil || kind != nil && !errors.Is(err, kind) {
		t.Errorf("Restore = %v, want %v", err, kind)
		return
	}
	for _, reason := range reasons {
		if !strings.Contains(err.Error(), reason) {
			t.Errorf("Restore = %v, want %q in it", err, reason)
		}
	}
	if diff := cmp.Diff(before, s.contents(t)); diff != "" {
		t.Errorf("the refused restore (%v) changed the place:\n%s", err, diff)
	}
}

// repack returns an archive with other entries.
func repack(tb testing.TB, archive []byte, change func([]backup.Entry) []backup.Entry) []byte {
	tb.Helper()
	changed, err := backup.Repack(archive, change)
	if err != nil {
		tb.Fatal(err)
	}
	return changed
}

// newer returns an archive that claims a later schema.
func newer(tb testing.TB, archive []byte) []byte {
	tb.Helper()
	return repack(tb, archive, func(all []backup.Entry) []backup.Entry {
		var header map[string]any
		if err := json.Unmarshal(all[0].Content, &header); err != nil {
			tb.Fatal(err)
		}
		header["schema"], header["stoa"] = store.KnownSchema()+1, "99.0.0"
		all[0].Content, _ = json.Marshal(header)
		return all
	})
}

// at returns the number of the first entry whose name begins so.
func at(all []backup.Entry, prefix string) int {
	return slices.IndexFunc(all, func(e backup.Entry) bool { return strings.HasPrefix(e.Name, prefix) })
}

// move returns the entries with one of them moved.
func move(all []backup.Entry, from, to int) []backup.Entry {
	moved := all[from]
	return slices.Insert(slices.Delete(all, from, from+1), to, moved)
}

// An archive whose entries are complete and have the right checksum is damaged if their order is
// wrong.
func TestAnArchiveInAnotherOrderIsRefused(t *testing.T) {
	t.Parallel()

	archive, _ := newShop(t).take(t, backup.Lock{})
	same := repack(t, archive, func(all []backup.Entry) []backup.Entry { return all })
	if _, err := emptyPlace(t).Restore(t.Context(), bytes.NewReader(same), backup.Key{}); err != nil {
		t.Fatalf("in the right order: Restore = %v", err)
	}
	for name, change := range map[string]func([]backup.Entry) []backup.Entry{
		"two tables change places": func(all []backup.Entry) []backup.Entry {
			return move(all, at(all, "tables/users/"), at(all, "tables/"))
		},
		"a table before the files": func(all []backup.Entry) []backup.Entry {
			return move(all, at(all, "tables/licenses/"), at(all, "files/"))
		},
		"a file after the tables":  func(all []backup.Entry) []backup.Entry { return move(all, at(all, "files/"), len(all)-2) },
		"the manifest is not last": func(all []backup.Entry) []backup.Entry { return move(all, len(all)-1, len(all)-2) },
		"the manifest is first":    func(all []backup.Entry) []backup.Entry { return move(all, len(all)-1, 1) },
		"the header is not first":  func(all []backup.Entry) []backup.Entry { return move(all, 0, 1) },
	} {
		broken := repack(t, archive, change)
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			newSite(t).refuses(t, broken, backup.Key{}, backup.ErrDamaged)
			if needtest.Proving() || name == "the manifest is not last" { // nothing is left to undo later than then
				newSite(t).onStorage(t).onPostgres(t).refuses(t, broken, backup.Key{}, backup.ErrDamaged)
			}
		})
	}
}

// Each kind of nonempty place is refused and not changed.
func TestANonemptyPlaceIsRefused(t *testing.T) {
	t.Parallel()

	archive, _ := newShop(t).take(t, backup.Lock{})
	alone := func(t *testing.T) site { t.Helper(); return newSite(t) }
	for name, tt := range map[string]struct {
		place  func(t *testing.T) site
		fill   func(t *testing.T, s site)
		reason string
	}{
		"a file in the data folder": {alone, func(t *testing.T, s site) { put(t, s.DataDir, "notes.txt") }, "is not empty: it has notes.txt"},
		"packages in the data folder": {
			alone, func(t *testing.T, s site) { put(t, s.DataDir, "plugins", "x", "index.js") }, "is not empty: it has plugins",
		},
		"what a killed restore left": {
			alone, func(t *testing.T, s site) { put(t, s.DataDir, ".restore-x", "a") }, "is not empty: it has .restore-x",
		},
		"a SQLite file":   {apart, func(t *testing.T, s site) { put(t, s.DatabaseURL) }, "there is a file"},
		"a log of SQLite": {apart, func(t *testing.T, s site) { put(t, s.DatabaseURL+"-wal") }, "-wal already"},
		"half a SQLite file": {
			apart, func(t *testing.T, s site) { put(t, s.DatabaseURL+".restoring") }, ".restoring already",
		},
		"tables in PostgreSQL": {
			func(t *testing.T) site { t.Helper(); return newSite(t).onPostgres(t) },
			func(t *testing.T, s site) { dbtest.Open(t, s.DatabaseURL) }, "the database is not empty: it has",
		},
		"files in object storage": {
			func(t *testing.T) site { t.Helper(); return newSite(t).onStorage(t) },
			func(t *testing.T, s site) { put(t, s.bucket, "plugins", "x.zip") }, "is not empty: it has plugins/x.zip",
		},
		"another shop's object storage": {
			func(t *testing.T) site { t.Helper(); return newSite(t).onStorage(t) },
			func(t *testing.T, s site) {
				if err := blob.Claim(t.Context(), s.Storage, "another"); err != nil {
					t.Fatal(err)
				}
			}, "has the files of a shop already",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := tt.place(t)
			tt.fill(t, s)
			s.refuses(t, archive, backup.Key{}, nil, tt.reason)
		})
	}
}

// apart returns a site whose SQLite file is not in the data folder.
func apart(t *testing.T) site {
	t.Helper()
	s := newSite(t)
	s.DatabaseURL = filepath.Join(t.TempDir(), "apart.db")
	return s
}

// Everything wrong with archive, key and place is reported at once, so that the operator need not
// fix one problem after the other.
func TestARefusalNamesAllReasonsTogether(t *testing.T) {
	t.Parallel()

	from := newShop(t)
	plain, _ := from.take(t, backup.Lock{})
	mine, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	locked, _ := from.take(t, backup.Lock{Recipients: []string{mine.Recipient().String()}})
	occupied := []string{"is not empty: it has notes.txt", "the database is not empty", "is not empty: it has plugins/x.zip"}
	for name, tt := range map[string]struct {
		archive   []byte
		key       backup.Key
		masterKey string
		kind      error
		reasons   []string
	}{
		"a newer schema": {newer(t, plain), backup.Key{}, testkit.MasterKey, store.ErrSchemaNew, []string{"stoa 99.0.0"}},
		"a newer schema and another master key": {
			newer(t, plain),
			backup.Key{},
			strings.Repeat("0", 64),
			store.ErrSchemaNew,
			[]string{"stoa 99.0.0", "another master key"},
		},
		"another master key": {plain, backup.Key{}, strings.Repeat("0", 64), nil, []string{"another master key"}},
		"no master key":      {plain, backup.Key{}, "", nil, []string{"the master key of the backup is missing"}},
		"another identity":   {locked, backup.Key{Identities: other.String()}, "", backup.ErrWrongKey, nil},
		"no identity":        {locked, backup.Key{}, "", backup.ErrLocked, nil},
		"no identity in the file": {
			locked, backup.Key{Identities: "AGE-SECRET-KEY-1NONSENSE"}, "", nil, []string{"the file with the secret key"},
		},
		"nearly nothing": {plain[:100], backup.Key{}, testkit.MasterKey, backup.ErrDamaged, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			free := newSite(t)
			free.MasterKey = tt.masterKey
			free.refuses(t, tt.archive, tt.key, tt.kind, tt.reasons...)
			full := newSite(t).onStorage(t).onPostgres(t)
			full.MasterKey = tt.masterKey
			put(t, full.DataDir, "notes.txt")
			put(t, full.bucket, "plugins", "x.zip")
			dbtest.Open(t, full.DatabaseURL)
			full.refuses(t, tt.archive, tt.key, tt.kind, append(slices.Clone(occupied), tt.reasons...)...)
		})
	}
	// Errors at the end of the archive are found before anything is moved into place.
	for _, cut := range []int{len(plain) / 2, len(plain) - 1} {
		newSite(t).onStorage(t).onPostgres(t).refuses(t, plain[:cut], backup.Key{}, backup.ErrDamaged)
	}
	short := newSite(t).onStorage(t)
	short.MasterKey = ""
	short.refuses(t, locked[:len(locked)-1], backup.Key{Identities: mine.String()}, backup.ErrDamaged)
}

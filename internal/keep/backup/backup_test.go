package backup_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/data/database"
	"stoa/internal/keep/backup"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// shop is a stoa with something in most tables, and with files.
type shop struct {
	*testkit.App

	license string // a key that was bought
}

func newShop(tb testing.TB, options ...testkit.Option) shop {
	tb.Helper()
	a := testkit.NewShop(tb, options...)
	_, instance := a.InstallPay(tb)
	s := shop{App: a, license: a.BuyKey(tb, a.Register(tb, "ada").Access, "monthly")}
	if res := a.Activate(tb, s.license, "first.example"); res.Status != http.StatusOK {
		tb.Fatalf("activate = %d %s", res.Status, res.Body)
	}
	_, err := a.DB.Conn().Write.ExecContext(tb.Context(), `
		INSERT INTO plugin_storage (installation_id, key, content_type, etag, size, expires_at_ms, value)
		VALUES ($1, $2, 'text/plain', 'e', 3, NULL, $3), ($1, $4, 'text/plain', 'e', 0, 7, $5)`,
		instance, []byte("a"), []byte{0, 255, '\n'}, []byte("ü"), []byte{})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// masterKeys returns the key of every test server.
func masterKeys() *seal.Keys {
	key, err := seal.ParseKey(testkit.MasterKey)
	if err != nil {
		panic(err)
	}
	return seal.NewKeys(key)
}

func (s shop) source() backup.Source {
	return backup.Source{
		DB: s.DB, DataDir: s.DataDir, Folders: app.DataFolders(), MasterKeys: masterKeys(), Version: "1.2.3", Now: time.Now,
	}
}

func (s shop) take(tb testing.TB, lock backup.Lock) ([]byte, backup.Manifest) {
	tb.Helper()
	var archive bytes.Buffer
	m, err := s.source().Take(tb.Context(), &archive, lock)
	if err != nil {
		tb.Fatal(err)
	}
	return archive.Bytes(), m
}

// emptyPlace returns an empty place.
func emptyPlace(tb testing.TB) backup.Target {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "data")
	return backup.Target{
		DatabaseURL: filepath.Join(dir, "stoa.db"), DataDir: dir, Folders: app.DataFolders(),
		MasterKey: testkit.MasterKey, Version: "1.2.3",
	}
}

func openTarget(tb testing.TB, t backup.Target) *database.DB {
	tb.Helper()
	db, err := database.Open(t.DatabaseURL)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return db
}

// A backup from either engine can be restored on either engine, and the shop works as before.
func TestABackupRestoresTheShopOnEitherEngine(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		from := newShop(t, options...)
		archive, manifest := from.take(t, backup.Lock{})
		if len(manifest.Files) < 2 || manifest.Rows() < 20 || len(manifest.Missing) > 0 {
			t.Fatalf("the backup has %d files and %d rows, without %q", len(manifest.Files), manifest.Rows(), manifest.Missing)
		}
		dbtest.OnBothEmpty(t, func(t *testing.T, url string) {
			place := emptyPlace(t)
			place.DatabaseURL = url
			done, err := place.Restore(t.Context(), bytes.NewReader(archive), backup.Key{})
			if err != nil {
				t.Fatal(err)
			}
			if done.WroteKey || done.Encrypted || done.Header.Stoa != "1.2.3" {
				t.Errorf("Restore = %+v", done)
			}
			again := from.source()
			again.DB, again.DataDir = openTarget(t, place), place.DataDir
			got, err := again.Take(t.Context(), new(bytes.Buffer), backup.Lock{})
			if diff := cmp.Diff(manifest, got); diff != "" || err != nil {
				t.Fatalf("a backup of the restored shop differs: %v\n%s", err, diff)
			}
			works(t, from, place)
		})
	})
}

// works starts a stoa on the restored place and uses it.
func works(t *testing.T, from shop, place backup.Target) {
	t.Helper()
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.DatabaseURL, cfg.DataDir = place.DatabaseURL, place.DataDir
	})
	if a.PlatformID != from.PlatformID {
		t.Errorf("the platform id is %q, want %q", a.PlatformID, from.PlatformID)
	}
	if res := a.Verify(t, "mail-pack", from.license, "first.example"); !strings.Contains(string(res.Body), `"valid":true`) {
		t.Errorf("verify = %d %s", res.Status, res.Body)
	}
	user, admin := a.Login(t, "ada").Access, a.Login(t, "root").Access
	a.BuyKey(t, user, "monthly") // records an audit entry and events under new numbers
	if res := a.Do(t, testkit.Request{Method: http.MethodGet, Path: testkit.PayInstances, Token: admin}); res.Status != 200 {
		t.Errorf("instances = %d %s", res.Status, res.Body)
	}
	_, err := a.DB.Conn().Write.ExecContext(t.Context(), `DELETE FROM audit_log`)
	if err == nil {
		t.Error("audit entries can be deleted: the triggers are gone")
	}
}

// leftovers returns everything in a folder, and the folder itself, or nil if it does not exist.
func leftovers(tb testing.TB, dir string) (names []string) {
	tb.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		names = append(names, path)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return names
}

func TestADamagedBackupLeavesThePlaceEmpty(t *testing.T) {
	t.Parallel()

	archive, _ := newShop(t).take(t, backup.Lock{})
	refused := func(t *testing.T, name string, broken []byte, place backup.Target) {
		t.Helper()
		_, err := place.Restore(t.Context(), bytes.NewReader(broken), backup.Key{})
		if !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%s: Restore = %v, want ErrDamaged", name, err)
		}
		if left := leftovers(t, place.DataDir); left != nil {
			t.Errorf("%s: the place has %q", name, left)
		}
		if _, err := place.Verify(t.Context(), bytes.NewReader(broken), backup.Key{}, t.TempDir()); !errors.Is(
			err, backup.ErrDamaged) {
			t.Errorf("%s: Verify = %v, want ErrDamaged", name, err)
		}
	}
	parts := needtest.Rounds(3, 12)
	for i := range parts {
		at := len(archive) * i / parts
		refused(t, "cut", archive[:at], emptyPlace(t))
		flipped := bytes.Clone(archive)
		flipped[at] ^= 0x10
		refused(t, "flipped", flipped, emptyPlace(t))
	}
	refused(t, "without its last byte", archive[:len(archive)-1], emptyPlace(t))

	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()

		place := emptyPlace(t)
		place.DatabaseURL = pgtest.URL(t)
		refused(t, "cut", archive[:len(archive)-100], place)
		if _, err := place.Restore(t.Context(), bytes.NewReader(archive), backup.Key{}); err != nil {
			t.Errorf("after that, Restore = %v", err)
		}
	})
}

func TestRestoreReportsAllReasonsAtOnce(t *testing.T) {
	t.Parallel()

	from := newShop(t)
	archive, _ := from.take(t, backup.Lock{})
	place := emptyPlace(t)
	if err := os.MkdirAll(filepath.Join(place.DataDir, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(place.DatabaseURL, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	place.MasterKey = strings.Repeat("0", 64)
	_, err := place.Restore(t.Context(), bytes.NewReader(archive), backup.Key{})
	for _, want := range []string{"another master key", "is not empty: it has plugins", "a file " + place.DatabaseURL} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Restore = %v, want %q in it", err, want)
		}
	}
	place = emptyPlace(t)
	place.MasterKey = ""
	_, err = place.Restore(t.Context(), bytes.NewReader(archive), backup.Key{})
	if err == nil || !strings.Contains(err.Error(), "master key of the backup is missing") {
		t.Errorf("without a key: Restore = %v", err)
	}
	_, err = from.DB.Conn().Write.ExecContext(t.Context(),
		`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := from.source().Take(t.Context(), new(bytes.Buffer), backup.Lock{}); !errors.Is(err, store.ErrSchemaNew) {
		t.Errorf("Take with an older program = %v, want ErrSchemaNew", err)
	}
}

func TestPostgreSQLWithTablesIsRefused(t *testing.T) {
	t.Parallel()

	archive, _ := newShop(t).take(t, backup.Lock{})
	place := emptyPlace(t)
	place.DatabaseURL = dbtest.Postgres(t)
	_, err := place.Restore(t.Context(), bytes.NewReader(archive), backup.Key{})
	if err == nil || !strings.Contains(err.Error(), "the database is not empty") {
		t.Errorf("Restore = %v", err)
	}
}

func TestAnEncryptedBackupIsUnreadableWithoutItsKey(t *testing.T) {
	t.Parallel()

	from := newShop(t)
	plain, _ := from.take(t, backup.Lock{})
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(plain, []byte(testkit.MasterKey)) {
		t.Error("a plain backup has the master key")
	}
	if !bytes.HasPrefix(plain, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
		t.Errorf("a plain backup begins with %x, want a zstd stream", plain[:4])
	}
	for name, tt := range map[string]struct {
		lock       backup.Lock
		key, wrong backup.Key
	}{
		"recipient": {
			backup.Lock{Recipients: []string{identity.Recipient().String()}},
			backup.Key{Identities: identity.String()},
			backup.Key{Identities: other.String()},
		},
		"passphrase": {
			backup.Quick("correct horse"), backup.Key{Passphrase: "correct horse"}, backup.Key{Passphrase: "x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			archive, _ := from.take(t, tt.lock)
			place := emptyPlace(t)
			place.MasterKey = ""
			if _, err := place.Restore(t.Context(), bytes.NewReader(archive), backup.Key{}); !errors.Is(err, backup.ErrLocked) {
				t.Errorf("without a key: Restore = %v, want ErrLocked", err)
			}
			if _, err := place.Restore(t.Context(), bytes.NewReader(archive), tt.wrong); !errors.Is(err, backup.ErrWrongKey) {
				t.Errorf("with another key: Restore = %v, want ErrWrongKey", err)
			}
			if !bytes.HasPrefix(archive, []byte("age-encryption.org/v1\n")) || bytes.Contains(archive, plain[:6]) {
				t.Errorf("not an age file, or with a zstd stream in it: begins with %q", archive[:32])
			}
			flipped := bytes.Clone(archive)
			flipped[len(flipped)/2] ^= 1
			if _, err := place.Restore(t.Context(), bytes.NewReader(flipped), tt.key); !errors.Is(err, backup.ErrDamaged) {
				t.Errorf("changed: Restore = %v, want ErrDamaged", err)
			}
			done, err := place.Restore(t.Context(), bytes.NewReader(archive), tt.key)
			if err != nil || !done.WroteKey || !done.Encrypted {
				t.Fatalf("Restore = %+v, %v", done, err)
			}
			text, err := masterkey.Text("", place.DataDir)
			if err != nil || text != testkit.MasterKey {
				t.Errorf("master key %q, %v; want the one of the backup", text, err)
			}
			if _, err := place.Verify(t.Context(), bytes.NewReader(archive), tt.key, t.TempDir()); err != nil {
				t.Errorf("Verify = %v", err)
			}
			works(t, from, place)
		})
	}
}

// Rows that are committed together are in the backup together, or not at all.
func TestABackupIsASnapshot(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		from := newShop(t, options...)
		stop, stopped := make(chan struct{}), make(chan error)
		go func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					stopped <- nil
					return
				default:
				}
				err := from.DB.Conn().InTx(t.Context(), func(tx database.Conn) error {
					// The rows are in the first and the last table that a backup reads.
					_, err := tx.Write.ExecContext(t.Context(), `
						INSERT INTO settings (name, value) VALUES ('a', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
						strconv.Itoa(i))
					if err == nil {
						_, err = tx.Write.ExecContext(t.Context(), `UPDATE licenses SET paid = NOT paid, created_at_ms = $1`, i)
					}
					return err
				})
				if err != nil {
					stopped <- err
					return
				}
			}
		}()
		for range needtest.Rounds(2, 10) {
			archive, _ := from.take(t, backup.Lock{})
			place := emptyPlace(t)
			if _, err := place.Restore(t.Context(), bytes.NewReader(archive), backup.Key{}); err != nil {
				t.Fatal(err)
			}
			var setting, license string
			row := openTarget(t, place).Conn().Read.QueryRowContext(t.Context(), `
				SELECT coalesce((SELECT value FROM settings WHERE name = 'a'), ''),
					coalesce((SELECT CAST(max(created_at_ms) AS TEXT) FROM licenses), '')`)
			if err := row.Scan(&setting, &license); err != nil {
				t.Fatal(err)
			}
			if setting != license && setting != "" {
				t.Errorf("the setting is of write %s, the license of write %s", setting, license)
			}
		}
		close(stop)
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

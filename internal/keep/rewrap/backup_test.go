package rewrap_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"stoa/internal/app"
	"stoa/internal/keep/backup"
	"stoa/internal/keep/rewrap"
	"stoa/internal/testkit"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// interrupt starts a rewrap to next, which fails in the middle of the licenses.
func (s *shop) interrupt(t *testing.T, next *seal.Key) {
	t.Helper()
	db := s.replicas[0].DB
	exec := func(statements ...string) {
		t.Helper()
		for _, q := range statements {
			if _, err := db.Conn().Write.ExecContext(t.Context(), q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
	}
	if db.Engine() == "postgres" {
		exec(`CREATE FUNCTION halt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'halt here'; END $$`,
			`CREATE TRIGGER halt BEFORE UPDATE OF key_sealed ON licenses FOR EACH ROW WHEN (OLD.id = 'lic00250')
			EXECUTE FUNCTION halt()`)
		defer exec(`DROP TRIGGER halt ON licenses`, `DROP FUNCTION halt()`)
	} else {
		exec(`CREATE TRIGGER halt BEFORE UPDATE OF key_sealed ON licenses WHEN OLD.id = 'lic00250'
			BEGIN SELECT RAISE(ABORT, 'halt here'); END`)
		defer exec(`DROP TRIGGER halt`)
	}
	s.next.Store(next)
	if _, err := s.run(t.Context(), next); err == nil || !strings.Contains(err.Error(), "halt here") {
		t.Fatalf("Run = %v, want the trigger's error", err)
	}
}

// An encrypted backup that is made during a rewrap contains both master keys: some of its values
// are sealed with the old one, some with the new one. It can be restored, and its rewrap finished.
func TestABackupInTheMiddleOfARewrapHasBothKeys(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		var keys *seal.Keys // of the replica that makes the backup
		s := newShop(t, append(slices.Clone(options), func(_ testing.TB, cfg *app.Config) { keys = cfg.MasterKey })...)
		old, next := s.key, newKey(t)
		s.interrupt(t, next)
		byOld, _ := sealedValues(t, s.replicas[0].DB, old)
		byNew, _ := sealedValues(t, s.replicas[0].DB, next)
		if byOld["licenses.key_sealed"] == 0 || byNew["licenses.key_sealed"] == 0 {
			t.Fatalf("the rewrap is not in the middle: the old key opens %v, the new one %v", byOld, byNew)
		}
		identity, err := age.GenerateX25519Identity()
		if err != nil {
			t.Fatal(err)
		}
		lock, open := backup.Lock{Recipients: []string{identity.Recipient().String()}}, backup.Key{Identities: identity.String()}
		var archive bytes.Buffer
		_, err = backup.Source{
			DB: s.replicas[0].DB, DataDir: s.replicas[0].DataDir, Folders: app.DataFolders(), MasterKeys: keys,
			Version: "1.2.3", Now: time.Now,
		}.Take(t.Context(), &archive, lock)
		if err != nil {
			t.Fatal(err)
		}

		dir := filepath.Join(t.TempDir(), "restored")
		place := backup.Target{
			DatabaseURL: filepath.Join(dir, "stoa.db"), DataDir: dir, Folders: app.DataFolders(), Version: "1.2.3",
		}
		for name, one := range map[string]*seal.Key{"old": old, "new": next} {
			single := place
			single.MasterKey = one.Reveal()
			_, err := single.Restore(t.Context(), bytes.NewReader(archive.Bytes()), open)
			if err == nil {
				t.Fatalf("restored although only the %s master key is set", name)
			}
		}
		if _, err := place.Restore(t.Context(), bytes.NewReader(archive.Bytes()), open); err != nil {
			t.Fatal(err)
		}
		known, err := masterkey.Known("", "", dir)
		if err != nil || len(known.Known()) != 2 {
			t.Fatalf("the data folder has the keys %v, %v; want both", known.Known(), err)
		}
		restored := &shop{
			url: place.DatabaseURL, key: old, echo: s.echo, webhook: s.webhook, hookID: s.hookID, keys: s.keys, bought: s.bought,
		}
		a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
			cfg.DatabaseURL, cfg.DataDir, cfg.MasterKey = place.DatabaseURL, dir, known
		})
		restored.replicas = []*testkit.App{a}
		restored.checkOpen(t, a)
		_, closed := sealedValues(t, a.DB, old)
		opened, _ := sealedValues(t, a.DB, next)
		for column, n := range closed {
			if n > opened[column] {
				t.Errorf("%s: neither key opens %d values", column, n-opened[column])
			}
		}
		r := rewrap.Rewrap{DB: a.DB, Known: known.Known(), Wait: waitLong, Printf: t.Logf}
		if done, err := r.Run(t.Context()); err != nil || len(done.Unreadable) > 0 || done.New.ID() != next.ID() {
			t.Fatalf("the rewrap of the restored shop = %+v, %v", done, err)
		}
		restored.key = next
		restored.checkAlone(t, nil)
	})
}

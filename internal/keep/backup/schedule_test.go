package backup_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/keep/backup"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

// slowPlace is a Place whose Create waits until begin is closed.
type slowPlace struct {
	backup.Folder

	began chan string
	begin chan struct{}
}

func (p slowPlace) Create(ctx context.Context, name string) (backup.Upload, error) {
	p.began <- name
	select {
	case <-p.begin:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return p.Folder.Create(ctx, name)
}

func newSchedule(t *testing.T, s shop, place backup.Place) *backup.Schedule {
	t.Helper()
	return &backup.Schedule{
		Source: s.source(), Place: place, Every: time.Hour, Keep: 2, VerifyEvery: time.Hour, Scratch: t.TempDir(),
		Jobs: store.NewBackupJobs(s.DB), Log: logtest.New(t), Missed: new(backup.Missed),
	}
}

func (s shop) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := s.DB.Conn().Write.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func (s shop) job(t *testing.T, kind string) store.BackupJob {
	t.Helper()
	list, err := store.NewBackupJobs(s.DB).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range list {
		if j.Kind == kind {
			return j
		}
	}
	t.Fatalf("there is no job %s", kind)
	return store.BackupJob{}
}

func TestOneOfAllReplicasMakesABackup(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		s := newShop(t, options...)
		place := slowPlace{backup.Folder(t.TempDir()), make(chan string, 9), make(chan struct{})}
		k := newSchedule(t, s, place)
		k.VerifyEvery = 0
		var replicas sync.WaitGroup
		errs := make(chan error, 3)
		for range 3 {
			replicas.Go(func() { errs <- k.Due(t.Context()) })
		}
		<-place.began
		// The others return while the first is working.
		for range 2 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		close(place.begin)
		replicas.Wait()
		if err := errors.Join(<-errs, k.Due(t.Context())); err != nil { // no longer due
			t.Error(err)
		}
		names, err := place.List(t.Context())
		if err != nil || len(names) != 1 {
			t.Fatalf("backups %q, %v; want one", names, err)
		}
		if j := s.job(t, store.BackupTaken); !j.OK() || j.Name != names[0] || j.Bytes == 0 {
			t.Errorf("the job is %+v", j)
		}
	})
}

// Another process takes over a job when the lease of a crashed process has ended, or at once when
// the process was stopped.
func TestAJobPassesToAnotherProcess(t *testing.T) {
	t.Parallel()

	s := newShop(t)
	k := newSchedule(t, s, backup.Folder(t.TempDir()))
	if ok, err := k.Jobs.Take(t.Context(), store.BackupTaken, "dead", time.Hour, k.Every, 0); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := k.Due(t.Context()); err != nil || !s.job(t, store.BackupTaken).OKAt.IsZero() {
		t.Fatalf("a job that another holds was done: %v", err)
	}
	s.exec(t, `UPDATE backup_jobs SET leased_until_ms = 1 WHERE kind = 'backup'`)
	if ok, err := k.Jobs.Renew(t.Context(), store.BackupTaken, "other", time.Hour); ok || err != nil {
		t.Errorf("Hold of one who is no holder = %v, %v", ok, err)
	}

	stopping, stop := context.WithCancel(t.Context())
	slow := slowPlace{backup.Folder(t.TempDir()), make(chan string, 1), nil}
	going := newSchedule(t, s, slow)
	done := make(chan error)
	go func() { done <- going.Due(stopping) }()
	<-slow.began
	stop()
	<-done
	if j := s.job(t, store.BackupTaken); !j.FailedAt.IsZero() {
		t.Errorf("a stop counts as a failure: %+v", j)
	}
	if err := k.Due(t.Context()); err != nil || !s.job(t, store.BackupTaken).OK() {
		t.Errorf("the job was not passed on: %v, %+v", err, s.job(t, store.BackupTaken))
	}
}

func TestOldBackupsAreRemoved(t *testing.T) {
	t.Parallel()

	s := newShop(t)
	dir := t.TempDir()
	for i := range 4 {
		name := backup.Name(time.Date(2020, time.May, i+1, 0, 0, 0, 0, time.UTC), i%2 == 0)
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.backup"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k := newSchedule(t, s, backup.Folder(dir))
	if err := k.Due(t.Context()); err != nil {
		t.Fatal(err)
	}
	names, err := backup.Folder(dir).List(t.Context())
	if err != nil || len(names) != 2 || names[1] != s.job(t, store.BackupTaken).Name {
		t.Errorf("backups %q, %v; want the new one and the latest of the others", names, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "notes.backup")); err != nil {
		t.Errorf("a file that is no backup is gone: %v", err)
	}
	if j := s.job(t, store.BackupVerified); !j.OK() || j.Name != names[1] {
		t.Errorf("the verification is %+v", j)
	}
}

func TestFailedJobsAreRecordedAndRetriedLater(t *testing.T) {
	t.Parallel()

	s := newShop(t)
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // where the folder should be
		t.Fatal(err)
	}
	k := newSchedule(t, s, backup.Folder(dir))
	k.VerifyEvery = 0
	if err := k.Due(t.Context()); err != nil {
		t.Fatal(err)
	}
	if j := s.job(t, store.BackupTaken); j.OK() || j.FailedAt.IsZero() || !strings.Contains(j.Error, "file") {
		t.Fatalf("the job is %+v", j)
	}
	k.Place = backup.Folder(t.TempDir())
	if err := k.Due(t.Context()); err != nil || s.job(t, store.BackupTaken).OK() {
		t.Errorf("tried again at once: %v", err)
	}
	s.exec(t, `UPDATE backup_jobs SET failed_at_ms = 1`)
	if err := k.Due(t.Context()); err != nil || !s.job(t, store.BackupTaken).OK() {
		t.Errorf("not tried again: %v", err)
	}

	// A damaged backup is reported.
	names, err := k.Place.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(string(k.Place.(backup.Folder)), names[0])
	if err := os.Truncate(path, 1000); err != nil {
		t.Fatal(err)
	}
	k.VerifyEvery = time.Hour
	if err := k.Due(t.Context()); err != nil {
		t.Fatal(err)
	}
	if j := s.job(t, store.BackupVerified); j.OK() || !strings.Contains(j.Error, names[0]+": the backup is damaged") {
		t.Errorf("the verification is %+v", j)
	}
	if left, err := os.ReadDir(k.Scratch); len(left) != 0 || err != nil {
		t.Errorf("the verification left %v, %v", left, err)
	}
}

// A server with a Place makes backups on schedule, and its metrics show them.
func TestAServerMakesBackups(t *testing.T) {
	t.Parallel()

	place := slowPlace{backup.Folder(t.TempDir()), make(chan string, 1), make(chan struct{})}
	close(place.begin)
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.Backup = app.BackupConfig{Place: place, Every: time.Hour, Keep: 1, VerifyEvery: time.Hour}
	})
	<-place.began
	s := shop{App: a}
	for !s.job(t, store.BackupVerified).OK() {
		select {
		case <-t.Context().Done():
			t.Fatal("there is no verified backup")
		case <-time.After(10 * time.Millisecond):
		}
	}
	// The clock of the App is years ahead of the database's, so the backup is old.
	res := a.Do(t, testkit.Request{
		Method: http.MethodGet, Path: "/api/v1/admin/overview", Token: a.Admin(t, "root").Access,
	})
	if body := string(res.Body); !strings.Contains(body, `"backup.old"`) || strings.Contains(body, `"backup.failed"`) {
		t.Errorf("overview = %s", body)
	}
	rec := httptest.NewRecorder()
	a.OpsHandler().ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/metrics", nil))
	for _, job := range []string{"backup", "verify"} {
		for _, want := range []string{"stoa_backup_ok{job=%q} 1\n", "stoa_backup_last_success_timestamp_seconds{job=%q} 1."} {
			if want = fmt.Sprintf(want, job); !strings.Contains(rec.Body.String(), want) {
				t.Errorf("the metrics lack %q", want)
			}
		}
	}
}

// A backup that is due while the database takes no changes does not begin, and nothing can be recorded:
// it has failed all the same.
func TestABackupThatIsDueAndCannotBeginHasFailed(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		s := newShop(t, options...)
		k := newSchedule(t, s, backup.Folder(t.TempDir()))
		k.VerifyEvery = 0
		shown := func() store.BackupJob { return k.Missed.Amend(s.job(t, store.BackupTaken)) }
		s.exec(t, `ALTER TABLE backup_jobs RENAME COLUMN leased_until_ms TO away`) // what is written is not what is listed
		if err := k.Due(t.Context()); err == nil {
			t.Fatal("it could begin: this test proves nothing")
		}
		if j := shown(); j.FailedAt.IsZero() || j.OK() || !strings.Contains(j.Error, "it was due, and could not begin") {
			t.Errorf("shown: %+v", j)
		}
		s.exec(t, `ALTER TABLE backup_jobs RENAME COLUMN away TO leased_until_ms`)
		if err := k.Due(t.Context()); err != nil || !shown().OK() {
			t.Errorf("afterwards: %v, %+v", err, shown())
		}
		s.exec(t, `ALTER TABLE backup_jobs RENAME COLUMN leased_until_ms TO away`)
		if err := k.Due(t.Context()); err == nil || !shown().OK() {
			t.Errorf("it was not due: %v, %+v", err, shown())
		}
	})
}

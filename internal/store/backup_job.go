package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
)

// The kinds of backup jobs.
const (
	BackupTaken    = "backup"
	BackupVerified = "verify"
)

// BackupJob is the result of the last runs of a job. Times are zero if there was none.
type BackupJob struct {
	Kind  string
	OKAt  time.Time // the end of the last run that succeeded
	Name  string    // its backup
	Bytes int64     // the size of the archive
	Took  time.Duration

	FailedAt time.Time // the end of the last run that failed
	Error    string
}

// OK reports whether the last run succeeded.
func (j BackupJob) OK() bool { return !j.OKAt.IsZero() && !j.FailedAt.After(j.OKAt) }

// BackupJobs are the jobs that make and verify backups, which one process at a time runs. They use
// the clock of the database.
type BackupJobs struct{ database.Conn }

// NewBackupJobs returns the backup jobs of db.
func NewBackupJobs(db *database.DB) *BackupJobs { return &BackupJobs{db.Conn()} }

// Take leases a job to a holder, and reports whether it did. It requires that the job is due, the
// last failure is at least retry ago, and no other holder has it. A job is due when the last
// success is at least every ago.
func (s *BackupJobs) Take(ctx context.Context, kind, holder string, lease, every, retry time.Duration) (bool, error) {
	return s.changed(ctx, `
		UPDATE backup_jobs SET holder = $1, leased_until_ms = `+s.Clock()+` + $2, began_at_ms = `+s.Clock()+`
		WHERE kind = $3 AND leased_until_ms <= `+s.Clock()+`
			AND ok_at_ms + $4 <= `+s.Clock()+` AND failed_at_ms + $5 <= `+s.Clock(),
		holder, lease.Milliseconds(), kind, every.Milliseconds(), retry.Milliseconds())
}

// Renew extends the lease of a holder. It returns false if the holder has lost it.
func (s *BackupJobs) Renew(ctx context.Context, kind, holder string, lease time.Duration) (bool, error) {
	return s.changed(ctx, `
		UPDATE backup_jobs SET leased_until_ms = `+s.Clock()+` + $1 WHERE kind = $2 AND holder = $3`,
		lease.Milliseconds(), kind, holder)
}

// Release ends the lease without a result: the job is as due as before.
func (s *BackupJobs) Release(ctx context.Context, kind, holder string) error {
	_, err := s.changed(ctx, `
		UPDATE backup_jobs SET holder = '', leased_until_ms = 0 WHERE kind = $1 AND holder = $2`, kind, holder)
	return err
}

// Succeeded records a successful run, now, and ends the lease of the holder, if any.
// Runs by hand have no holder.
func (s *BackupJobs) Succeeded(ctx context.Context, holder string, j BackupJob) error {
	_, err := s.changed(ctx, `
		UPDATE backup_jobs SET ok_at_ms = `+s.Clock()+`, ok_name = $1, ok_bytes = $2, ok_took_ms = $3,
			leased_until_ms = CASE WHEN holder = $4 THEN 0 ELSE leased_until_ms END
		WHERE kind = $5`, j.Name, j.Bytes, j.Took.Milliseconds(), holder, j.Kind)
	return err
}

// Failed records a failed run, now, and ends the lease of the holder, if any.
func (s *BackupJobs) Failed(ctx context.Context, kind, holder, reason string) error {
	_, err := s.changed(ctx, `
		UPDATE backup_jobs SET failed_at_ms = `+s.Clock()+`, error = $1,
			leased_until_ms = CASE WHEN holder = $2 THEN 0 ELSE leased_until_ms END
		WHERE kind = $3`, reason, holder, kind)
	return err
}

// List returns both jobs.
func (s *BackupJobs) List(ctx context.Context) ([]BackupJob, error) {
	return database.All(ctx, s.Read, func(row database.Scanner) (j BackupJob, err error) {
		var took int64
		err = row.Scan(&j.Kind, database.ScanMillis(&j.OKAt), &j.Name, &j.Bytes, &took, database.ScanMillis(&j.FailedAt),
			&j.Error)
		j.Took = time.Duration(took) * time.Millisecond
		return j, err
	}, `
		SELECT kind, nullif(ok_at_ms, 0), ok_name, ok_bytes, ok_took_ms, nullif(failed_at_ms, 0), error
		FROM backup_jobs ORDER BY kind`)
}

func (s *BackupJobs) changed(ctx context.Context, statement string, args ...any) (bool, error) {
	result, err := s.Write.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

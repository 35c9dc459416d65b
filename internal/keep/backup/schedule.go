package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"stoa/internal/base/background"
	"stoa/internal/store"
)

const (
	// lease is how long a process keeps a job without renewing it.
	lease = time.Minute
	// lookEvery is how often a process checks whether a job is due.
	lookEvery = time.Minute
	// retryAfter is how long after a failure a job is tried again.
	retryAfter = 15 * time.Minute
)

// Schedule makes backups, verifies them and removes old ones, at fixed intervals. Of all processes
// on a database, one does each.
type Schedule struct {
	Source Source
	Lock   Lock
	Place  Place
	Every  time.Duration // from one backup to the next
	Keep   int           // the most backups to keep

	// VerifyEvery is the time from one verification to the next; 0 means never. Key opens
	// the backups. Scratch is the folder to restore into.
	VerifyEvery time.Duration
	Key         Key
	Scratch     string

	Jobs *store.BackupJobs
	Log  *slog.Logger
	// Missed gets the jobs whose failure the database could not record.
	Missed *Missed
}

// Run does the jobs that are due until ctx ends.
func (k *Schedule) Run(ctx context.Context) {
	task := background.Task{
		Every: min(lookEvery, k.Every), Log: k.Log, Failed: "the state of the backups could not be read or recorded",
	}
	task.Run(ctx, k.Due)
}

// Due does the jobs that are due and that no other process is doing. Failures of jobs are recorded
// and logged; the error is about the records. A due job that cannot begin counts as failed.
func (k *Schedule) Due(ctx context.Context) error {
	known, err := k.Jobs.List(ctx)
	if err == nil { // else the jobs fail, too
		k.Missed.read(known)
	}
	err = k.job(ctx, store.BackupTaken, k.Every, k.take)
	if k.VerifyEvery > 0 {
		err = errors.Join(err, k.job(ctx, store.BackupVerified, k.VerifyEvery, k.verify))
	}
	return err
}

// errNothing means that there is nothing to do.
var errNothing = errors.New("there is no backup")

// job does a job if it is due.
func (k *Schedule) job(
	ctx context.Context, kind string, every time.Duration, do func(context.Context) (store.BackupJob, error),
) error {
	holder := rand.Text()
	taken, err := k.Jobs.Take(ctx, kind, holder, lease, every, min(retryAfter, every))
	if err != nil && ctx.Err() == nil && k.Missed.due(kind, every, time.Now()) {
		k.missed(ctx, kind, fmt.Errorf("it was due, and could not begin: %w", err))
	}
	if err != nil || !taken {
		return err
	}
	held, release := context.WithCancelCause(ctx)
	holding := make(chan struct{})
	go func() {
		defer close(holding)
		k.keepLease(held, release, kind, holder)
	}()
	began := time.Now()
	done, err := do(held)
	done.Kind, done.Took = kind, time.Since(began)
	if cause := context.Cause(held); err != nil && cause != nil {
		err = cause
	}
	release(nil)
	<-holding
	recording, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second) // also when stoa stops
	defer cancel()
	switch {
	case ctx.Err() != nil && err != nil, errors.Is(err, errNothing):
		return k.Jobs.Release(recording, kind, holder)
	case errors.Is(err, errLost): // another process records the outcome
		k.Log.WarnContext(ctx, "backup abandoned", slog.String("job", kind), slog.Any("err", err))
		return nil
	case err != nil:
		k.Log.ErrorContext(ctx, "backup failed", slog.String("job", kind), slog.Any("err", err))
		unrecorded := k.Jobs.Failed(recording, kind, holder, err.Error())
		if unrecorded != nil {
			k.Missed.add(kind, err.Error(), time.Now())
		}
		return unrecorded
	}
	k.Log.InfoContext(ctx, "backup done", slog.String("job", kind), slog.String("name", done.Name),
		slog.Int64("bytes", done.Bytes), slog.Duration("took", done.Took))
	if err := k.Jobs.Succeeded(recording, holder, done); err != nil {
		return err
	}
	k.Missed.forget(kind)
	return nil
}

// missed records that a due job failed, and logs it at intervals.
func (k *Schedule) missed(ctx context.Context, kind string, err error) {
	if k.Missed.add(kind, err.Error(), time.Now()) {
		k.Log.ErrorContext(ctx, "backup failed", slog.String("job", kind), slog.Any("err", err))
	}
}

// errLost ends a job that another process may have started.
var errLost = errors.New("the lease of the job was lost")

// keepLease renews the lease until ctx ends, and calls release if the lease is lost.
func (k *Schedule) keepLease(ctx context.Context, release context.CancelCauseFunc, kind, holder string) {
	tick := time.NewTicker(lease / 4)
	defer tick.Stop()
	sure := time.Now().Add(lease) // when the lease ends at the earliest
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		ours, err := k.Jobs.Renew(ctx, kind, holder, lease)
		switch {
		case err == nil && ours:
			sure = asked.Add(lease)
		case err == nil || time.Now().After(sure):
			release(errors.Join(errLost, err))
			return
		}
	}
}

// take makes a backup and removes the oldest beyond the limit.
func (k *Schedule) take(ctx context.Context) (done store.BackupJob, err error) {
	done.Name = Name(k.Source.Now(), k.Lock.On())
	to, err := k.Place.Create(ctx, done.Name)
	if err != nil {
		return done, err
	}
	m, size, err := k.Source.Put(ctx, to, k.Lock)
	if err != nil {
		return done, err
	}
	done.Bytes = size
	if len(m.Missing) > 0 {
		k.Log.WarnContext(ctx, "files are missing in the data folder, and so in the backup", slog.Any("paths", m.Missing))
	}
	return done, k.prune(ctx)
}

// prune removes the oldest backups.
func (k *Schedule) prune(ctx context.Context) error {
	names, err := k.Place.List(ctx)
	if err != nil {
		return err
	}
	var all []error
	for len(names) > max(k.Keep, 1) {
		all = append(all, k.Place.Remove(ctx, names[0]))
		names = names[1:]
	}
	all = append(all, k.Place.Sweep(ctx))
	if err := errors.Join(all...); err != nil {
		return fmt.Errorf("the backup was made, but old ones could not be removed: %w", err)
	}
	return nil
}

// verify verifies the latest backup.
func (k *Schedule) verify(ctx context.Context) (done store.BackupJob, err error) {
	if err := sweep(k.Scratch, scratchPrefix); err != nil {
		return done, err
	}
	names, err := k.Place.List(ctx)
	if err != nil {
		return done, err
	}
	if len(names) == 0 {
		return done, errNothing
	}
	done.Name = names[len(names)-1]
	file, err := k.Place.Open(ctx, done.Name)
	if err != nil {
		return done, err
	}
	defer file.Close()
	size := &countedReader{Reader: file}
	target := Target{Folders: k.Source.Folders, Version: k.Source.Version}
	_, err = target.Verify(ctx, size, k.Key, k.Scratch)
	done.Bytes = size.bytes
	if err != nil {
		err = fmt.Errorf("%s: %w", done.Name, err)
	}
	return done, err
}

// countedReader counts what is read.
type countedReader struct {
	io.Reader

	bytes int64
}

// Read implements io.Reader.
func (c *countedReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.bytes += int64(n)
	return n, err
}

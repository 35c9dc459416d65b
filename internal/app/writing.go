package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"stoa/internal/data/database"
	"stoa/internal/operate/ops"
	"stoa/internal/operate/system"
)

// writing returns why this process cannot store what it should: a write has failed lately, or files
// cannot be made. While it fails, what only reads is still served.
func (a *App) writing(cfg Config) error {
	if err := a.outages.Failing(); err != nil {
		return err
	}
	if err := canWrite(cfg.DataDir); err != nil {
		return fmt.Errorf("the data folder cannot be written: %s", reason(err))
	}
	// Some have no folder for temporary files, and need none.
	if err := canWrite(os.TempDir()); errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("temporary files cannot be written: %s", reason(err))
	}
	return nil
}

// canWrite returns an error unless files can be made in a folder and have content: an empty file often
// fits on a full disk.
func canWrite(folder string) error {
	f, err := os.CreateTemp(folder, ".health-")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 4<<10))
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// spaces returns the room where this process stores something.
func (a *App) spaces(cfg Config) []system.Space {
	folders := map[string]string{system.PlaceFiles: cfg.DataDir, system.PlaceTemp: os.TempDir()}
	if !database.IsPostgres(cfg.DatabaseURL) {
		folders[system.PlaceDatabase] = filepath.Dir(cfg.DatabaseURL)
	}
	return system.Spaces(folders)
}

// storageState is what the overview shows of writing.
func (a *App) storageState(cfg Config) func() ([]system.Space, system.Failure) {
	return func() ([]system.Space, system.Failure) {
		var failing system.Failure
		if err := a.writing(cfg); err != nil {
			if failing = (system.Failure{At: a.outages.Since(), Message: err.Error()}); failing.At.IsZero() {
				failing.At = cfg.Now()
			}
		}
		return a.spaces(cfg), failing
	}
}

// watchStorage adds the room and the writing to the metrics.
func (a *App) watchStorage(cfg Config) {
	a.metrics.WatchStorage(func() (all []ops.Space) {
		for _, s := range a.spaces(cfg) {
			all = append(all, ops.Space{Place: s.Place, Free: s.Free, Size: s.Size})
		}
		return all
	}, func() bool { return a.writing(cfg) == nil })
}

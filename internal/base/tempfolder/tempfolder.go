// Package tempfolder makes folders for temporary files that are removed by the next process if
// theirs is killed: the operating system releases the lock of a folder when the process that holds
// it ends in any way.
package tempfolder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// lockFile is the file in each folder whose lock says that the folder is in use.
const lockFile = "lock"

// Folder is a folder of this process, with the mode 0700.
type Folder struct {
	Dir  string
	Lock *os.File // held while this process lives, so that no other sweeps Dir
}

// New makes a folder in parent, whose name begins with name and a hyphen. The caller
// removes it.
//
// It gets its final name after its lock is held, so a folder with a free lock is abandoned.
func New(parent, name string) (*Folder, error) {
	fresh, err := os.MkdirTemp(parent, "."+name+"-*") // with mode 0700
	if err != nil {
		return nil, err
	}
	//nolint:gosec // in a folder of our own
	f, err := os.OpenFile(filepath.Join(fresh, lockFile), os.O_CREATE|os.O_EXCL|os.O_RDWR|noFollow, 0o600)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(fresh))
	}
	lock(f)
	dir := filepath.Join(parent, strings.TrimPrefix(filepath.Base(fresh), "."))
	if err := os.Rename(fresh, dir); err != nil {
		return nil, errors.Join(err, f.Close(), os.RemoveAll(fresh))
	}
	return &Folder{Dir: dir, Lock: f}, nil
}

// Remove removes the folder with all that is in it.
func (f *Folder) Remove() error { return errors.Join(os.RemoveAll(f.Dir), f.Lock.Close()) }

// Sweep removes the folders of that name that killed processes left in parent, and returns how
// many: those whose lock is free, and those without a lock after a minute. A folder that cannot be
// removed does no harm.
func Sweep(parent, name string) int {
	dirs, _ := filepath.Glob(filepath.Join(parent, name+"-*")) // the patterns are ours
	fresh, _ := filepath.Glob(filepath.Join(parent, "."+name+"-*"))
	removed := 0
	for _, dir := range append(dirs, fresh...) {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || isHidden(dir) && time.Since(info.ModTime()) < time.Minute {
			continue
		}
		//nolint:gosec // other users' folders do not open
		f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|noFollow, 0)
		switch {
		case err == nil:
			if lock(f) && os.RemoveAll(dir) == nil {
				removed++
			}
			_ = f.Close()
		case isHidden(dir) && os.Remove(dir) == nil: // empty: killed before there was a lock
			removed++
		}
	}
	return removed
}

func isHidden(dir string) bool { return strings.HasPrefix(filepath.Base(dir), ".") }

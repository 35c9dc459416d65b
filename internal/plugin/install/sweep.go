package install

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// LeftoverAge is how old files without a record must be before Sweep takes them
// for the leftovers of a crash. Installing takes minutes at most, so nothing
// that another process is writing is ever this old.
const LeftoverAge = time.Hour

// Sweep removes what crashes left behind: uploads, half-unpacked packages and
// files of packages that were never recorded. Call it at start. The age of files
// is measured against now, which must be the system's clock because file times
// are.
func (in *Installer) Sweep(ctx context.Context, now time.Time) error {
	// First the records, then the files: what was recorded in between is young.
	recorded, err := in.Paths.InstallPaths(ctx)
	if err != nil {
		return err
	}
	data, err := in.openData()
	if err != nil {
		return err
	}
	defer data.Close()

	var failed error
	sweep := func(dir string, leftover func(name string) bool) {
		entries, err := fs.ReadDir(data.FS(), dir)
		failed = errors.Join(failed, err)
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if !leftover(e.Name()) || !old(e, now) || slices.Contains(recorded, name) {
				continue
			}
			failed = errors.Join(failed, data.RemoveAll(name))
			in.Log.InfoContext(ctx, "removed leftovers of an install", slog.String("path", name))
		}
	}
	sweep(uploadsDir, func(name string) bool { return strings.HasPrefix(name, uploadStart) })
	sweep(packagesDir, func(name string) bool { return strings.HasPrefix(name, tmpPrefix) })
	slugs, err := fs.ReadDir(data.FS(), packagesDir)
	failed = errors.Join(failed, err)
	for _, slug := range slugs {
		if slug.IsDir() && !strings.HasPrefix(slug.Name(), tmpPrefix) {
			sweep(path.Join(packagesDir, slug.Name()), func(string) bool { return true })
		}
	}
	return failed
}

// old reports whether an entry is older than LeftoverAge. One that is gone by
// now was another process's.
func old(e os.DirEntry, now time.Time) bool {
	info, err := e.Info()
	return err == nil && now.Sub(info.ModTime()) > LeftoverAge
}

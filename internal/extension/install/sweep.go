package install

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strings"
	"time"

	"stoa/internal/base/background"
)

// LeftoverAge is how old files without a record must be before Sweep takes them
// for the leftovers of a crash. An install takes minutes at most, so what another
// process is writing is never this old.
const LeftoverAge = time.Hour

// KeepSwept sweeps every hour until ctx ends: what a crash left behind, secrets in bundles
// among it, is too young at the start that follows, which has swept already.
func (in *Installer) KeepSwept(ctx context.Context) {
	select {
	case <-time.After(LeftoverAge):
	case <-ctx.Done():
		return
	}
	task := background.Task{
		Every: LeftoverAge, Log: in.Log, Failed: "leftovers of earlier installs could not be removed",
	}
	task.Run(ctx, func(ctx context.Context) error { return in.Sweep(ctx, time.Now()) })
}

// Sweep removes what crashes left behind: uploads, half-unpacked packages and
// files of packages that were never recorded, or whose product is gone. The age of
// files is measured against now, which must be the system's clock because file times
// are. Objects in the storage must be older, because another replica's clock made their time.
func (in *Installer) Sweep(ctx context.Context, now time.Time) error {
	// First the records, then the files: files recorded in between are young.
	recorded, err := in.recorded(ctx)
	if err != nil {
		return err
	}
	data, err := in.openData()
	if err != nil {
		return err
	}
	defer data.Close()

	var failed error
	sweep := func(dir, prefix string) {
		entries, err := fs.ReadDir(data.FS(), dir)
		failed = errors.Join(failed, err)
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			owned := recorded[name] || recorded[strings.TrimSuffix(name, archiveSuffix)]
			if !strings.HasPrefix(e.Name(), prefix) || !old(e, now) || owned {
				continue
			}
			failed = errors.Join(failed, data.RemoveAll(name))
			in.Log.InfoContext(ctx, "removed leftovers of an install", slog.String("path", name))
		}
	}
	sweep(uploadsDir, uploadPrefix)
	if in.Recorded != nil {
		sweep(MarketDir, "")
	}
	for _, reg := range in.Kinds {
		sweep(reg.Folder(), unpackPrefix)
		slugs, err := fs.ReadDir(data.FS(), reg.Folder())
		failed = errors.Join(failed, err)
		for _, slug := range slugs {
			if slug.IsDir() && !strings.HasPrefix(slug.Name(), unpackPrefix) {
				home := path.Join(reg.Folder(), slug.Name())
				sweep(home, "")
				if old(slug, now) {
					removeEmpty(data, home)
				}
			}
		}
	}
	if in.Storage != nil {
		failed = errors.Join(failed, in.sweepRemote(ctx, recorded, now))
	}
	return failed
}

// recorded returns the paths that belong to a release, or to an extension of any kind, because
// kinds may share a folder.
func (in *Installer) recorded(ctx context.Context) (map[string]bool, error) {
	all := make(map[string]bool)
	if in.Recorded != nil {
		paths, err := in.Recorded(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			all[p] = true
		}
	}
	for _, reg := range in.Kinds {
		paths, err := reg.InstallPaths(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			all[p] = true
		}
	}
	return all, nil
}

// old reports whether an entry is older than LeftoverAge. An entry that is gone by
// now belonged to another process.
func old(e os.DirEntry, now time.Time) bool {
	info, err := e.Info()
	return err == nil && now.Sub(info.ModTime()) > LeftoverAge
}

package install

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"time"

	"stoa/internal/extension"
)

// maxNamed is how many files a warning about a package names.
const maxNamed = 20

// restFactor is how many times as long as it worked CheckInstalled rests: there may be
// gigabytes to read while the first requests come, and nobody waits for it.
const restFactor = 3

// CheckInstalled compares the files of every installed package with its archive, one
// package after the other and at a quarter of what one processor can do, and warns in the
// log of each that is not as it was installed, and once of all that have no archive. It returns after the
// package it is at when ctx is done.
func (in *Installer) CheckInstalled(ctx context.Context) {
	all, err := in.Installed(ctx)
	if err != nil {
		if ctx.Err() == nil {
			in.Log.WarnContext(ctx, "the files of installed packages could not be checked", slog.Any("err", err))
		}
		return
	}
	var bare []string // packages without an archive
	for _, p := range all {
		if ctx.Err() != nil {
			return
		}
		if p.InstallPath == "" {
			continue
		}
		begin := time.Now()
		if !in.check(ctx, p) {
			bare = append(bare, string(p.Kind)+" "+p.Slug+" "+p.Version)
		}
		select {
		case <-time.After(restFactor * time.Since(begin)):
		case <-ctx.Done():
		}
	}
	if len(bare) > 0 {
		in.Log.WarnContext(ctx,
			"stoa has no copy of the ZIP of some packages: older releases kept none. The packages work, but "+
				"stoa cannot tell whether their files were changed, and cannot move them to object storage. "+
				"Install the same ZIP of each once more: stoa then keeps it, and changes nothing else",
			slog.Int("count", len(bare)), slog.Any("packages", bare[:min(len(bare), maxNamed)]))
	}
}

// check warns if the files of a package are not as they were installed. It returns false if it cannot
// know because the package has no archive.
func (in *Installer) check(ctx context.Context, p extension.Present) (told bool) {
	if in.Storage != nil {
		if there, err := in.unpacked(p.InstallPath); !there && err == nil {
			return true // it is checked when it is fetched
		}
	}
	files, _, err := in.Files(ctx, Ref{p.Kind, p.InstallPath, p.ZipHash}, 0, math.MaxInt)
	files = slices.DeleteFunc(files, func(f File) bool { return f.State == Intact })
	if err == nil && len(files) == 0 || ctx.Err() != nil || !in.present(ctx, p) {
		return true // also if the package was replaced or removed meanwhile
	}
	log := in.Log.With(slog.String("kind", string(p.Kind)), slog.String("slug", p.Slug), slog.String("version", p.Version))
	switch {
	case errors.Is(err, errOtherArchive):
		log.WarnContext(ctx,
			"the copy that stoa keeps of a package's ZIP was changed, so stoa cannot tell whether its files were "+
				"changed, too. Find out who writes to the data folder, and install the same ZIP once more")
	case errors.Is(err, ErrNoArchive):
		return false
	case err != nil:
		log.WarnContext(ctx, "the files of a package could not be checked", slog.Any("err", err))
	default:
		named := make([]string, 0, maxNamed)
		for _, f := range files[:min(len(files), maxNamed)] {
			named = append(named, f.Path+" ("+f.State+")")
		}
		log.WarnContext(ctx, "the files of a package are not as they were installed",
			slog.Int("count", len(files)), slog.Any("files", named))
	}
	return true
}

// present reports whether a package is still installed with these files.
func (in *Installer) present(ctx context.Context, p extension.Present) bool {
	reg, err := in.Kinds.Get(p.Kind)
	if err != nil {
		return false
	}
	list, err := reg.Installed(ctx)
	return err == nil && slices.Contains(list, p)
}

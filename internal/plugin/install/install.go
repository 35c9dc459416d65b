// Package install turns uploaded archives into installed packages: it receives
// the file, has it inspected, puts its content in place and has it recorded.
//
// What happens first and last is what makes a crash harmless. The files are
// complete and on disk, at a path of their own, before the record that points to
// them is written; so a record without files cannot be, and files without a
// record are nobody's and are swept at some later start. Several processes may
// share a data folder: each writes below names that no other uses.
//
// The rules about archives are package archive's, those about packages and
// instances package plugin's.
package install

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"slices"

	"stoa/internal/errs"
	"stoa/internal/plugin"
	"stoa/internal/plugin/archive"
)

// Kind is a kind of extension (spec B).
type Kind string

// KindPlugin is the only kind that can be installed so far.
const KindPlugin Kind = "plugin"

// kinds are all of spec B's, whether they can be installed or not.
var kinds = []Kind{KindPlugin, "theme-shop", "theme-admin", "theme-app-shop", "theme-app-admin", "bundle"}

// Failures of installing. Those of archive and plugin come through as they are.
var (
	ErrKind        = errs.New(errs.NotFound, "NOT_FOUND", "There is no such kind of extension. The kinds are plugin, theme-shop, theme-admin, theme-app-shop, theme-app-admin and bundle.")
	ErrUnsupported = errs.New(errs.Unsupported, "NOT_SUPPORTED", "Themes, theme apps and bundles are not supported yet; this version manages extensions of the kind plugin.")
	ErrTooLarge    = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "A plugin archive may have at most 50 MiB.")
	errUnreadable  = errs.Malformed("unreadable", "The upload could not be read to its end.")
)

// CheckKind returns nil for a kind that can be installed, ErrUnsupported for one
// of spec B's others, and ErrKind for anything else.
func CheckKind(k Kind) error {
	switch {
	case k == KindPlugin:
		return nil
	case slices.Contains(kinds, k):
		return ErrUnsupported.With("kind", string(k))
	}
	return ErrKind
}

// Installer installs packages. All fields are required. It is safe for
// concurrent use, also by several processes on one data folder.
type Installer struct {
	Plugins *plugin.Service
	Paths   Paths
	DataDir string
	Log     *slog.Logger
}

// Paths tells what is installed.
type Paths interface {
	// InstallPaths returns the path of every package's files, relative to the
	// data folder, uninstalled packages included.
	InstallPaths(ctx context.Context) ([]string, error)
}

// Result is what an install came to.
type Result struct {
	plugin.Installed

	// Duplicate is true if the same archive was installed before; then nothing
	// was changed.
	Duplicate bool
}

// Install installs a received archive, which stays the caller's to discard. The
// same archive again is no failure: the result is what it was installed as. It is
// no duplicate, either, if the package has the id up.PackageID: then an attempt
// before this one installed it.
//
// It returns INVALID_ARCHIVE, INVALID_MANIFEST, or plugin.ErrVersionConflict,
// plugin.ErrUpgrade or plugin.ErrUninstalled for a slug that is taken. Whatever
// fails, nothing of the package is left to be seen.
func (in *Installer) Install(ctx context.Context, up *Upload) (Result, error) {
	if found, ok, err := in.find(ctx, up); ok || err != nil {
		return found, err
	}
	pkg, err := archive.Inspect(up.file, up.Size)
	if err != nil {
		return Result{}, err
	}
	if err := in.Plugins.CheckFree(ctx, pkg.Manifest); err != nil {
		return in.explain(ctx, up, err)
	}
	place, err := in.place(ctx, pkg, up.Hash)
	if err != nil {
		return Result{}, err
	}
	installed, err := in.Plugins.Add(ctx, plugin.Package{
		ID: up.PackageID, Source: plugin.SourceLocalZip, InstallPath: place, ZipHash: up.Hash, Manifest: pkg.Manifest,
	})
	if err == nil {
		in.Log.InfoContext(ctx, "plugin installed", slog.String("slug", pkg.Manifest.Slug), slog.String("version", pkg.Manifest.Version))
		return Result{Installed: installed}, nil
	}
	if errs.KindOf(err) != errs.Conflict {
		return Result{}, err
	}
	if err := in.discard(place); err != nil {
		in.Log.WarnContext(ctx, "files of a package that was not installed stay behind", slog.String("path", place), slog.Any("err", err))
	}
	if taken := in.Plugins.CheckFree(ctx, pkg.Manifest); taken != nil {
		err = taken // somebody was faster, perhaps with the same archive
	}
	return in.explain(ctx, up, err)
}

// find returns what an archive was installed as; ok is false if it was not.
func (in *Installer) find(ctx context.Context, up *Upload) (Result, bool, error) {
	found, ok, err := in.Plugins.FindArchive(ctx, up.Hash)
	return Result{Installed: found, Duplicate: ok && found.Package.ID != up.PackageID}, ok, err
}

// explain turns a clash into success if the slug is taken by the same archive,
// which another request installed while this one was at work.
func (in *Installer) explain(ctx context.Context, up *Upload, clash error) (Result, error) {
	if errs.KindOf(clash) != errs.Conflict {
		return Result{}, clash
	}
	found, ok, err := in.find(ctx, up)
	if err != nil || !ok {
		return Result{}, errors.Join(err, clash)
	}
	return found, nil
}

// place unpacks a package to a folder of its own and returns the folder's path,
// relative to the data folder. Everything is on disk when it returns.
func (in *Installer) place(ctx context.Context, pkg *archive.Package, hash string) (string, error) {
	data, err := in.openData()
	if err != nil {
		return "", err
	}
	defer data.Close()
	tmp := path.Join(packagesDir, tmpPrefix+randomName())
	final, err := in.unpack(ctx, data, pkg, tmp, hash)
	if err != nil {
		_ = data.RemoveAll(tmp) // what stays is swept later
		return "", err
	}
	return final, nil
}

func (in *Installer) unpack(ctx context.Context, data *os.Root, pkg *archive.Package, tmp, hash string) (string, error) {
	home := path.Join(packagesDir, pkg.Manifest.Slug)
	if err := data.MkdirAll(home, 0o755); err != nil {
		return "", err
	}
	if err := data.Mkdir(tmp, 0o755); err != nil {
		return "", err
	}
	root, err := data.OpenRoot(tmp)
	if err != nil {
		return "", err
	}
	err = errors.Join(pkg.ExtractTo(root), root.Close())
	if err == nil {
		err = ctx.Err() // the client is gone, or the time is up
	}
	if err != nil {
		return "", err
	}
	final := path.Join(home, pkg.Manifest.Version+"-"+hash[:8])
	err = data.Rename(tmp, final)
	if errors.Is(err, fs.ErrExist) {
		// Left behind by a crash, or being installed by somebody else this very
		// moment. Whoever it is, the folder is theirs.
		final += "-" + randomName()
		err = data.Rename(tmp, final)
	}
	if err != nil {
		return "", err
	}
	return final, errors.Join(syncDir(data, home), syncDir(data, packagesDir))
}

// discard removes the files of a package that lost the race for its slug. After
// any other failure they stay until swept: when a connection breaks during the
// commit, nobody here knows whether the record that points to them was kept.
func (in *Installer) discard(place string) error {
	data, err := in.openData()
	if err != nil {
		return err
	}
	defer data.Close()
	return data.RemoveAll(place)
}

func (in *Installer) openData() (*os.Root, error) {
	data, err := os.OpenRoot(in.DataDir)
	if err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	return data, errors.Join(data.MkdirAll(packagesDir, 0o755), data.MkdirAll(uploadsDir, 0o700))
}

func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func randomName() string {
	var b [8]byte
	_, _ = io.ReadFull(rand.Reader, b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

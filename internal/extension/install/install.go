// Package install takes uploaded archives to installed extensions: it receives the
// file, has it inspected, puts its contents in place and has them recorded.
//
// The order makes crashes harmless. The files are complete and on disk, at a path
// of their own, and in the storage if there is one, before the record that points to them
// is written. So there is no record without files; files without a record belong to nobody,
// and a later start sweeps them. Several processes may share a data folder or a storage: each
// writes under names that no other uses.
//
// Rules about archives are package archive's. What a manifest means and what is
// recorded depends on the kind of extension and is its Registry's; see package
// extension.
package install

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/data/blob"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
	"stoa/internal/extension/sign"
)

// Installer installs extensions. Fields are required unless they say otherwise. It is safe for
// concurrent use, also by several processes on one data folder.
type Installer struct {
	Kinds   extension.Registries
	DataDir string
	Log     *slog.Logger

	// Records is where several extensions are recorded together.
	Records Transactions

	// Types returns the file types that archives of a kind may hold beyond those of its Profile,
	// and whether no administrator can change them. It is asked at each install. nil: none.
	Types func(ctx context.Context, kind extension.Kind) (more []string, fixed bool, err error)

	// Trusted are the keys of publishers: a package that is signed with another key is
	// refused. It may be empty.
	Trusted sign.Keys

	// Platform is the version of this stoa, which extensions may need to be at least another. Empty, or without
	// three numbers in front: they are not asked.
	Platform string

	// Storage keeps the archives, and the data folder is a cache of it. nil: they are in the
	// data folder only.
	Storage blob.Store
	// Owned returns nil if everything in the storage belongs to this shop. Before Sweep removes
	// anything there, it asks. It is required with Storage.
	Owned func(ctx context.Context) error

	// Recorded returns the paths of the archives that the market publishes; Sweep removes
	// the others. nil removes none.
	Recorded func(ctx context.Context) ([]string, error)

	flights blob.Flights // of Fetch
}

// Transactions run functions in transactions of the database that all kinds share. Package
// store implements it.
type Transactions interface {
	// InTx runs fn in a transaction that commits if fn returns nil, and is undone otherwise.
	// fn may run more than once.
	InTx(ctx context.Context, fn func(tx extension.Tx) error) error

	// InTurn is InTx for changes of bundles: one at a time, across all replicas.
	InTurn(ctx context.Context, fn func(tx extension.Tx) error) error

	// Origins returns the archives that came from markets of other stoas, in no order. Some may not be
	// installed any more.
	Origins(ctx context.Context) ([]extension.Traced, error)
}

// CheckKind returns nil for a kind that can be installed, extension.ErrUnsupported
// for the other kinds, and extension.ErrKind for anything else.
func (in *Installer) CheckKind(kind extension.Kind) error {
	_, err := in.Kinds.Get(kind)
	return err
}

// Result is what an install came to.
type Result struct {
	// Record is what the kind recorded: for plugins a plugin.Installed.
	Record extension.Record

	// Duplicate is true if the same archive was installed before; then nothing
	// was changed.
	Duplicate bool
}

// Install installs a received archive. The upload stays the caller's to close. For
// an archive that is installed already the result is the present record. That is
// a Duplicate unless the package has the id up.PackageID: then an earlier attempt
// of the same request installed it. If the package's own archive is not there or was
// changed, up takes its place.
//
// The errors are those of CheckKind, INVALID_ARCHIVE, and those of the kind's
// Registry and Candidate: a manifest with faults, or a slug that is taken. After
// an error nothing of the extension is visible.
func (in *Installer) Install(ctx context.Context, kind extension.Kind, up *Upload) (Result, error) {
	reg, err := in.Kinds.Get(kind)
	if err != nil {
		return Result{}, err
	}
	if found, ok, err := in.find(ctx, kind, reg, up); ok || err != nil {
		if err == nil {
			err = in.keepAgain(ctx, reg, up)
		}
		return found, err
	}
	read, err := in.read(ctx, kind, reg, up)
	if err != nil {
		return Result{}, err
	}
	candidate := read.candidate
	if err := in.fits(candidate); err != nil {
		return Result{}, err
	}
	if err := in.checkOrigin(ctx, up, kind, candidate.Slug()); err != nil {
		return Result{}, err
	}
	if err := candidate.CheckFree(ctx, up.Replace); err != nil {
		return in.resolve(ctx, kind, reg, up, err)
	}
	if all, ok := candidate.(Collection); ok {
		return in.installAll(ctx, kind, reg, up, read, all)
	}
	p, err := in.prepare(ctx, reg, up, read, up.Setup)
	if err != nil {
		return in.failed(ctx, kind, reg, up, candidate, err)
	}
	var added extension.Added
	err = in.Records.InTx(ctx, func(tx extension.Tx) (err error) {
		added, err = up.record(ctx, tx, kind, candidate.Slug(), p)
		return err
	})
	if err != nil {
		return in.failed(ctx, kind, reg, up, candidate, err, p.place)
	}
	p.Committed()
	in.logInstalled(ctx, kind, candidate)
	return Result{Record: added.Record}, nil
}

// keepAgain keeps an archive that is installed and was not kept, as by older releases, or was changed
// since.
func (in *Installer) keepAgain(ctx context.Context, reg extension.Registry, up *Upload) error {
	list, err := reg.Installed(ctx)
	i := slices.IndexFunc(list, func(p extension.Present) bool { return p.ZipHash == up.Hash && p.InstallPath != "" })
	if err != nil || i < 0 {
		return err
	}
	kept, err := in.OpenArchive(ctx, Ref{list[i].Kind, list[i].InstallPath, list[i].ZipHash})
	if err == nil {
		whole := same(kept, up.Hash)
		if err := kept.Close(); err != nil || whole {
			return err
		}
	} else if !errors.Is(err, ErrNoArchive) && !errors.Is(err, blob.ErrAltered) {
		return err
	}
	if err := in.store(ctx, up, list[i].InstallPath+archiveSuffix); err != nil {
		return err
	}
	// With object storage, a process may lack the folder of a package that another installed.
	if _, err := up.root.Stat(path.Dir(list[i].InstallPath)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	in.Log.InfoContext(ctx, "the ZIP of an installed package is kept now", slog.String("kind", string(list[i].Kind)),
		slog.String("slug", list[i].Slug), slog.String("version", list[i].Version))
	return up.keep(list[i].InstallPath)
}

// placed is an extension that is ready to be recorded, with its files in place.
type placed struct {
	extension.Prepared

	place string // empty for one that was installed before
}

// prepare puts the files of a candidate in place and makes it ready to be recorded. After
// an error nothing is in place that is known to be without a record.
func (in *Installer) prepare(
	ctx context.Context, reg extension.Registry, up *Upload, read contents, setup extension.Setup,
) (placed, error) {
	place, err := in.place(ctx, reg, read.candidate, read.Contents, up.Hash)
	if err != nil {
		return placed{}, err
	}
	if err := in.store(ctx, up, place+archiveSuffix); err != nil {
		in.discardLocal(ctx, place) // the storage does not work, so that what may be there is swept later
		return placed{}, err
	}
	if err := up.keep(place); err != nil {
		return placed{}, err
	}
	p, err := read.candidate.Prepare(ctx, extension.Files{
		PackageID: up.PackageID, InstallPath: place, ZipHash: up.Hash, Replace: up.Replace,
		FromMarket: up.FromMarket, Builtin: up.Builtin, SignedBy: read.signedBy,
	}, setup)
	if err != nil {
		in.Discard(ctx, place)
	}
	return placed{p, place}, err
}

// failed returns how an install ended that could not be recorded, and removes the files at
// the places if they are known to have no record.
func (in *Installer) failed(
	ctx context.Context, kind extension.Kind, reg extension.Registry, up *Upload, c extension.Candidate,
	err error, places ...string,
) (Result, error) {
	if !undone(err) {
		return Result{}, err
	}
	in.Discard(ctx, places...)
	if errors.Is(err, ErrElsewhere) {
		return Result{}, err
	}
	if taken := c.CheckFree(ctx, up.Replace); taken != nil {
		err = taken // another request was faster, perhaps with the same archive
	}
	return in.resolve(ctx, kind, reg, up, err)
}

// undone reports whether it is known that nothing was recorded. When the connection breaks
// during a commit, it is not.
func undone(err error) bool {
	k := errs.KindOf(err)
	return k == errs.Conflict || k == errs.Unprocessable || k == errs.Invalid || k == errs.NotFound
}

func (in *Installer) logInstalled(ctx context.Context, kind extension.Kind, c extension.Candidate) {
	in.Log.InfoContext(ctx, "extension installed", slog.String("kind", string(kind)),
		slog.String("slug", c.Slug()), slog.String("version", c.Version()))
}

// signer returns who signed an archive. From the market, only signed ones are taken.
func (in *Installer) signer(contents *archive.Contents, up *Upload) (sign.Signer, error) {
	trusted := in.Trusted
	if up.Publisher.Public != nil {
		trusted = sign.Keys{up.Publisher}
		if up.around != "" { // an item of its bundle
			trusted = append(trusted, in.Trusted...)
		}
	}
	signer, err := sign.Check(contents, trusted)
	if signer.Name == "" {
		signer.Name = up.around
	}
	if err == nil && signer.Name == "" && up.FromMarket {
		err = sign.ErrUnsigned
	}
	return signer, err
}

// checkOrigin is Upload.checkOrigin before anything is put in place.
func (in *Installer) checkOrigin(ctx context.Context, up *Upload, kind extension.Kind, slug string) error {
	if up.Origin.IsZero() {
		return nil
	}
	return in.Records.InTx(ctx, func(tx extension.Tx) error { return up.checkOrigin(ctx, tx, kind, slug) })
}

// find returns what an archive was installed as; ok is false if it was not. The error is ErrElsewhere if it came from
// elsewhere.
func (in *Installer) find(
	ctx context.Context, kind extension.Kind, reg extension.Registry, up *Upload,
) (found Result, ok bool, err error) {
	record, ok, err := reg.FindArchive(ctx, up.Hash)
	if !ok || err != nil {
		return Result{}, false, err
	}
	if !up.Origin.IsZero() {
		installed, err := in.Installed(ctx)
		if err != nil {
			return Result{}, false, err
		}
		for _, p := range installed {
			if p.Kind == kind && p.ZipHash == up.Hash && !p.Origin.Same(up.Origin) {
				return Result{}, false, ErrElsewhere
			}
		}
	}
	return Result{Record: record, Duplicate: record.RequestID() != up.PackageID}, true, nil
}

// resolve turns a conflict over a slug into success if the slug went to the same
// archive, which another request installed meanwhile.
func (in *Installer) resolve(
	ctx context.Context, kind extension.Kind, reg extension.Registry, up *Upload, conflict error,
) (Result, error) {
	if errs.KindOf(conflict) != errs.Conflict {
		return Result{}, conflict
	}
	found, ok, err := in.find(ctx, kind, reg, up)
	if err != nil || !ok {
		return Result{}, errors.Join(err, conflict)
	}
	return found, nil
}

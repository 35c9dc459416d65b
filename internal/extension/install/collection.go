package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
)

// Collection is a Candidate whose archive holds the archives of other extensions. They are
// installed together or not at all. Its own files are not unpacked, and Prepare and Adopt are
// not called.
type Collection interface {
	extension.Candidate

	// Items returns the extensions in the archive, in the order in which they are installed,
	// without those that the manifest describes wrongly, whose faults it returns.
	Items() ([]Item, errs.Issues)

	// Begin is called in tx before anything is recorded. The error is that of CheckFree.
	Begin(ctx context.Context, tx extension.Tx, replace bool) error

	// Record records the collection in tx, whose Files have no InstallPath, with what its
	// items came to, in the order of Items. It may run more than once.
	Record(ctx context.Context, tx extension.Tx, files extension.Files, added []ItemAdded) (extension.Record, error)
}

// Item is an extension in the archive of a Collection.
type Item struct {
	At    string // path of the item in the manifest, for issues
	Kind  extension.Kind
	Path  string // of its archive
	Setup extension.Setup
}

// ItemAdded is what an item came to.
type ItemAdded struct {
	extension.Added

	Kind    extension.Kind
	Slug    string
	Version string

	// Configs are the public configs of the instances in the item's Setup: without the
	// values of secret fields.
	Configs []json.RawMessage
}

// errRaced marks the error of an item that another request was faster than. The next attempt
// finds what that one did.
var errRaced = errors.New("install: something else was installed meanwhile")

// installAll installs a collection with its items.
//
// The error is INVALID_BUNDLE with the faults of all items, and those of a single install for
// the collection itself.
func (in *Installer) installAll(
	ctx context.Context, kind extension.Kind, reg extension.Registry, up *Upload, read contents, all Collection,
) (Result, error) {
	const attempts = 3
	for range attempts - 1 {
		if result, err := in.tryAll(ctx, kind, reg, up, read, all); !errors.Is(err, errRaced) {
			return result, err
		}
	}
	return in.tryAll(ctx, kind, reg, up, read, all)
}

// tryAll is one attempt of installAll.
func (in *Installer) tryAll(
	ctx context.Context, kind extension.Kind, reg extension.Registry, up *Upload, read contents, all Collection,
) (Result, error) {
	parts, err := in.openAll(ctx, up, read, all)
	defer func() {
		for _, p := range parts {
			_ = p.up.Close() // what stays is swept later
		}
	}()
	if err != nil {
		return again(ctx, reg, up, err)
	}
	ready, err := in.prepareAll(ctx, parts)
	if err != nil {
		return again(ctx, reg, up, err)
	}
	files := extension.Files{
		PackageID: up.PackageID, ZipHash: up.Hash, Replace: up.Replace, FromMarket: up.FromMarket, SignedBy: read.signedBy,
	}
	var record extension.Record
	err = in.Records.InTurn(ctx, func(tx extension.Tx) error {
		if err := all.Begin(ctx, tx, up.Replace); err != nil {
			return err
		}
		added, err := recordAll(ctx, tx, parts, ready)
		if err != nil {
			return err
		}
		if record, err = all.Record(ctx, tx, files, added); err != nil {
			return err
		}
		return up.trace(ctx, tx, kind, all.Slug())
	})
	if err != nil {
		if undone(err) {
			in.Discard(ctx, places(ready)...)
		}
		return again(ctx, reg, up, err)
	}
	for _, p := range ready {
		p.Committed()
	}
	in.logInstalled(ctx, kind, all)
	return Result{Record: record}, nil
}

// again turns an error into success if another request installed the same archive
// meanwhile.
func again(ctx context.Context, reg extension.Registry, up *Upload, failed error) (Result, error) {
	if !undone(failed) {
		return Result{}, failed
	}
	if found, ok, err := find(ctx, reg, up); ok || err != nil {
		return found, err
	}
	return Result{}, failed
}

// recordAll records what is ready, and returns what each item came to.
func recordAll(ctx context.Context, tx extension.Tx, parts []*part, ready []placed) ([]ItemAdded, error) {
	list := make([]ItemAdded, len(ready))
	for i, p := range ready {
		added, err := p.Record(ctx, tx)
		if err != nil {
			var faults errs.Issues
			if !parts[i].blame(err, &faults) {
				return nil, err
			}
			return nil, raced(InvalidBundle(faults), errs.KindOf(err) == errs.Conflict)
		}
		if !parts[i].adopt { // what was there stays what it was
			if err := parts[i].up.trace(ctx, tx, parts[i].Kind, parts[i].candidate.Slug()); err != nil {
				return nil, err
			}
		}
		list[i] = ItemAdded{
			Added: added, Kind: parts[i].Kind, Slug: parts[i].candidate.Slug(), Version: parts[i].candidate.Version(),
		}
		for _, in := range parts[i].Setup.Instances {
			list[i].Configs = append(list[i].Configs, parts[i].candidate.PublicConfig(in.Config))
		}
	}
	return list, nil
}

// raced marks an error with errRaced if it is one.
func raced(err error, is bool) error {
	if !is || err == nil {
		return err
	}
	return fmt.Errorf("%w: %w", errRaced, err)
}

func places(ready []placed) []string {
	list := make([]string, len(ready))
	for i, p := range ready {
		list[i] = p.place
	}
	return list
}

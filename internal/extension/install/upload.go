package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/sign"
)

var errUnreadable = errs.Malformed(errs.CodeUnreadable, "The upload could not be read to its end.")

// Upload is a received archive in a temporary file. Close it when done.
type Upload struct {
	Hash string // SHA-256 in hex
	Size int64  // bytes

	// PackageID is the id that the package gets, if it is new; empty for a random one.
	PackageID string

	// Replace allows to replace the same version of the package.
	Replace bool

	// FromMarket says that the official market published the archive. Then it must be
	// signed.
	FromMarket bool

	// Builtin says that the archive came with the platform.
	Builtin bool

	// Publisher, unless its key is nil, is the only one who may have signed the archive, whatever
	// Installer.Trusted says: the market of another stoa names it. Items of a bundle may also be signed with a
	// trusted key.
	Publisher sign.Key
	// Origin is the market of another stoa that the archive came from. It is recorded with the package.
	Origin extension.Origin
	// Setup is applied to what is installed. A bundle brings its own; of this one, its items have the Consent.
	Setup extension.Setup

	// around is the name of the trusted key that signed the archive in which this one came.
	// Who signed that signed this.
	around string

	file *os.File
	root *os.Root
	name string
}

// Close discards the upload, unless the archive was kept.
func (up *Upload) Close() error {
	err := up.file.Close()
	if up.name != "" {
		err = errors.Join(err, up.root.Remove(up.name))
	}
	return errors.Join(err, up.root.Close())
}

// ErrElsewhere is returned where an archive from the market of another stoa would take the place of a package that is
// not from the same product there. Of a bundle, details.packages names the items.
var ErrElsewhere = errs.New(errs.Conflict, "CONFLICT",
	"A package with this slug is installed from elsewhere: it was uploaded, or is from another market or product. "+
		"Uninstall it first.")

// checkOrigin returns ErrElsewhere if a package must not take the place of what is installed in tx.
func (up *Upload) checkOrigin(ctx context.Context, tx extension.Tx, kind extension.Kind, slug string) error {
	if up.Origin.IsZero() {
		return nil
	}
	if is, err := originsOf(tx).Elsewhere(ctx, kind, slug, up.Origin); err != nil || !is {
		return err
	}
	return ErrElsewhere.With("packages", []string{string(kind) + "/" + slug})
}

// record records a package in tx, and where it came from.
func (up *Upload) record(
	ctx context.Context, tx extension.Tx, kind extension.Kind, slug string, p placed,
) (added extension.Added, err error) {
	if err := up.checkOrigin(ctx, tx, kind, slug); err != nil {
		return added, err
	}
	if added, err = p.Record(ctx, tx); err != nil {
		return added, err
	}
	if err := up.trace(ctx, tx, kind, slug); err != nil {
		return added, err
	}
	return added, up.checkOrigin(ctx, tx, kind, slug) // of a theme, another version may have come meanwhile
}

func originsOf(tx extension.Tx) extension.Origins {
	return tx.(interface{ Origins() extension.Origins }).Origins() //nolint:forcetypeassert // package store makes it, and tests it
}

// trace records in tx where the archive of a package came from.
func (up *Upload) trace(ctx context.Context, tx extension.Tx, kind extension.Kind, slug string) error {
	return originsOf(tx).SetOrigin(ctx, extension.Traced{Kind: kind, Slug: slug, ZipHash: up.Hash, Origin: up.Origin})
}

// keep moves the archive beside the files that were unpacked from it.
func (up *Upload) keep(place string) error {
	return up.moveTo(place + archiveSuffix)
}

// moveTo moves the archive to a path in the data folder, where it is on disk afterwards.
func (up *Upload) moveTo(name string) error {
	if err := errors.Join(up.file.Sync(), up.root.Rename(up.name, name)); err != nil {
		return fmt.Errorf("install: keep the archive: %w", err)
	}
	up.name = ""
	return syncDir(up.root, path.Dir(name))
}

// Receive reads an archive to its end into a temporary file. The errors are those
// of CheckKind, TooLarge for an archive over the limit of its kind, and a
// VALIDATION_ERROR if the client broke off.
func (in *Installer) Receive(kind extension.Kind, body io.Reader) (*Upload, error) {
	reg, err := in.Kinds.Get(kind)
	if err != nil {
		return nil, err
	}
	limit := reg.Profile().MaxSize
	up, err := in.newUpload()
	if err != nil {
		return nil, err
	}
	if err := up.fill(io.LimitReader(body, limit+1)); err != nil {
		_ = up.Close() // what stays is swept later
		return nil, err
	}
	if up.Size > limit {
		_ = up.Close()
		return nil, in.TooLarge(kind)
	}
	return up, nil
}

// newUpload returns an empty upload.
func (in *Installer) newUpload() (*Upload, error) {
	root, err := in.openData()
	if err != nil {
		return nil, err
	}
	up := &Upload{root: root, name: path.Join(uploadsDir, uploadPrefix+randomName()+".zip")}
	up.file, err = root.OpenFile(up.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("install: %w", err), root.Close())
	}
	return up, nil
}

// MaxSize returns the size of the largest archive of a kind that CheckKind accepts, in bytes.
func (in *Installer) MaxSize(kind extension.Kind) int64 { return in.Kinds[kind].Profile().MaxSize }

// TooLarge returns the error for an archive over the limit of its kind, which can
// be installed.
func (in *Installer) TooLarge(kind extension.Kind) *errs.Error {
	return errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "A %s archive may have at most %d MiB.", kind,
		in.MaxSize(kind)>>20)
}

func (up *Upload) fill(body io.Reader) error {
	sum := sha256.New()
	src := &source{r: body}
	n, err := io.Copy(io.MultiWriter(up.file, sum), src)
	switch {
	case src.err != nil:
		return errUnreadable.Because(src.err)
	case err != nil:
		return fmt.Errorf("install: receive: %w", err)
	}
	up.Size, up.Hash = n, hex.EncodeToString(sum.Sum(nil))
	return nil
}

// source remembers whether reading failed: a failure to write is another error.
type source struct {
	r   io.Reader
	err error
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"stoa/internal/extension"
	"stoa/internal/extension/manifest"
	"stoa/internal/extension/sign"
)

// MarketDir is the folder of the archives that products of the market carry.
const MarketDir = "market"

var errPublished = errors.New("install: the archive of a release is missing, or is not the one that was published")

// Package is what an archive says that it is.
type Package struct {
	Slug     string
	Version  string
	SignedBy string // the name of the trusted key that signed it; empty if it is not signed

	// SignerKey is that key, as sign.EncodePublic writes it; empty if it is not signed.
	SignerKey string

	// Needs is what it asks for, what it holds included.
	Needs extension.Needs
}

// Inspect returns what a received archive is, and installs nothing. The errors are those of
// an install, apart from conflicts with what is installed.
func (in *Installer) Inspect(ctx context.Context, kind extension.Kind, up *Upload) (Package, error) {
	reg, err := in.Kinds.Get(kind)
	if err != nil {
		return Package{}, err
	}
	r, err := in.read(ctx, kind, reg, up)
	if err != nil {
		return Package{}, err
	}
	pkg := Package{
		Slug: r.candidate.Slug(), Version: r.candidate.Version(), SignedBy: r.signedBy, Needs: r.candidate.Needs(),
	}
	if r.signerKey != nil {
		pkg.SignerKey = sign.EncodePublic(r.signerKey)
	}
	if all, ok := r.candidate.(Collection); ok {
		pkg.Needs, err = in.needsOfAll(ctx, up, r, all)
	}
	return pkg, err
}

// needsOfAll returns what a collection and all its items need. The error is INVALID_BUNDLE for an item that
// cannot be read.
func (in *Installer) needsOfAll(
	ctx context.Context, up *Upload, read contents, all Collection,
) (extension.Needs, error) {
	needs := all.Needs()
	items, faults := all.Items()
	if faults.Len() > 0 {
		return needs, InvalidBundle(faults)
	}
	for _, item := range items {
		p := &part{Item: item}
		err := in.openItem(ctx, p, up, read)
		if p.up != nil {
			err = errors.Join(err, p.up.Close())
		}
		if err != nil {
			if p.blame(err, &faults) {
				continue
			}
			return needs, err
		}
		own := p.candidate.Needs()
		for _, one := range own.Permissions {
			if !slices.Contains(needs.Permissions, one) {
				needs.Permissions = append(needs.Permissions, one)
			}
		}
		if needs.MinPlatform == "" ||
			own.MinPlatform != "" && manifest.CompareVersions(own.MinPlatform, needs.MinPlatform) > 0 {
			needs.MinPlatform = own.MinPlatform
		}
	}
	return needs, InvalidBundle(faults)
}

// Publish keeps a received archive for the market and returns its path in the data folder,
// where it is on disk, or in the storage. A path that is not recorded (Recorded) is swept later.
func (in *Installer) Publish(ctx context.Context, kind extension.Kind, up *Upload, pkg Package) (string, error) {
	name := fmt.Sprintf("%s-%s-%s-%s%s", kind, pkg.Slug, pkg.Version, randomName(), archiveSuffix)
	name = path.Join(MarketDir, name)
	if in.Storage != nil {
		return name, in.store(ctx, up, name)
	}
	return name, up.moveTo(name)
}

// Published returns a published archive as an upload from the market. The caller closes it.
// It fails unless the archive has that SHA-256.
func (in *Installer) Published(ctx context.Context, kind extension.Kind, name, hash string) (*Upload, error) {
	if in.Storage != nil {
		up, err := in.download(ctx, name, hash)
		if err == nil {
			up.FromMarket = true
		}
		return up, err
	}
	data, err := in.openData()
	if err != nil {
		return nil, err
	}
	defer data.Close()
	f, err := data.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errPublished
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	up, err := in.Receive(kind, f)
	if err != nil {
		return nil, err
	}
	if up.Hash != hash {
		return nil, errors.Join(errPublished, up.Close())
	}
	up.FromMarket = true
	return up, nil
}

// Installed returns every package that is installed, of every kind, and where it came from.
func (in *Installer) Installed(ctx context.Context) ([]extension.Present, error) {
	origins, err := in.Records.Origins(ctx)
	if err != nil {
		return nil, err
	}
	var all []extension.Present
	for _, reg := range in.Kinds {
		list, err := reg.Installed(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if len(origins) == 0 {
		return all, nil
	}
	from := make(map[extension.Traced]extension.Origin, len(origins))
	for _, t := range origins {
		from[extension.Traced{Kind: t.Kind, Slug: t.Slug, ZipHash: t.ZipHash}] = t.Origin
	}
	for i, p := range all {
		all[i].Origin = from[extension.Traced{Kind: p.Kind, Slug: p.Slug, ZipHash: p.ZipHash}]
	}
	return all, nil
}

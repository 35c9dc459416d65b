package release

import (
	"context"
	"errors"
	"fmt"

	"stoa/internal/shop/product"
)

// Market is what releases need of the metadata that other stoas read, if they may install from here. The zero
// value is for a stoa from which they may not.
type Market struct {
	// Fits returns an errs.Conflict error if the metadata would be too large with one more release of a product.
	// It is called in the transaction that adds it.
	Fits func(ctx context.Context, tx Store, productSlug string, r Release) error

	// Changed is called after something was published or withdrawn.
	Changed func(ctx context.Context)
}

func (m Market) fits(ctx context.Context, tx Store, p product.Product, r Release) error {
	if m.Fits == nil {
		return nil
	}
	return m.Fits(ctx, tx, p.Slug, r)
}

func (m Market) changed(ctx context.Context) {
	if m.Changed != nil {
		m.Changed(ctx)
	}
}

// Describe reads from their archives what other stoas are told of releases, where an older stoa published them.
// Those that it cannot read are named in the error, and stay as they are.
func (s *Service) Describe(ctx context.Context) error {
	list, err := s.Store.Undescribed(ctx)
	if err != nil {
		return err
	}
	var all []error
	for _, r := range list {
		if err := s.describe(ctx, r); err != nil {
			all = append(all, fmt.Errorf("%s %s %s: %w", r.Kind, r.Slug, r.Version, err))
		}
	}
	return errors.Join(all...)
}

func (s *Service) describe(ctx context.Context, r Release) error {
	up, err := s.Installer.Published(ctx, r.Kind, r.Path, r.ZipHash)
	if err != nil {
		return err
	}
	defer up.Close()
	pkg, err := s.Installer.Inspect(ctx, r.Kind, up)
	if err != nil {
		return err
	}
	r.SignerKey, r.Needs = pkg.SignerKey, pkg.Needs
	return s.Store.Describe(ctx, r)
}

// Find returns the release of a product's package with that version, for others to install. A product that is not
// free needs the key of a license for it; the license may be in use elsewhere. The errors are product.ErrNotFound,
// ErrNoVersion, also for a version that was withdrawn, and ErrLicense.
func (s *Service) Find(ctx context.Context, productSlug, version, key string) (Release, error) {
	p, err := s.Products.Public(ctx, productSlug)
	if err != nil {
		return Release{}, err
	}
	list, err := s.Store.OfProduct(ctx, p.ID)
	if err != nil {
		return Release{}, err
	}
	for _, r := range list {
		if r.Version != version || !r.WithdrawnAt.IsZero() {
			continue
		}
		if p.Pricing.Type == product.Free {
			return r, nil
		}
		if key == "" {
			return Release{}, ErrLicense.With("reason", "missing")
		}
		return r, s.checkLicense(ctx, p.Slug, key)
	}
	return Release{}, ErrNoVersion.With("version", version)
}

package release

import (
	"context"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/extension/manifest"
	"stoa/internal/shop/license"
	"stoa/internal/shop/product"
	"stoa/internal/trust/audit"
)

// Products is what releases need of the catalog. *catalog.Service implements it.
type Products interface {
	// Get returns the product with that slug, published or not, or product.ErrNotFound.
	Get(ctx context.Context, slug string) (product.Product, error)

	// Public is Get for products that are published or were ever sold.
	Public(ctx context.Context, slug string) (product.Product, error)
}

// Licenses is what releases need of the licenses. *license.Service implements it.
type Licenses interface {
	// Check returns why a license key does not allow to use a product now, or
	// license.Usable. No seat is taken.
	Check(ctx context.Context, productSlug, key string) (license.Refusal, error)
}

// Service publishes packages with products and fetches them for an install. All fields but Market
// are required. It is safe for concurrent use.
type Service struct {
	Store     Store
	Products  Products
	Licenses  Licenses
	Installer *install.Installer
	Now       func() time.Time
	Market    Market // the zero value, unless other stoas may install from here
}

// Publish makes a received archive a release of a product. The upload stays the caller's to
// close. The same archive again is the release there is, and created is false.
//
// The archive must be signed with a trusted key. The errors are product.ErrNotFound, those
// of Installer.Inspect, ErrVersion, ErrOtherPackage and ErrOtherProduct.
func (s *Service) Publish(
	ctx context.Context, productSlug string, kind extension.Kind, up *install.Upload,
) (r Release, created bool, err error) {
	p, err := s.Products.Get(ctx, productSlug)
	if err != nil {
		return Release{}, false, err
	}
	up.FromMarket = true
	pkg, err := s.Installer.Inspect(ctx, kind, up)
	if err != nil {
		return Release{}, false, err
	}
	r = Release{
		ProductID: p.ID, Kind: kind, Slug: pkg.Slug, Version: pkg.Version, ZipHash: up.Hash,
		SignedBy: pkg.SignedBy, Size: up.Size, PublishedAt: product.Millis(s.Now()),
		Described: true, SignerKey: pkg.SignerKey, Needs: pkg.Needs,
	}
	if old, ok, err := present(ctx, s.Store, r); ok || err != nil { // before a file is written
		return old, false, err
	}
	path, err := s.Installer.Publish(ctx, kind, up, pkg)
	if err != nil {
		return Release{}, false, err
	}
	r.Path = path
	out, created, err := s.create(ctx, p, r)
	if k := errs.KindOf(err); !created && (err == nil || k == errs.Conflict || k == errs.NotFound) {
		s.Installer.Discard(ctx, path) // nothing is recorded there
	}
	if created {
		s.Market.changed(ctx)
	}
	return out, created, err
}

// create records a release whose archive is in place, unless it is there already.
func (s *Service) create(ctx context.Context, p product.Product, r Release) (out Release, created bool, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		old, ok, err := present(ctx, tx, r)
		if ok || err != nil {
			out, created = old, false
			return err
		}
		if err := s.Market.fits(ctx, tx, p, r); err != nil {
			return err
		}
		if err := tx.Create(ctx, r); err != nil {
			return err
		}
		out, created = r, true
		return tx.Record(ctx, audit.New(ctx, r.PublishedAt, audit.ProductPublish, audit.Target{Type: "product", ID: p.ID},
			audit.Details{
				"slug": p.Slug, "kind": string(r.Kind), "package": r.Slug, "version": r.Version, "zipHash": r.ZipHash,
				"signedBy": r.SignedBy,
			}))
	})
	return out, created && err == nil, err
}

// present returns the release that r repeats; ok is false if r is new. The error is
// ErrVersion, ErrOtherPackage or ErrOtherProduct if r cannot be published.
func present(ctx context.Context, st Store, r Release) (old Release, ok bool, err error) {
	own, err := st.OfProduct(ctx, r.ProductID)
	if err != nil {
		return Release{}, false, err
	}
	for _, one := range own {
		if one.Kind != r.Kind || one.Slug != r.Slug {
			return Release{}, false, ErrOtherPackage.With("package", one.Slug)
		}
		if one.Version != r.Version {
			continue
		}
		if one.ZipHash != r.ZipHash {
			return Release{}, false, ErrVersion.With("version", r.Version)
		}
		return one, one.WithdrawnAt.IsZero(), nil
	}
	all, err := st.OfPackage(ctx, r.Kind, r.Slug)
	if err != nil {
		return Release{}, false, err
	}
	// Counting them would not do: outside a transaction there may be more by now.
	for _, one := range all {
		if one.ProductID != r.ProductID {
			return Release{}, false, ErrOtherProduct
		}
	}
	return Release{}, false, nil
}

// List returns the releases of a product, withdrawn ones too, the highest version first. The
// error is product.ErrNotFound for an unknown product.
func (s *Service) List(ctx context.Context, productSlug string) ([]Release, error) {
	p, err := s.Products.Get(ctx, productSlug)
	if err != nil {
		return nil, err
	}
	list, err := s.Store.OfProduct(ctx, p.ID)
	slices.SortFunc(list, func(a, b Release) int { return manifest.CompareVersions(b.Version, a.Version) })
	return list, err
}

// Withdraw takes a version of a product's package out of the market, and removes its archive.
// Where it is installed, it stays. The same archive can be published again. A version that was
// withdrawn before is returned as it is. The errors are product.ErrNotFound and ErrNoVersion.
func (s *Service) Withdraw(ctx context.Context, productSlug, version string) (Release, error) {
	p, err := s.Products.Get(ctx, productSlug)
	if err != nil {
		return Release{}, err
	}
	var r Release
	var path string // of the archive to remove
	err = s.Store.InTx(ctx, func(tx Store) error {
		list, err := tx.OfProduct(ctx, p.ID)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list, func(r Release) bool { return r.Version == version })
		if at < 0 {
			return ErrNoVersion.With("version", version)
		}
		r, path = list[at], ""
		if !r.WithdrawnAt.IsZero() {
			return nil
		}
		r.WithdrawnAt, path = product.Millis(s.Now()), r.Path
		if err := tx.Withdraw(ctx, p.ID, version, r.WithdrawnAt); err != nil {
			return err
		}
		return tx.Record(ctx, audit.New(ctx, r.WithdrawnAt, audit.ProductWithdraw, audit.Target{Type: "product", ID: p.ID},
			audit.Details{"slug": p.Slug, "kind": string(r.Kind), "package": r.Slug, "version": r.Version}))
	})
	if err != nil {
		return Release{}, err
	}
	if path != "" {
		s.Market.changed(ctx) // first: nobody should be told of an archive that is gone
		s.Installer.Discard(ctx, path)
	}
	return r, nil
}

// Of returns the release that a product offers, its highest version; ok is false if the
// product carries no package.
func (s *Service) Of(ctx context.Context, productID string) (r Release, ok bool, err error) {
	list, err := s.Offered(ctx, productID)
	if err != nil || len(list) == 0 {
		return Release{}, false, err
	}
	return list[0], true, nil
}

// Offered returns the releases of a product that were not withdrawn, the highest version first.
func (s *Service) Offered(ctx context.Context, productID string) ([]Release, error) {
	list, err := s.Store.OfProduct(ctx, productID)
	return offered(list), err
}

// Fetch returns the archive that a product offers, ready to be installed, which checks the
// signature again. The caller closes it. A product that is not free needs the key of a
// license for it. The license may be in use elsewhere: a package on its way takes no seat.
//
// The errors are product.ErrNotFound, ErrNoPackage, VALIDATION_ERROR if a key is needed
// and missing, and ErrLicense.
func (s *Service) Fetch(ctx context.Context, productSlug, key string) (extension.Kind, *install.Upload, error) {
	p, err := s.Products.Public(ctx, productSlug)
	if err != nil {
		return "", nil, err
	}
	r, ok, err := s.Of(ctx, p.ID)
	if err != nil {
		return "", nil, err
	} else if !ok {
		return "", nil, ErrNoPackage
	}
	if p.Pricing.Type != product.Free {
		if err := s.checkLicense(ctx, p.Slug, key); err != nil {
			return "", nil, err
		}
	}
	up, err := s.Installer.Published(ctx, r.Kind, r.Path, r.ZipHash)
	return r.Kind, up, err
}

func (s *Service) checkLicense(ctx context.Context, productSlug, key string) error {
	var faults errs.Issues
	if !faults.Require("licenseKey", key) {
		return faults.Err()
	}
	refusal, err := s.Licenses.Check(ctx, productSlug, key)
	if err != nil {
		return err
	}
	if refusal != license.Usable {
		return ErrLicense.With("reason", string(refusal))
	}
	return nil
}

// Updates returns the packages that were installed from the market and for which a
// published product offers a higher version, by kind and slug.
func (s *Service) Updates(ctx context.Context) ([]Update, error) {
	installed, err := s.Installer.Installed(ctx)
	if err != nil {
		return nil, err
	}
	offers, err := s.Store.Offers(ctx)
	if err != nil {
		return nil, err
	}
	return updates(installed, offers), nil
}

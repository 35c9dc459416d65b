package market

import (
	"context"
	"sync"
	"time"

	"stoa/internal/errs"
	"stoa/internal/keyring"
	"stoa/internal/market/payment"
	"stoa/internal/seal"
)

// Service applies the rules of the shop. All fields are required. It is safe
// for concurrent use.
type Service struct {
	Catalogue Catalogue
	Sales     Sales
	Licenses  Licenses
	Reviews   Reviews
	Media     Media
	Payments  payment.Provider
	Keys      *Keys
	Now       func() time.Time

	// Courier mails the receipts of orders that are settled. Nil: somebody else does.
	Courier *Courier

	// Orders, Buyers and Poster are for those who look at their orders and claim
	// some. PublicURL is where links in mails begin, and what
	// leases name as their issuer.
	Orders    Orders
	Buyers    Buyers
	Poster    Poster
	PublicURL string

	// LeaseKeys, of KeyPurpose, sign leases, which last as Leases says.
	LeaseKeys *keyring.Ring
	Leases    LeaseTerms

	// DevInstances are free, Churn limits how often others change. Both may be zero.
	DevInstances DevInstances
	Churn        ChurnLimit

	known slugs
	// reading is held by the import that is under way: a catalogue takes many times
	// its size while it is read.
	reading sync.Mutex
}

// Keys hides licence keys in the database.
type Keys struct {
	lookup *keyHasher
	box    *seal.Box
}

// NewKeys returns the Keys of a master key.
func NewKeys(master *seal.Key) *Keys {
	return &Keys{lookup: newKeyHasher(master.Derive("market.license.lookup")), box: master.Box("market.license.key")}
}

// Hash returns what a key is looked up by.
func (k *Keys) Hash(key LicenseKey) string { return k.lookup.hash(key) }

// Seal encrypts a key for the row of its licence.
func (k *Keys) Seal(key LicenseKey, licenseID string) string {
	return k.box.Seal([]byte(key.Reveal()), licenseID)
}

// Open reverses Seal. It returns seal.ErrOpen for what was sealed with another
// master key or for another licence.
func (k *Keys) Open(sealed, licenseID string) (LicenseKey, error) {
	text, err := k.box.Open(sealed, licenseID)
	if err != nil {
		return LicenseKey{}, err
	}
	return ParseLicenseKey(string(text))
}

// List returns a page of the published products. It returns VALIDATION_ERROR
// for a query that ListQuery.Issues finds fault with.
func (s *Service) List(ctx context.Context, q ListQuery) (Page, error) {
	if err := errs.Validation(q.Issues()...); err != nil {
		return Page{}, err
	}
	q.Shelf = OnSale
	products, total, err := s.Catalogue.ListProducts(ctx, q)
	if err != nil {
		return Page{}, err
	}
	categories, err := s.Catalogue.Categories(ctx)
	if err != nil {
		return Page{}, err
	}
	return Page{Products: products, Total: total, Categories: categories}, nil
}

// Get returns the published product with that slug, detail included, or
// ErrProductNotFound.
func (s *Service) Get(ctx context.Context, slug string) (Product, error) {
	p, err := s.product(ctx, slug)
	if err == nil && !p.Published {
		return Product{}, ErrProductNotFound
	}
	return p, err
}

// product returns the product with that slug, published or not.
func (s *Service) product(ctx context.Context, slug string) (Product, error) {
	if !validSlug(slug) {
		return Product{}, ErrProductNotFound
	}
	p, err := s.Catalogue.ProductBySlug(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Product{}, ErrProductNotFound
	}
	if err != nil {
		return Product{}, err
	}
	return p, nil
}

// public returns the product with that slug, or ErrProductNotFound unless it is
// published or a licence of it was sold: what is withdrawn from sale goes on
// working for those who bought it, and of a draft nobody learns that it is there.
func (s *Service) public(ctx context.Context, slug string) (Product, error) {
	p, err := s.product(ctx, slug)
	if err != nil {
		return Product{}, err
	}
	if !p.Published {
		if sold, err := s.Catalogue.Sold(ctx, p.ID); err != nil {
			return Product{}, err
		} else if !sold {
			return Product{}, ErrProductNotFound
		}
	}
	s.known.remember(slug, s.Now())
	return p, nil
}

// exists returns ErrProductNotFound for what is not public. Of what was public a
// moment ago the database is not asked.
func (s *Service) exists(ctx context.Context, slug string) error {
	if s.known.has(slug, s.Now()) {
		return nil
	}
	_, err := s.public(ctx, slug)
	return err
}

package operation

import (
	"context"

	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/market/remote"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
	"stoa/internal/shop/release"
)

// Catalog is the shop of this stoa. *catalog.Service implements it.
type Catalog interface {
	// List returns one page of the published products.
	List(ctx context.Context, q catalog.ListQuery) (catalog.Listing, error)
	// Public returns a product that is published or was ever sold, with its tiers.
	Public(ctx context.Context, slug string) (product.Product, error)
}

// Releases are the packages that products of this stoa carry. *release.Service implements it.
type Releases interface {
	// Of returns the release that a product offers; ok is false if it carries none.
	Of(ctx context.Context, productID string) (r release.Release, ok bool, err error)
	// Fetch returns the archive that a product offers, for whoever closes it. One that is not free needs the key of a
	// license.
	Fetch(ctx context.Context, productSlug, key string) (extension.Kind, *install.Upload, error)
}

// localOffers is Offers for the market of this stoa.
func (s *Service) localOffers(ctx context.Context, q Query, installed []extension.Present) ([]Offer, int, error) {
	found, err := s.Catalog.List(ctx, catalog.ListQuery{
		Page: q.Page, Limit: q.Limit, Search: q.Search, Sort: catalog.SortFeatured,
	})
	if err != nil {
		return nil, 0, err
	}
	offers := make([]Offer, 0, len(found.Products))
	for _, p := range found.Products {
		o, err := s.localOffer(ctx, p.Slug, installed)
		if err != nil {
			return nil, 0, err
		}
		offers = append(offers, o)
	}
	return offers, found.Total, nil
}

func (s *Service) localOffer(ctx context.Context, productSlug string, installed []extension.Present) (Offer, error) {
	p, err := s.Catalog.Public(ctx, productSlug)
	if err != nil {
		return Offer{}, err
	}
	at := seller{at: remote.Market{ID: remote.Self, URL: s.PublicURL}}
	o, _ := at.offer(listed{
		Slug: p.Slug, Name: p.Name, ShortDescription: p.ShortDescription, Description: p.Description, Icon: p.Icon,
		Screenshots: p.Screenshots,
	})
	for _, t := range p.Detail.Tiers {
		tier := Tier{ID: t.ID, Name: t.Name, Price: t.Price.Amount(), Currency: t.Price.Currency, TrialDays: t.TrialDays}
		if t.Period.Months() > 0 {
			tier.Period = t.Period
		}
		o.Tiers = append(o.Tiers, tier)
	}
	r, ok, err := s.Releases.Of(ctx, p.ID)
	if err != nil || !ok {
		return o, err
	}
	o.Package = &OfferedPackage{
		Package:     Package{Kind: r.Kind, Slug: r.Slug, Version: r.Version},
		PublishedAt: r.PublishedAt, Permissions: r.Needs.Permissions, SignerName: r.SignedBy, SignerKey: r.SignerKey,
		MinPlatform: r.Needs.MinPlatform, Compatible: s.Installer.Fits(r.Needs.MinPlatform) == nil,
		Licensed: p.Pricing.Type != product.Free,
	}
	o.complete(remote.Self, installed)
	return o, nil
}

package operation

import (
	"cmp"
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/market/remote"
	"stoa/internal/shop/product"
)

// Offer returns a product of a market as Offers does. One that the market signed and does not sell any more is there,
// too: who has it installed gets its updates. The errors are those of Offers, and ErrProduct.
func (s *Service) Offer(ctx context.Context, market, productSlug string) (Offer, error) {
	installed, err := s.Installer.Installed(ctx)
	if err != nil {
		return Offer{}, err
	}
	if market == remote.Self {
		o, err := s.localOffer(ctx, productSlug, installed)
		return o, errs.Missing(err, ErrProduct)
	}
	if !product.ValidSlug(productSlug) {
		_, err := s.Markets.Get(ctx, market)
		return Offer{}, cmp.Or(err, error(ErrProduct))
	}
	m, signed, err := s.Markets.Offered(ctx, market, []string{productSlug})
	if err != nil {
		return Offer{}, err
	}
	list, is := signed[productSlug]
	o, err := s.seller(m).product(ctx, productSlug)
	switch {
	case err == nil:
	case is:
		o = Offer{Slug: productSlug, Name: recordedName(installed, market, productSlug), URL: m.URL + "/p/" + productSlug}
	default:
		return Offer{}, errs.Missing(err, ErrProduct)
	}
	if len(list) > 0 {
		o.Package = s.offered(list[0])
	}
	o.complete(market, installed)
	return o, nil
}

// recordedName returns what a product was called when something of it was installed, or its slug.
func recordedName(installed []extension.Present, market, productSlug string) (name string) {
	for _, p := range installed {
		if cameFrom(p, market, productSlug) {
			name = cmp.Or(name, p.Origin.ProductName)
		}
	}
	return cmp.Or(name, productSlug)
}

// product returns what the catalog of a market says of a product, with its tiers. The error has the kind NotFound if it
// has none.
func (s seller) product(ctx context.Context, productSlug string) (Offer, error) {
	ctx, cancel := context.WithTimeout(ctx, catalogWithin)
	defer cancel()
	var detail listed
	if err := s.get(ctx, catalogPath+"/"+productSlug, maxDetail, &detail); err != nil {
		return Offer{}, err
	}
	o, ok := s.offer(detail)
	if !ok || o.Slug != productSlug {
		return Offer{}, ErrProduct
	}
	o.Tiers = tiers(detail)
	return o, nil
}

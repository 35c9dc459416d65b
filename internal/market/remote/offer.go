package remote

import (
	"context"

	"github.com/theupdateframework/go-tuf/v2/metadata"

	"stoa/internal/market/terms"
)

// Packages returns the versions that a product of a market offers, the highest first, as the market
// signed them, after a check. The errors are those of Offered, and ErrNoProduct.
func (s *Service) Packages(ctx context.Context, id, productSlug string) ([]Package, error) {
	_, offered, err := s.look(ctx, id, checkReason{products: []string{productSlug}, every: true})
	if err != nil {
		return nil, err
	}
	list, ok := offered[productSlug]
	if !ok {
		return nil, ErrNoProduct
	}
	return list, nil
}

// Offered returns the market, and of several products the highest version that each offers, after one check: a list of
// one package, or of none. Products that the market does not have are left out. The errors are ErrNotFound,
// ErrUnreachable, and ErrUntrusted for a market that is stale or untrusted: nothing of it may be installed.
func (s *Service) Offered(ctx context.Context, id string, productSlugs []string) (Market, map[string][]Package, error) {
	return s.look(ctx, id, checkReason{products: productSlugs})
}

func (s *Service) look(ctx context.Context, id string, why checkReason) (Market, map[string][]Package, error) {
	m, err := s.Get(ctx, id)
	if err != nil {
		return Market{}, nil, err
	}
	m, c, err := s.check(ctx, m, why)
	if err != nil {
		return Market{}, nil, err
	}
	if state, _ := m.At(s.now()); c == nil || state == Stale || state == Untrusted {
		return Market{}, nil, s.refusal(m)
	}
	return m, c.offered, nil
}

// Held returns what Packages would return for products that something is installed from, as they were at the last check
// that fitted, and asks nobody. Other products are left out.
func (s *Service) Held(ctx context.Context, id string, productSlugs []string) (map[string][]Package, error) {
	files, err := s.Store.Files(ctx, id)
	if err != nil {
		return nil, err
	}
	held := make(map[string][]Package, len(productSlugs))
	for _, slug := range productSlugs {
		content := files[terms.RoleOf(slug)]
		if content == nil {
			continue
		}
		role, err := metadata.Targets().FromBytes(content)
		if err != nil {
			continue // only what was verified is held
		}
		held[slug] = packagesOf(slug, role)
	}
	return held, nil
}

package origin

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"slices"
	"time"

	"stoa/internal/market/terms"
	"stoa/internal/shop/release"
)

// Largest values of what a file says in numbers, so that no later one is longer.
const (
	longestVersion = 9_999_999_999 // in the year 2286
	longestFile    = 999_999       // bytes of a target that is no package
)

// Fits returns ErrFull if the metadata would be larger than other stoas read with one more release of a product. It is
// for release.Market: tx is the transaction that adds the release, so that two at once cannot both take the last room.
func (s *Service) Fits(ctx context.Context, tx release.Store, productSlug string, r release.Release) error {
	own, err := tx.OfProduct(ctx, r.ProductID)
	if err != nil {
		return err
	}
	offers := []Offer{{Release: r, ProductSlug: productSlug}}
	for _, one := range own {
		if one.WithdrawnAt.IsZero() && one.Version != r.Version {
			offers = append(offers, Offer{Release: one, ProductSlug: productSlug})
		}
	}
	if err := roomForProduct(productSlug, offers); err != nil {
		return err
	}
	slugs, err := tx.Carriers(ctx)
	if err != nil {
		return err
	}
	at, there := slices.BinarySearch(slugs, productSlug)
	if there {
		return nil
	}
	return roomForProducts(slices.Insert(slugs, at, productSlug))
}

// measured is a key for files that are only measured.
var measured = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))

// roomForProduct returns ErrFull if the role of a product would be too large with these releases.
func roomForProduct(slug string, offers []Offer) error {
	ts, err := ofProduct(offers)
	if err != nil {
		return err
	}
	role := terms.RoleOf(slug)
	file, err := targetsFile(role, ts, nil, longestVersion, time.Time{}, measured)
	return room(role, file, err)
}

// roomForProducts returns ErrFull if there are too many products for one market.
func roomForProducts(slugs []string) error {
	ts := make(targets)
	for _, name := range []string{terms.MarketFile, terms.LicenseKeysFile, terms.RecallsFile} {
		if err := ts.add(name, longestFile, terms.Fingerprint(nil), nil); err != nil {
			return err
		}
	}
	public, _ := measured.Public().(ed25519.PublicKey)
	to, err := delegations(public, slugs)
	if err != nil {
		return err
	}
	file, err := targetsFile(terms.Targets, ts, to, longestVersion, time.Time{}, measured)
	if err := room(terms.Targets, file, err); err != nil {
		return err
	}
	versions := map[string]int64{terms.Targets: longestVersion}
	for _, slug := range slugs {
		versions[terms.RoleOf(slug)] = longestVersion
	}
	file, err = snapshotFile(versions, longestVersion, time.Time{}, measured)
	return room(terms.Snapshot, file, err)
}

func room(role string, file []byte, err error) error {
	if err == nil && int64(len(file)) > terms.MaxSize(role) {
		err = ErrFull.With("role", role)
	}
	return err
}

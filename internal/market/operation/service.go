package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/extension/manifest"
	"stoa/internal/extension/plugin"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/remote"
	"stoa/internal/message/mail"
	"stoa/internal/trust/seal"
)

// SealedFor is the purpose for which Secrets are sealed. They are bound to the id of their operation.
const SealedFor = "market.operation"

// Licenses keeps the licenses of packages that run here, and asks their markets about them. *entitlement.Service
// implements it.
type Licenses interface {
	// Activate takes a seat for this stoa and keeps the key, in place of the one before. It may be repeated. The errors
	// are LICENSE_REFUSED with details.reason, and MARKET_UNREACHABLE.
	Activate(ctx context.Context, of entitlement.Subject, key string) (entitlement.License, error)
	// Verify asks whether a key may be activated, and takes no seat. The errors are those of Activate.
	Verify(ctx context.Context, of entitlement.Subject, key string) error
	// Key returns the key that is kept for a package of that market and product; ok is false if there is none.
	Key(ctx context.Context, of entitlement.Subject) (key string, ok bool, err error)
	// Get returns the license of a package.
	Get(ctx context.Context, kind extension.Kind, slug string) (entitlement.License, error)
	// Release frees the seat of a package that is not installed or is free, and forgets its key.
	Release(ctx context.Context, kind extension.Kind, slug string) error
}

// Service begins operations and carries them on. All exported fields are required. Whoever calls Start must call Close.
// It is safe for concurrent use.
type Service struct {
	Store     Store
	Markets   *remote.Service
	Licenses  Licenses
	Installer *install.Installer
	Plugins   *plugin.Service
	Catalog   Catalog
	Releases  Releases
	Box       *seal.Box // of SealedFor
	// Rights returns an actor as a caller with the rights that it has now; a guest if there is none any more.
	Rights     func(ctx context.Context, a Actor) (reqctx.Caller, error)
	PublicURL  string // of this stoa
	PlatformID string
	Log        *slog.Logger
	Now        func() time.Time

	rounds mail.Rounds
	mu     sync.Mutex
	alarm  *time.Timer // wakes rounds when the next operation is due
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

func (s *Service) seller(m remote.Market) seller { return seller{s.Markets.Fetcher.Client(), m} }

// instance returns what this stoa is called where a license is activated.
func (s *Service) instance() string { return entitlement.InstanceOf(s.PublicURL) }

// Get returns an operation, without its Secrets. The error is ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (Operation, error) {
	if !ids.Plausible(id) {
		return Operation{}, ErrNotFound
	}
	o, err := s.Store.Get(ctx, id)
	return o.Operation, errs.Missing(err, ErrNotFound)
}

// List returns operations without their Secrets, the newest first, and how many there are.
func (s *Service) List(ctx context.Context, limit, offset int) ([]Operation, int, error) {
	stored, total, err := s.Store.List(ctx, limit, offset)
	list := make([]Operation, len(stored))
	for i, o := range stored {
		list[i] = o.Operation
	}
	return list, total, err
}

// seal returns an operation for the database.
func (s *Service) seal(o Operation) (Stored, error) {
	sealed := ""
	if o.Secrets != (Secrets{}) {
		text, err := json.Marshal(o.Secrets)
		if err != nil {
			return Stored{}, err
		}
		sealed = s.Box.Seal(text, o.ID)
	}
	o.Secrets = Secrets{}
	return Stored{o, sealed}, nil
}

// open reverses seal.
func (s *Service) open(o Stored) (Operation, error) {
	if o.Sealed == "" {
		return o.Operation, nil
	}
	text, err := s.Box.Open(o.Sealed, o.ID)
	if err == nil {
		err = json.Unmarshal(text, &o.Secrets)
	}
	if err != nil {
		return Operation{}, fmt.Errorf("operation: the secrets of %s cannot be opened: %w", o.ID, err)
	}
	return o.Operation, nil
}

// Update is a newer version of a package that came from the market of another stoa.
type Update struct {
	Kind             extension.Kind
	Slug             string
	InstalledVersion string
	Version          string
	Origin           extension.Origin
}

// Updates returns what markets signed that is newer than what came from them, in no order. It asks nobody: what is held
// of a market is as old as its last check.
func (s *Service) Updates(ctx context.Context) ([]Update, error) {
	installed, err := s.Installer.Installed(ctx)
	if err != nil {
		return nil, err
	}
	newest := make(map[entitlement.Subject]Update) // several versions may be installed side by side
	products := make(map[string][]string)
	for _, p := range installed {
		if p.Origin.IsZero() {
			continue
		}
		of := entitlement.Subject{Kind: p.Kind, Slug: p.Slug, Market: p.Origin.Market, Product: p.Origin.Product}
		if u, ok := newest[of]; !ok || manifest.CompareVersions(p.Version, u.InstalledVersion) > 0 {
			newest[of] = Update{Kind: p.Kind, Slug: p.Slug, InstalledVersion: p.Version, Origin: p.Origin}
		}
		products[p.Origin.Market] = append(products[p.Origin.Market], p.Origin.Product)
	}
	held := make(map[string]map[string][]remote.Package, len(products))
	for market, slugs := range products {
		if held[market], err = s.Markets.Held(ctx, market, slugs); err != nil {
			return nil, err
		}
	}
	var list []Update
	for of, u := range newest {
		offered := held[of.Market][of.Product]
		if len(offered) == 0 || offered[0].Kind != of.Kind || offered[0].Slug != of.Slug ||
			manifest.CompareVersions(offered[0].Version, u.InstalledVersion) <= 0 {
			continue
		}
		u.Version = offered[0].Version
		list = append(list, u)
	}
	return list, nil
}

// present returns the highest installed version of a package.
func present(installed []extension.Present, kind extension.Kind, slug string) (p extension.Present, ok bool) {
	for _, one := range installed {
		if one.Kind == kind && one.Slug == slug && (!ok || manifest.CompareVersions(one.Version, p.Version) > 0) {
			p, ok = one, true
		}
	}
	return p, ok
}

// missing returns those of some that are not in all.
func missing(all, some []string) (list []string) {
	for _, one := range some {
		if !slices.Contains(all, one) {
			list = append(list, one)
		}
	}
	return list
}

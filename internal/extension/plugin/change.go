package plugin

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
)

// change is a change of a package that is ready to be recorded. It implements
// extension.Prepared.
type change struct {
	s       *Service
	slug    string
	outcome extension.Outcome
	isNew   bool

	// record writes the change to st, in a transaction, which may run it again. It may set
	// running.
	record  func(ctx context.Context, st Store) error
	running []string // ids of instances to stop after the transaction
}

// storeOf returns the packages in a transaction of several kinds.
func storeOf(tx extension.Tx) Store {
	return tx.(interface{ Plugins() Store }).Plugins() //nolint:forcetypeassert // package store makes it, and tests it
}

// Record implements extension.Prepared.
func (c *change) Record(ctx context.Context, tx extension.Tx) (extension.Added, error) {
	st := storeOf(tx)
	if err := c.record(ctx, st); err != nil {
		return extension.Added{}, err
	}
	in, err := c.s.in(st).ByKey(ctx, c.slug, DefaultInstance)
	return extension.Added{ID: in.Package.ID, Outcome: c.outcome, New: c.isNew, Record: in}, err
}

// Committed implements extension.Prepared.
func (c *change) Committed() { c.s.stopAll(c.running) }

// commit records a change in a transaction of its own.
func (s *Service) commit(ctx context.Context, c *change) (Installed, error) {
	err := s.Store.InTx(ctx, func(st Store) error { return c.record(ctx, st) })
	if err != nil {
		return Installed{}, err
	}
	c.Committed()
	return s.ByKey(ctx, c.slug, DefaultInstance)
}

// adopt prepares that a setup is applied to the package that was installed from the archive
// with that hash. An uninstalled one is restored.
func (s *Service) adopt(ctx context.Context, zipHash string, setup extension.Setup) (*change, error) {
	p, err := s.Store.FindArchive(ctx, zipHash)
	if errs.KindOf(err) == errs.NotFound {
		return nil, errMeanwhile
	} else if err != nil {
		return nil, err
	}
	slug := p.Manifest.Slug
	if !p.DeletedAt.IsZero() {
		in, err := s.opened(s.Store.FindUninstalled(ctx, slug, DefaultInstance))
		if err != nil {
			return nil, err
		}
		return s.restore(ctx, in, setup)
	}
	c := &change{s: s, slug: slug, outcome: extension.WasDuplicate}
	c.record = func(ctx context.Context, st Store) error {
		now, err := live(ctx, st, slug)
		if errs.KindOf(err) == errs.NotFound || err == nil && now.ZipHash != zipHash {
			return errMeanwhile
		} else if err != nil {
			return err
		}
		c.running, err = s.in(st).apply(ctx, now, setup)
		return err
	}
	return c, nil
}

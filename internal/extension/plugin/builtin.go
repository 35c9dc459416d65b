package plugin

import (
	"context"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/manifest"
	"stoa/internal/trust/audit"
)

// builtin reports whether a package is built in: its present version, or the one that a
// rollback returns to, came with the platform. An upgrade by an upload keeps that version to
// return to.
func (s *Service) builtin(ctx context.Context, p Package) (bool, error) {
	if p.Source == SourceBuiltin {
		return true, nil
	}
	back, ok, err := s.Previous(ctx, p.Manifest.Slug)
	return ok && back.Source == SourceBuiltin, err
}

// HasBuiltin reports whether the archive with that hash is the built-in version of a package.
func (s *Service) HasBuiltin(ctx context.Context, slug, zipHash string) (bool, error) {
	p, err := live(ctx, s.Store, slug)
	if errs.KindOf(err) == errs.NotFound {
		return false, nil
	} else if err != nil {
		return false, err
	}
	if p.Source == SourceBuiltin && p.ZipHash == zipHash {
		return true, nil
	}
	back, ok, err := s.Previous(ctx, slug)
	return ok && back.Source == SourceBuiltin && back.ZipHash == zipHash, err
}

// prepareBuiltin prepares that p, whose files are in place and which came with the platform,
// is installed. A lower version is upgraded. Beside another version that an upload installed,
// p becomes the one that a rollback returns to.
//
// The error is ErrUninstalled for a package that was uninstalled before it was built in, and
// ErrVersionConflict if the same or a higher version is built in with different contents.
func (s *Service) prepareBuiltin(ctx context.Context, p Package) (*change, error) {
	was, err := s.Store.GetPackage(ctx, p.Manifest.Slug)
	if errs.KindOf(err) == errs.NotFound {
		return s.install(ctx, p, extension.Setup{})
	} else if err != nil {
		return nil, err
	}
	higher := manifest.CompareVersions(p.Manifest.Version, was.Manifest.Version)
	switch {
	case !was.DeletedAt.IsZero():
		return nil, ErrUninstalled.With("slug", p.Manifest.Slug)
	case was.ZipHash == p.ZipHash: // somebody had uploaded it
		return s.replaceVersions(was, was.as(p.version(), s.now()), nil, p), nil
	case higher > 0:
		return s.upgrade(ctx, was, p, extension.Setup{})
	case was.Source == SourceBuiltin:
		return nil, ErrVersionConflict.With("slug", p.Manifest.Slug).With("installedVersion", was.Manifest.Version)
	}
	floor := p.version()
	return s.replaceVersions(was, was, &floor, p), nil
}

// replaceVersions prepares that an installed package gets other records of its versions, while
// its instances go on. builtin is the version that came with the platform.
func (s *Service) replaceVersions(was, next Package, previous *Version, builtin Package) *change {
	slug := was.Manifest.Slug
	record := func(ctx context.Context, st Store) error {
		now, err := live(ctx, st, slug)
		if err != nil {
			return err
		}
		if now.ZipHash != was.ZipHash || !now.UpdatedAt.Equal(was.UpdatedAt) {
			return errMeanwhile
		}
		if err := st.ReplaceVersion(ctx, next, previous); err != nil {
			return err
		}
		return s.record(ctx, st, audit.PluginBuiltin, packageTarget(slug), audit.Details{
			"version": was.Manifest.Version, "builtinVersion": builtin.Manifest.Version, "zipHash": builtin.ZipHash,
		})
	}
	return &change{s: s, slug: slug, outcome: extension.WasDuplicate, record: record}
}

// ReleaseBuiltins makes ordinary packages of the built-in ones other than those with the
// slugs: they can be uninstalled from then on. It returns their slugs.
func (s *Service) ReleaseBuiltins(ctx context.Context, except []string) (released []string, err error) {
	const batch = 500
	for offset := 0; ; offset += batch {
		list, total, err := s.List(ctx, PackageQuery{Limit: batch, Offset: offset})
		if err != nil {
			return released, err
		}
		for _, p := range list {
			if slices.Contains(except, p.Manifest.Slug) {
				continue
			}
			done, err := s.release(ctx, p.Manifest.Slug)
			if err != nil {
				return released, err
			}
			if done {
				released = append(released, p.Manifest.Slug)
			}
		}
		if offset+batch >= total {
			return released, nil
		}
	}
}

// release makes a built-in package an ordinary one, and reports whether it was one.
func (s *Service) release(ctx context.Context, slug string) (done bool, err error) {
	err = s.Store.InTx(ctx, func(st Store) error {
		done = false
		p, err := live(ctx, st, slug)
		if errs.KindOf(err) == errs.NotFound {
			return nil
		} else if err != nil {
			return err
		}
		if done, err = s.in(st).builtin(ctx, p); err != nil || !done {
			return err
		}
		back, ok, err := s.in(st).Previous(ctx, slug)
		if err != nil {
			return err
		}
		var previous *Version
		if ok && back.Source == SourceBuiltin {
			back.Source = SourceLocalZip
			previous = &back
		}
		if p.Source == SourceBuiltin {
			p.Source = SourceLocalZip
		}
		if err := st.ReplaceVersion(ctx, p, previous); err != nil {
			return err
		}
		return s.record(ctx, st, audit.PluginBuiltin, packageTarget(slug), audit.Details{
			"version": p.Manifest.Version, "builtinVersion": "",
		})
	})
	return done && err == nil, err
}

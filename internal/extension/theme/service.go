package theme

import (
	"context"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/extension"
	"stoa/internal/extension/manifest"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/seal"
)

// Service manages themes. All fields are required. It is safe for concurrent use, also
// by several processes on one database.
type Service struct {
	Store Store
	Now   func() time.Time

	Configs *seal.Box // seals configs, bound to target and slug

	Apps Apps // runs theme apps
	// TokenKeys sign the tokens of theme apps. They are secret.
	TokenKeys *seal.Derived[[]byte]

	Visitors *seal.Box // seals the addresses of visitors
}

// now is the time at the precision the database keeps.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// in returns the service on st, inside a transaction.
func (s *Service) in(st Store) *Service {
	c := *s
	c.Store = st
	return &c
}

func (s *Service) record(
	ctx context.Context, st Store, action audit.Action, target audit.Target, details audit.Details,
) error {
	return st.Record(ctx, audit.New(ctx, s.Now(), action, target, details))
}

func themeTarget(kind extension.Kind, slug string) audit.Target {
	return audit.Target{Type: string(kind), ID: slug}
}

// Get returns an installed theme. The error is ErrNotFound for an unknown or
// uninstalled one.
func (s *Service) Get(ctx context.Context, kind extension.Kind, slug string) (Theme, error) {
	if !manifest.IsSlug(slug) {
		return Theme{}, ErrNotFound
	}
	versions, err := s.Store.Versions(ctx, targets[kind], slug)
	if err != nil {
		return Theme{}, err
	}
	live := slices.DeleteFunc(installed(versions), func(v Version) bool { return v.Kind != kind })
	if len(live) == 0 {
		return Theme{}, ErrNotFound
	}
	state, err := s.Store.State(ctx, targets[kind])
	return newTheme(live, state), err
}

// installed returns those of the versions that are not uninstalled.
func installed(versions []Version) (live []Version) {
	for _, v := range versions {
		if v.DeletedAt.IsZero() {
			live = append(live, v)
		}
	}
	return live
}

// Place returns where the files of an installed version are. The error is ErrNotFound
// if it is not installed.
func (s *Service) Place(ctx context.Context, target Target, slug, version string) (Place, error) {
	if !manifest.IsSlug(slug) || !manifest.IsVersion(version) {
		return Place{}, ErrNotFound
	}
	p, err := s.Store.FindPlace(ctx, target, slug, version)
	if errs.KindOf(err) == errs.NotFound {
		return Place{}, ErrNotFound
	}
	return p, err
}

// FindArchive returns what was installed from the archive with that SHA-256; ok is
// false if nothing was, or it was uninstalled since.
func (s *Service) FindArchive(
	ctx context.Context, kind extension.Kind, zipHash string,
) (found Installed, ok bool, err error) {
	v, err := s.Store.FindArchive(ctx, kind, zipHash)
	if errs.KindOf(err) == errs.NotFound {
		return Installed{}, false, nil
	} else if err != nil {
		return Installed{}, false, err
	}
	t, err := s.Get(ctx, kind, v.Manifest.Slug)
	if errs.KindOf(err) == errs.NotFound { // uninstalled at this moment
		return Installed{}, false, nil
	}
	return Installed{Theme: t, Version: v, First: len(t.Versions) == 1 && !v.Replaced}, err == nil, err
}

// present returns the version that next takes the place of in the database, which may
// be uninstalled; the zero Version if there is none. The error is ErrVersionConflict or
// ErrKindConflict if next cannot be installed, and extension.ErrTrust if the caller may install no app.
func (s *Service) present(ctx context.Context, next Version) (was Version, err error) {
	if IsApp(next.Kind) { // it runs script on the shop's own origin
		if err := extension.CheckTrust(ctx); err != nil {
			return Version{}, err
		}
	}
	versions, err := s.Store.Versions(ctx, next.Target(), next.Manifest.Slug)
	if err != nil {
		return Version{}, err
	}
	if slices.ContainsFunc(versions, func(v Version) bool { return v.DeletedAt.IsZero() }) {
		if err := s.checkLicense(ctx, next.Kind, next.Manifest.Slug); err != nil {
			return Version{}, err
		}
	}
	number := next.Manifest.Version
	for _, v := range versions {
		live := v.DeletedAt.IsZero()
		same := v.Manifest.Version == number
		switch {
		case live && v.Kind != next.Kind:
			return Version{}, ErrKindConflict.With("slug", next.Manifest.Slug).With("kind", string(v.Kind))
		case live && manifest.CompareVersions(v.Manifest.Version, number) == 0 && (!same || !next.Replace || v.FromMarket):
			return Version{}, ErrVersionConflict.With("slug", next.Manifest.Slug).
				With("installedVersion", v.Manifest.Version)
		case same:
			was = v
		}
	}
	return was, nil
}

// checkLicense returns extension.ErrLicenseLapsed if the license of a theme has lapsed.
func (s *Service) checkLicense(ctx context.Context, kind extension.Kind, slug string) error {
	lapsed, err := s.Store.Lapsed(ctx, kind, slug, s.now())
	if err == nil && lapsed {
		return extension.ErrLicenseLapsed
	}
	return err
}

// Add records a version whose files are in place, beside the other versions of its
// theme. The errors are those of present.
func (s *Service) Add(ctx context.Context, v Version) (Installed, error) {
	var in Installed
	err := s.Store.InTx(ctx, func(st Store) error {
		state, err := st.State(ctx, v.Target()) // one at a time
		if err != nil {
			return err
		}
		was, err := s.in(st).present(ctx, v)
		if err != nil {
			return err
		}
		v.UpdatedAt = s.now()
		replaces := was.ID != "" && was.DeletedAt.IsZero()
		v.Replaced = was.Replaced || was.ID != "" && was.ZipHash != v.ZipHash
		action := audit.ThemeInstall
		if replaces {
			v.ID, v.InstalledAt, action = was.ID, was.InstalledAt, audit.ThemeReplace
		} else {
			v.ID, v.InstalledAt = v.PackageID, v.UpdatedAt
		}
		if err := st.PutVersion(ctx, v); err != nil {
			return err
		}
		details := audit.Details{"version": v.Manifest.Version, "zipHash": v.ZipHash}
		if taken, err := s.in(st).takeSecrets(ctx, state, was, v); err != nil {
			return err
		} else if taken {
			details["config"] = "changed"
		}
		t, err := s.in(st).Get(ctx, v.Kind, v.Manifest.Slug)
		if err != nil {
			return err
		}
		in = Installed{Theme: t, Version: v, First: len(t.Versions) == 1 && !replaces}
		typ := event.ExtensionInstalled
		if replaces {
			typ = event.ExtensionUpgraded
		}
		if err := s.publish(ctx, st, typ, v.Kind, v.Manifest.Slug); err != nil {
			return err
		}
		return s.record(ctx, st, action, themeTarget(v.Kind, v.Manifest.Slug), details)
	})
	return in, err
}

// Uninstall marks all versions of a theme as uninstalled. Their files stay on disk. The
// error is ErrActive for a theme that its target shows, and ErrNotFound for one that
// is unknown or uninstalled.
func (s *Service) Uninstall(ctx context.Context, kind extension.Kind, slug string) error {
	return s.Store.InTx(ctx, func(st Store) error {
		t, err := s.in(st).forget(ctx, kind, slug)
		if err != nil {
			return err
		}
		if len(t.Versions) == 0 {
			return ErrNotFound
		}
		if err := st.DeleteVersions(ctx, targets[kind], slug, s.now()); err != nil {
			return err
		}
		if err := s.publish(ctx, st, event.ExtensionUninstalled, kind, slug); err != nil {
			return err
		}
		return s.record(ctx, st, audit.ThemeUninstall, themeTarget(kind, slug), versionsOf(t))
	})
}

// Purge removes a theme for good, uninstalled or not. It returns the paths of the files
// to remove, relative to the data folder. The errors are those of Uninstall.
func (s *Service) Purge(ctx context.Context, kind extension.Kind, slug string) (paths []string, err error) {
	err = s.Store.InTx(ctx, func(st Store) error {
		t, err := s.in(st).forget(ctx, kind, slug)
		if err != nil {
			return err
		}
		all, err := st.Versions(ctx, targets[kind], slug)
		if err != nil {
			return err
		}
		paths = nil
		for _, v := range all {
			if v.Kind != kind {
				return ErrNotFound
			}
			paths = append(paths, v.InstallPath)
		}
		if len(all) == 0 {
			return ErrNotFound
		}
		if err := st.PurgeVersions(ctx, targets[kind], slug); err != nil {
			return err
		}
		if len(t.Versions) > 0 {
			if err := s.publish(ctx, st, event.ExtensionUninstalled, kind, slug); err != nil {
				return err
			}
		}
		return s.record(ctx, st, audit.ThemePurge, themeTarget(kind, slug), versionsOf(t))
	})
	return paths, err
}

// publish publishes an event about a theme.
func (s *Service) publish(ctx context.Context, st Store, t event.Type, kind extension.Kind, slug string) error {
	return st.Publish(ctx, event.New(s.now(), t, event.Names{Kind: string(kind), Slug: slug}))
}

// forget prepares the removal of a theme: no rollback returns to it any more. It
// returns the theme, which has no versions if it is uninstalled, or ErrActive.
func (s *Service) forget(ctx context.Context, kind extension.Kind, slug string) (Theme, error) {
	state, err := s.Store.State(ctx, targets[kind])
	if err != nil {
		return Theme{}, err
	}
	t, err := s.Get(ctx, kind, slug)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return Theme{}, nil
	case err != nil:
		return Theme{}, err
	case state.Active.Slug == slug:
		return Theme{}, ErrActive.With("slug", slug).With("activeVersion", state.Active.Version)
	case state.Previous.Slug != slug:
		return t, nil
	}
	state.Previous = Choice{}
	return t, s.Store.PutState(ctx, targets[kind], state)
}

func versionsOf(t Theme) audit.Details {
	numbers := []string{}
	for _, v := range t.Versions {
		numbers = append(numbers, v.Manifest.Version)
	}
	return audit.Details{"versions": numbers}
}

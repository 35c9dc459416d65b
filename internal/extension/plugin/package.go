package plugin

import (
	"cmp"
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/base/text"
	"stoa/internal/extension"
	"stoa/internal/extension/manifest"
	"stoa/internal/trust/audit"
)

// Get returns an installed package. An uninstalled one does not exist
// (contract 4.7).
func (s *Service) Get(ctx context.Context, slug string) (Package, error) {
	return live(ctx, s.Store, slug)
}

func live(ctx context.Context, st Store, slug string) (Package, error) {
	if !manifest.IsSlug(slug) {
		return Package{}, ErrNotFound
	}
	p, err := st.GetPackage(ctx, slug)
	if errs.KindOf(err) == errs.NotFound || err == nil && !p.DeletedAt.IsZero() {
		return Package{}, ErrNotFound
	}
	return p, err
}

// PackageQuery selects installed packages. Empty fields match every package.
type PackageQuery struct {
	Search  string // part of a slug or of a name, without regard to case and to how accents are encoded
	Runtime RuntimeType
	Sort    string // one of PackageSorts; empty means by slug

	Limit, Offset int
}

// PackageSorts are the orders of lists of packages; "-" stands for descending.
var PackageSorts = []string{"slug", "-slug", "name", "-name", "updated", "-updated"}

// Issues returns what is wrong with q.
func (q PackageQuery) Issues() (is errs.Issues) {
	if !text.Printable(q.Search, text.Short) {
		is.Add("q", errs.CodeOutOfRange, "q must be at most %d printable characters.", text.Short)
	}
	is.OneOf("runtimeType", string(q.Runtime), string(Internal), string(External))
	is.OneOf("sort", q.Sort, PackageSorts...)
	return is
}

// List returns one page of the installed packages that match q, in its order, and how many
// there are on all pages. It returns VALIDATION_ERROR for a query with Issues.
func (s *Service) List(ctx context.Context, q PackageQuery) ([]Package, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	return s.Store.ListPackages(ctx, q)
}

// FindArchive returns the package that was installed from the archive with that
// SHA-256, with its default instance; ok is false if there is none. For one that
// was uninstalled since, the error is ErrUninstalled.
func (s *Service) FindArchive(ctx context.Context, zipHash string) (found Installed, ok bool, err error) {
	p, err := s.Store.FindArchive(ctx, zipHash)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return Installed{}, false, nil
	case err != nil:
		return Installed{}, false, err
	case !p.DeletedAt.IsZero():
		return Installed{}, false, ErrUninstalled.With("slug", p.Manifest.Slug)
	}
	found, err = s.ByKey(ctx, p.Manifest.Slug, DefaultInstance)
	return found, err == nil, err
}

// CheckFree returns nil if a package with that manifest can be installed: nothing has
// its slug, or a lower version does, or the same version and replace allows to replace
// it. The error is ErrVersionConflict or ErrUninstalled otherwise.
func (s *Service) CheckFree(ctx context.Context, m Manifest, replace bool) error {
	_, _, err := s.present(ctx, m, replace)
	return err
}

// present returns the package that one with the manifest m would replace; ok is false
// if there is none. The errors are those of CheckFree.
func (s *Service) present(ctx context.Context, m Manifest, replace bool) (p Package, ok bool, err error) {
	p, err = s.Store.GetPackage(ctx, m.Slug)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return Package{}, false, nil
	case err != nil:
		return Package{}, false, err
	}
	higher := manifest.CompareVersions(m.Version, p.Manifest.Version)
	clash := ErrVersionConflict
	switch {
	case !p.DeletedAt.IsZero():
		clash = ErrUninstalled
	case higher > 0, higher == 0 && replace && p.Source == SourceLocalZip:
		return p, true, nil
	}
	return Package{}, false, clash.With("slug", m.Slug).With("installedVersion", p.Manifest.Version)
}

// Add records a new package whose files are in place: the package itself, its
// default instance and its signing secret, all or nothing. All declared
// permissions are granted. The instance is disabled if required config is
// missing, and if an internal plugin fails its trial load; then Statuses says why
// (contract 4.5). A package without an id gets one.
//
// A lower version of the package is upgraded, and the same version is replaced if
// replace allows it; see upgrade. The error is an errs.Conflict if the slug is taken.
func (s *Service) Add(ctx context.Context, p Package, replace bool) (Installed, error) {
	c, err := s.prepare(ctx, p, replace, extension.Setup{})
	if err != nil {
		return Installed{}, err
	}
	return s.commit(ctx, c)
}

// prepare prepares what Add records, with a setup.
func (s *Service) prepare(ctx context.Context, p Package, replace bool, setup extension.Setup) (*change, error) {
	if p.Source == SourceBuiltin {
		return s.prepareBuiltin(ctx, p)
	}
	switch was, ok, err := s.present(ctx, p.Manifest, replace); {
	case err != nil:
		return nil, err
	case ok:
		return s.upgrade(ctx, was, p, setup)
	}
	return s.install(ctx, p, setup)
}

// install prepares that a new package is recorded.
func (s *Service) install(ctx context.Context, p Package, setup extension.Setup) (*change, error) {
	p.ID, p.InstalledAt = cmp.Or(p.ID, ids.New()), s.now()
	p.UpdatedAt = p.InstalledAt
	list, err := s.firstInstances(ctx, p, setup)
	if err != nil {
		return nil, err
	}
	in := &list[0]
	failed := s.try(ctx, Installed{Package: p, Instance: *in})
	if err := disableFailed(list, setup, failed); err != nil {
		return nil, err
	}
	secret := Secret{Current: s.Secrets.Seal([]byte(newSecret()), p.Manifest.Slug)}
	then := s.newEffects()
	then.extension(event.ExtensionInstalled, p)
	then.begins(p, s.seal(*in))
	record := func(ctx context.Context, st Store) error {
		if err := st.CreatePackage(ctx, p); err != nil {
			return err
		}
		if err := st.CreateInstance(ctx, s.seal(*in)); err != nil {
			return err
		}
		if err := then.record(ctx, st); err != nil {
			return err
		}
		if err := st.PutSecret(ctx, p.Manifest.Slug, secret); err != nil {
			return err
		}
		if !failed.IsZero() {
			if err := s.in(st).RecordFailure(ctx, Installed{Package: p, Instance: *in}, failed); err != nil {
				return err
			}
		}
		err := s.record(ctx, st, audit.PluginInstall, packageTarget(p.Manifest.Slug), audit.Details{
			"version": p.Manifest.Version, "runtimeType": string(p.Manifest.RuntimeType), "zipHash": p.ZipHash,
			"installationId": in.ID, "permissions": in.Granted, "source": string(p.Source), "signedBy": p.SignedBy,
		})
		if err != nil {
			return err
		}
		return s.createInstances(ctx, st, p, list[1:])
	}
	return &change{s: s, slug: p.Manifest.Slug, outcome: extension.WasInstalled, isNew: true, record: record}, nil
}

// Uninstall marks a package as uninstalled and disables its instances. Its files
// stay on disk (contract 4.7). It returns the package as it is then.
//
// The error is ErrBuiltin for a built-in package and ErrNotFound for one that is
// unknown or uninstalled already.
func (s *Service) Uninstall(ctx context.Context, slug string) (Package, error) {
	var p Package
	var running []string
	err := s.Store.InTx(ctx, func(st Store) (err error) {
		p, running, err = s.uninstall(ctx, st, slug)
		return err
	})
	if err != nil {
		return Package{}, err
	}
	s.stopAll(running)
	return p, nil
}

// queueEnd records the hooks and events of the end of a package. It returns the ids of the
// instances that were enabled.
func (s *Service) queueEnd(ctx context.Context, st Store, p Package) (running []string, err error) {
	then := s.newEffects()
	err = eachInstance(ctx, st, p.Manifest.Slug, func(in StoredInstance) error {
		if in.Enabled {
			running = append(running, in.ID)
		}
		then.ends(p, in)
		return nil
	})
	if err != nil {
		return nil, err
	}
	then.extension(event.ExtensionUninstalled, p)
	return running, then.record(ctx, st)
}

// uninstall is Uninstall in st's transaction. running are the instances to stop after it.
func (s *Service) uninstall(ctx context.Context, st Store, slug string) (p Package, running []string, err error) {
	if p, err = live(ctx, st, slug); err != nil {
		return p, nil, err
	}
	if is, err := s.in(st).builtin(ctx, p); err != nil || is {
		return p, nil, cmp.Or(err, error(ErrBuiltin))
	}
	if running, err = s.queueEnd(ctx, st, p); err != nil {
		return p, nil, err
	}
	p.DeletedAt = s.now()
	p.UpdatedAt = p.DeletedAt
	if err := st.DeletePackage(ctx, slug, p.DeletedAt); err != nil {
		return p, nil, err
	}
	err = s.record(ctx, st, audit.PluginUninstall, packageTarget(slug), audit.Details{"version": p.Manifest.Version})
	return p, running, err
}

// enabled returns the ids of a package's enabled instances.
func enabled(ctx context.Context, st Store, slug string) (ids []string, err error) {
	err = eachInstance(ctx, st, slug, func(in StoredInstance) error {
		if in.Enabled {
			ids = append(ids, in.ID)
		}
		return nil
	})
	return ids, err
}

// eachInstance calls fn with each of a package's instances, oldest first, until fn
// returns an error.
func eachInstance(ctx context.Context, st Store, slug string, fn func(StoredInstance) error) error {
	const batch = 500
	for offset := 0; ; offset += batch {
		list, total, err := st.ListInstances(ctx, slug, InstanceQuery{Limit: batch, Offset: offset})
		if err != nil {
			return err
		}
		for _, in := range list {
			if err := fn(in); err != nil {
				return err
			}
		}
		if offset+batch >= total {
			return nil
		}
	}
}

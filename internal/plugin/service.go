package plugin

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"stoa/internal/audit"
	"stoa/internal/cuid2"
	"stoa/internal/errs"
	"stoa/internal/seal"
)

// Stopper is told when an instance must not go on as it was started.
type Stopper interface {
	// Stop ends whatever runs for an installation, if anything does. Requests
	// that come later may start it anew.
	Stop(installationID string)
}

// Service is what the platform does with packages and instances. All fields but
// Stopper are required. It implements Finder and is safe for concurrent use.
type Service struct {
	Store Store
	Now   func() time.Time

	Configs *seal.Box // seals configs, for the instance's id
	Secrets *seal.Box // seals signing secrets, for the package's slug

	// Stopper is called after an instance was disabled, changed or deleted. nil
	// if nothing runs in this process.
	Stopper Stopper
}

var _ Finder = (*Service)(nil)

// ByID implements Finder.
func (s *Service) ByID(ctx context.Context, slug, installationID string) (Installed, error) {
	if !slugRE.MatchString(slug) || uuid.Validate(installationID) != nil {
		return Installed{}, ErrInstanceNotFound // not even a text every database can compare
	}
	return s.opened(s.Store.FindByID(ctx, slug, installationID))
}

// ByKey implements Finder.
func (s *Service) ByKey(ctx context.Context, slug, key string) (Installed, error) {
	if !slugRE.MatchString(slug) || !keyRE.MatchString(key) {
		return Installed{}, ErrInstanceNotFound
	}
	return s.opened(s.Store.FindByKey(ctx, slug, key))
}

// ByInstallation returns the enabled instance with that installation id, of
// whichever package: what a plugin's own token stands for. For a disabled one,
// too, the error is ErrInstanceNotFound.
func (s *Service) ByInstallation(ctx context.Context, installationID string) (Installed, error) {
	if uuid.Validate(installationID) != nil {
		return Installed{}, ErrInstanceNotFound
	}
	in, err := s.opened(s.Store.FindInstallation(ctx, installationID))
	if err == nil && !in.Instance.Enabled {
		return Installed{}, ErrInstanceNotFound
	}
	return in, err
}

// opened turns what the store found into what the program works with.
func (s *Service) opened(p Package, stored StoredInstance, err error) (Installed, error) {
	if err != nil {
		return Installed{}, err
	}
	in, err := s.open(stored)
	return Installed{Package: p, Instance: in}, err
}

func (s *Service) open(stored StoredInstance) (Instance, error) {
	in := stored.Instance
	if stored.Sealed == "" {
		return in, nil
	}
	config, err := s.Configs.Open(stored.Sealed, in.ID)
	if err != nil {
		return Instance{}, fmt.Errorf("plugin: config of instance %s: %w", in.ID, err)
	}
	in.Config = config
	return in, nil
}

func (s *Service) seal(in Instance) StoredInstance {
	stored := StoredInstance{Instance: in}
	stored.Config = nil
	if in.Config != nil {
		stored.Sealed = s.Configs.Seal(in.Config, in.ID)
	}
	return stored
}

// now is the time at the precision the database keeps.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Get returns an installed package. An uninstalled one does not exist
// (CONTRACT 4).
func (s *Service) Get(ctx context.Context, slug string) (Package, error) {
	return live(ctx, s.Store, slug)
}

func live(ctx context.Context, st Store, slug string) (Package, error) {
	if !slugRE.MatchString(slug) {
		return Package{}, ErrNotFound
	}
	p, err := st.GetPackage(ctx, slug)
	if errs.KindOf(err) == errs.NotFound || err == nil && !p.DeletedAt.IsZero() {
		return Package{}, ErrNotFound
	}
	return p, err
}

// List returns at most limit installed packages by slug, after the first offset,
// and how many there are in all.
func (s *Service) List(ctx context.Context, limit, offset int) ([]Package, int, error) {
	return s.Store.ListPackages(ctx, limit, offset)
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

// CheckFree returns nil if a package with that manifest can be installed. The
// error is ErrVersionConflict, ErrUpgrade or ErrUninstalled if its slug is
// taken.
func (s *Service) CheckFree(ctx context.Context, m Manifest) error {
	p, err := s.Store.GetPackage(ctx, m.Slug)
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return nil
	case err != nil:
		return err
	}
	clash := ErrVersionConflict
	switch {
	case !p.DeletedAt.IsZero():
		clash = ErrUninstalled
	case CompareVersions(m.Version, p.Manifest.Version) > 0:
		clash = ErrUpgrade
	}
	return clash.With("slug", m.Slug).With("installedVersion", p.Manifest.Version)
}

// Add records a new package whose files are in place: the package itself, its
// default instance and its signing secret, all or nothing. All declared
// permissions are granted. The instance is disabled if required config is
// missing (CONTRACT 4). A package without an id gets one.
//
// The error is an errs.Conflict if the slug is taken.
func (s *Service) Add(ctx context.Context, p Package) (Installed, error) {
	p.ID, p.InstalledAt = cmp.Or(p.ID, cuid2.New()), s.now()
	p.UpdatedAt = p.InstalledAt
	in := s.newInstance(p, DefaultInstance)
	in.Enabled = len(values(nil).missing(p.Manifest.ConfigSchema)) == 0
	secret := Secret{Current: s.Secrets.Seal([]byte(newSecret()), p.Manifest.Slug)}
	err := s.Store.InTx(ctx, func(st Store) error {
		if err := st.CreatePackage(ctx, p); err != nil {
			return err
		}
		if err := st.CreateInstance(ctx, s.seal(in)); err != nil {
			return err
		}
		if err := st.PutSecret(ctx, p.Manifest.Slug, secret); err != nil {
			return err
		}
		return s.record(ctx, st, audit.PluginInstall, packageTarget(p.Manifest.Slug), audit.Details{
			"version": p.Manifest.Version, "runtimeType": string(p.Manifest.RuntimeType), "zipHash": p.ZipHash,
			"installationId": in.ID, "permissions": in.Granted,
		})
	})
	return Installed{Package: p, Instance: in}, err
}

func (s *Service) newInstance(p Package, key string) Instance {
	now := s.now()
	return Instance{
		ID: uuid.NewString(), Slug: p.Manifest.Slug, Key: key, Enabled: true,
		Granted: append([]string{}, p.Manifest.Permissions...), Version: 1, CreatedAt: now, UpdatedAt: now,
	}
}

// Uninstall marks a package as uninstalled and disables its instances. Its files
// stay on disk (spec B, States). It returns the package as it is then.
//
// The error is ErrBuiltin for a built-in package and ErrNotFound for one that is
// unknown or uninstalled already.
func (s *Service) Uninstall(ctx context.Context, slug string) (Package, error) {
	var p Package
	var running []string
	err := s.Store.InTx(ctx, func(st Store) (err error) {
		if p, err = live(ctx, st, slug); err != nil {
			return err
		}
		if p.Source == SourceBuiltin {
			return ErrBuiltin
		}
		if running, err = enabled(ctx, st, slug); err != nil {
			return err
		}
		p.DeletedAt = s.now()
		p.UpdatedAt = p.DeletedAt
		if err := st.DeletePackage(ctx, slug, p.DeletedAt); err != nil {
			return err
		}
		return s.record(ctx, st, audit.PluginUninstall, packageTarget(slug), audit.Details{"version": p.Manifest.Version})
	})
	if err != nil {
		return Package{}, err
	}
	for _, id := range running {
		s.stop(id)
	}
	return p, nil
}

// enabled returns the ids of a package's enabled instances.
func enabled(ctx context.Context, st Store, slug string) ([]string, error) {
	const batch = 500
	var ids []string
	for offset := 0; ; offset += batch {
		list, total, err := st.ListInstances(ctx, slug, batch, offset)
		if err != nil {
			return nil, err
		}
		for _, in := range list {
			if in.Enabled {
				ids = append(ids, in.ID)
			}
		}
		if offset+batch >= total {
			return ids, nil
		}
	}
}

func (s *Service) stop(installationID string) {
	if s.Stopper != nil {
		s.Stopper.Stop(installationID)
	}
}

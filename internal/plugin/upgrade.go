package plugin

import (
	"context"
	"errors"
	"slices"
	"time"

	"stoa/internal/audit"
	"stoa/internal/errs"
	"stoa/internal/event"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
)

// Prober finds out whether a version of a plugin works before it is switched to.
type Prober interface {
	// Probe starts the plugin of in beside whatever runs for its instance, waits until
	// it is healthy, and ends it again. It returns why the plugin is not healthy, or an
	// error if that could not be found out.
	Probe(ctx context.Context, in Installed) (Failure, error)
}

// upgrade replaces the version of an installed package by that of next, whose files are
// in place, once the new one has proved to be healthy. Enabled instances go on with
// their config; permissions that only the new version declares are not granted
// (CONTRACT 4).
//
// The error is ErrUpgradeFailed if an instance could not go on; then nothing changed.
// It is an errs.Conflict if the package was changed meanwhile.
func (s *Service) upgrade(ctx context.Context, was, next Package) (Installed, error) {
	action := audit.PluginUpgrade
	var previous *Version
	if manifest.CompareVersions(next.Manifest.Version, was.Manifest.Version) == 0 {
		action = audit.PluginReplace
	} else {
		v := was.version()
		previous = &v
	}
	return s.switchVersion(ctx, was, was.as(next.version(), s.now()).by(next.ID), previous, action)
}

// by returns p as installed by the request with that id.
func (p Package) by(id string) Package {
	p.UpgradeID = id
	return p
}

// Rollback returns to the version of a package before the present one, which becomes
// the version to return to. The errors are those of an upgrade, ErrNotFound, and
// ErrNoPrevious if the package never had another version.
func (s *Service) Rollback(ctx context.Context, slug string) (Installed, error) {
	was, err := live(ctx, s.Store, slug)
	if err != nil {
		return Installed{}, err
	}
	back, ok, err := s.Previous(ctx, slug)
	if err != nil {
		return Installed{}, err
	} else if !ok {
		return Installed{}, ErrNoPrevious.With("slug", slug)
	}
	previous := was.version()
	return s.switchVersion(ctx, was, was.as(back, s.now()).by(""), &previous, audit.PluginRollback)
}

// Previous returns the version that a rollback returns to; ok is false if there is none.
func (s *Service) Previous(ctx context.Context, slug string) (v Version, ok bool, err error) {
	v, err = s.Store.PreviousVersion(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Version{}, false, nil
	}
	return v, err == nil, err
}

// switchVersion proves that the enabled instances of was can go on as next, and then
// switches all of them in one transaction.
func (s *Service) switchVersion(
	ctx context.Context, was, next Package, previous *Version, action audit.Action,
) (Installed, error) {
	slug := was.Manifest.Slug
	if err := s.rehearse(ctx, was, next); err != nil {
		return Installed{}, err
	}
	var running []string
	err := s.Store.InTx(ctx, func(st Store) error {
		now, err := live(ctx, st, slug)
		if err != nil {
			return err
		}
		if now.ZipHash != was.ZipHash || !now.UpdatedAt.Equal(was.UpdatedAt) {
			return errMeanwhile
		}
		tell := s.newNews()
		running = nil
		err = eachInstance(ctx, st, slug, func(in StoredInstance) error {
			if in.Enabled {
				running = append(running, in.ID)
			}
			tell.hook(next, in, OnUpgrade, was.Manifest.Version)
			return nil
		})
		if err != nil {
			return err
		}
		if err := st.ReplaceVersion(ctx, next, previous); err != nil {
			return err
		}
		tell.extension(event.ExtensionUpgraded, next)
		if err := tell.record(ctx, st); err != nil {
			return err
		}
		return s.record(ctx, st, action, packageTarget(slug), audit.Details{
			"version": next.Manifest.Version, "previousVersion": was.Manifest.Version, "zipHash": next.ZipHash,
			"addedPermissions": next.Manifest.Added(was.Manifest),
			"source":           string(next.Source), "signedBy": next.SignedBy,
		})
	})
	if err != nil {
		return Installed{}, err
	}
	for _, id := range running { // finishes its calls; the next call finds the new version
		s.stop(id)
	}
	return s.ByKey(ctx, slug, DefaultInstance)
}

// rehearse returns ErrUpgradeFailed if an enabled instance of was could not go on as
// next: required config is missing, or the plugin does not become healthy. That is
// tried with one instance: the default one, if it is enabled, else the oldest.
func (s *Service) rehearse(ctx context.Context, was, next Package) error {
	slug := was.Manifest.Slug
	next, err := s.openSettings(next) // those of was, with the environment
	if err != nil {
		return err
	}
	var faults errs.Issues
	var trial *Installed
	err = eachInstance(ctx, s.Store, slug, func(stored StoredInstance) error {
		if !stored.Enabled {
			return nil
		}
		in, err := s.open(stored)
		if err != nil {
			return err
		}
		values, _ := config.Decode(in.Config)
		for _, name := range values.Missing(next.Manifest.ConfigSchema) {
			faults.Add("instances."+in.Key+".config."+name, errs.CodeRequired,
				"The instance %s needs a value for %s, which version %s requires. Set it first, or disable the instance.",
				in.Key, name, next.Manifest.Version)
		}
		if trial == nil || in.Key == DefaultInstance {
			trial = &Installed{Package: next, Instance: in}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := errs.WithIssues(errs.Unprocessable, codeUpgradeFailed, faults); err != nil {
		return upgradeFailed(err, slug)
	}
	if trial == nil || s.Prober == nil {
		return nil
	}
	failure, err := s.Prober.Probe(ctx, *trial)
	if err != nil {
		return ErrUpgradeFailed.With("slug", slug).Because(err)
	}
	if !failure.IsZero() {
		return upgradeFailed(ErrUpgradeFailed.With("lastError", failureDetails(failure)).
			Because(errors.New(failure.Message)), slug)
	}
	return nil
}

func upgradeFailed(err error, slug string) error {
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return err
	}
	return e.With("slug", slug)
}

// failureDetails is a Failure as answers tell it (CONTRACT 4).
func failureDetails(f Failure) map[string]any {
	d := map[string]any{"at": f.At.UTC().Format("2006-01-02T15:04:05.000Z"), "message": f.Message}
	if f.File != "" {
		d["file"] = f.File
	}
	if f.Line > 0 {
		d["line"] = f.Line
	}
	return d
}

// Added returns the permissions that m declares and was, an earlier version, did not.
func (m Manifest) Added(was Manifest) []string {
	added := []string{}
	for _, p := range m.Permissions {
		if !slices.Contains(was.Permissions, p) {
			added = append(added, p)
		}
	}
	return added
}

// Restore brings an uninstalled package back. Its default instance is enabled if its
// config is complete and the plugin can be loaded; the others stay disabled
// (CONTRACT 4). A package that is not uninstalled is returned as it is. The error is
// ErrNotFound for an unknown one.
func (s *Service) Restore(ctx context.Context, slug string) (Installed, error) {
	if !manifest.IsSlug(slug) {
		return Installed{}, ErrNotFound
	}
	in, err := s.opened(s.Store.FindUninstalled(ctx, slug, DefaultInstance))
	if errs.KindOf(err) == errs.NotFound {
		if in, err = s.ByKey(ctx, slug, DefaultInstance); errs.KindOf(err) == errs.NotFound {
			return Installed{}, ErrNotFound
		}
		return in, err
	} else if err != nil {
		return Installed{}, err
	}
	values, _ := config.Decode(in.Instance.Config)
	in.Package.DeletedAt, in.Package.UpdatedAt = time.Time{}, s.now()
	in.Instance.Enabled = len(values.Missing(in.Package.Manifest.ConfigSchema)) == 0
	in.Instance.Version++
	in.Instance.UpdatedAt = in.Package.UpdatedAt
	failed := s.try(ctx, in)
	if !failed.IsZero() {
		in.Instance.Enabled = false
	}
	err = s.Store.InTx(ctx, func(st Store) error {
		if err := st.RestorePackage(ctx, slug, in.Package.UpdatedAt); err != nil {
			return err
		}
		if err := st.UpdateInstance(ctx, s.seal(in.Instance)); err != nil {
			return err
		}
		if err := s.tellReturn(ctx, st, in.Package); err != nil {
			return err
		}
		if !failed.IsZero() {
			if err := s.in(st).RecordFailure(ctx, in, failed); err != nil {
				return err
			}
		}
		return s.record(ctx, st, audit.PluginRestore, packageTarget(slug), audit.Details{
			"version": in.Package.Manifest.Version, "enabled": in.Instance.Enabled,
		})
	})
	if k := errs.KindOf(err); k == errs.NotFound || k == errs.Conflict { // another request was faster
		return s.ByKey(ctx, slug, DefaultInstance)
	}
	return in, err
}

// tellReturn records what the restoring of a package tells: as an uninstall ended all of
// its instances, they begin again.
func (s *Service) tellReturn(ctx context.Context, st Store, p Package) error {
	tell := s.newNews()
	tell.extension(event.ExtensionInstalled, p)
	err := eachInstance(ctx, st, p.Manifest.Slug, func(in StoredInstance) error {
		tell.begins(p, in)
		return nil
	})
	if err != nil {
		return err
	}
	return tell.record(ctx, st)
}

// Purge removes a package, uninstalled or not, with its instances, their config and its
// secrets, for good. It returns the paths of the files to remove, relative to the data
// folder: none if hooks still need them, see Clear. The error is ErrBuiltin for a built-in
// package and ErrNotFound for an unknown one.
func (s *Service) Purge(ctx context.Context, slug string) (paths []string, err error) {
	if !manifest.IsSlug(slug) {
		return nil, ErrNotFound
	}
	var running []string
	err = s.Store.InTx(ctx, func(st Store) error {
		p, err := st.GetPackage(ctx, slug)
		switch {
		case errs.KindOf(err) == errs.NotFound:
			return ErrNotFound
		case err != nil:
			return err
		case p.Source == SourceBuiltin:
			return ErrBuiltin
		}
		running = nil
		if p.DeletedAt.IsZero() {
			if running, err = s.tellEnd(ctx, st, p); err != nil {
				return err
			}
		}
		paths = []string{p.InstallPath}
		if back, ok, err := s.in(st).Previous(ctx, slug); err != nil {
			return err
		} else if ok {
			paths = append(paths, back.InstallPath)
		}
		if kept, err := st.KeepRemains(ctx, p.ID); err != nil {
			return err
		} else if kept {
			paths = nil
		}
		if err := st.PurgePackage(ctx, slug); err != nil {
			return err
		}
		return s.record(ctx, st, audit.PluginPurge, packageTarget(slug), audit.Details{"version": p.Manifest.Version})
	})
	if err != nil {
		return nil, err
	}
	for _, id := range running {
		s.stop(id)
	}
	return paths, nil
}

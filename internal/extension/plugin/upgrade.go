package plugin

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/extension"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
	"stoa/internal/trust/audit"
)

// Prober finds out whether a version of a plugin works before it is switched to.
type Prober interface {
	// Probe starts the plugin of in beside whatever runs for its instance, waits until
	// it is healthy, and ends it again. It returns why the plugin is not healthy, or an
	// error if that could not be found out.
	Probe(ctx context.Context, in Installed) (Failure, error)
}

// upgrade prepares that the version of an installed package is replaced by that of next,
// whose files are in place and which has proved to be healthy. Enabled instances go on with
// their config; permissions that only the new version declares are not granted
// (contract 4.6).
//
// The error is ErrUpgradeFailed if an instance could not go on, and extension.ErrLicenseLapsed. It is an
// errs.Conflict if the package was changed meanwhile.
func (s *Service) upgrade(ctx context.Context, was, next Package, setup extension.Setup) (*change, error) {
	if was.License.LapsedAt(s.now()) {
		return nil, extension.ErrLicenseLapsed
	}
	next.ID = cmp.Or(next.ID, ids.New())
	action := audit.PluginUpgrade
	var previous *Version
	if manifest.CompareVersions(next.Manifest.Version, was.Manifest.Version) == 0 {
		action = audit.PluginReplace
	} else if v := was.version(); v.Source == SourceBuiltin || next.Source == SourceBuiltin {
		previous = &v
	} else if is, err := s.builtin(ctx, was); err != nil {
		return nil, err
	} else if !is { // else a rollback goes on returning to the built-in version
		previous = &v
	}
	return s.switchVersion(ctx, was, was.as(next.version(), s.now()).by(next.ID), nil, previous, action, setup)
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
	c, err := s.switchVersion(ctx, was, was.as(back, s.now()).by(""), back.Consents, &previous, audit.PluginRollback,
		extension.Setup{})
	if err != nil {
		return Installed{}, err
	}
	return s.commit(ctx, c)
}

// Previous returns the version that a rollback returns to; ok is false if there is none.
func (s *Service) Previous(ctx context.Context, slug string) (v Version, ok bool, err error) {
	v, err = s.Store.PreviousVersion(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return Version{}, false, nil
	}
	return v, err == nil, err
}

// switchVersion proves that the enabled instances of was can go on as next, and prepares
// that all of them switch, and that the setup is applied. consents are what next was given before.
func (s *Service) switchVersion(
	ctx context.Context, was, next Package, consents []string, previous *Version, action audit.Action,
	setup extension.Setup,
) (*change, error) {
	slug := was.Manifest.Slug
	if err := s.checkCode(ctx, s.Store, was, next, consents); err != nil { // before it runs
		return nil, err
	}
	if err := s.rehearse(ctx, was, next, setup); err != nil {
		return nil, err
	}
	c := &change{s: s, slug: slug, outcome: extension.WasUpgraded}
	c.record = func(ctx context.Context, st Store) error {
		now, err := live(ctx, st, slug)
		if err != nil {
			return err
		}
		if now.ZipHash != was.ZipHash || !now.UpdatedAt.Equal(was.UpdatedAt) {
			return errMeanwhile
		}
		if err := s.checkCode(ctx, st, now, next, consents); err != nil {
			return err
		}
		if previous != nil {
			if previous.Consents, err = consentsOf(ctx, st, now); err != nil {
				return err
			}
		}
		back, err := s.in(st).back(ctx, was, previous)
		if err != nil {
			return err
		}
		then := s.newEffects()
		ask := func(in *StoredInstance) bool {
			return action != audit.PluginRollback && s.ask(ctx, in, was, next, back)
		}
		if c.running, err = s.in(st).switchInstances(ctx, was, next, ask, then); err != nil {
			return err
		}
		if err := st.ReplaceVersion(ctx, next, previous); err != nil {
			return err
		}
		then.extension(event.ExtensionUpgraded, next)
		if err := then.record(ctx, st); err != nil {
			return err
		}
		err = s.record(ctx, st, action, packageTarget(slug), audit.Details{
			"version": next.Manifest.Version, "previousVersion": was.Manifest.Version, "zipHash": next.ZipHash,
			"addedPermissions": next.Manifest.Added(was.Manifest),
			"source":           string(next.Source), "signedBy": next.SignedBy,
		})
		if err != nil {
			return err
		}
		_, err = s.in(st).apply(ctx, next, setup)
		return err // running instances finish their calls; the next call finds the new version
	}
	return c, nil
}

// switchInstances changes the instances of was as next needs them, in the service's transaction, and tells them. They
// lose the values of fields that were secret and are not in next. ask reports whether it changed one. It returns the
// ids of those that are enabled.
func (s *Service) switchInstances(
	ctx context.Context, was, next Package, ask func(*StoredInstance) bool, then *effects,
) (running []string, err error) {
	revealed := was.Manifest.ConfigSchema.Revealed(next.Manifest.ConfigSchema)
	var stale []StoredInstance
	err = eachInstance(ctx, s.Store, was.Manifest.Slug, func(in StoredInstance) error {
		if in.Enabled {
			running = append(running, in.ID)
		}
		taken, err := s.takeSecrets(&in, revealed)
		if err != nil {
			return err
		}
		if ask(&in) || taken {
			in.Version++
			in.UpdatedAt = s.now()
			stale = append(stale, in)
		}
		then.hook(next, in, OnUpgrade, was.Manifest.Version)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, in := range stale {
		if err := s.Store.UpdateInstance(ctx, in); err != nil {
			return nil, err
		}
	}
	return running, nil
}

// takeSecrets removes the values of those names from the config of an instance, and reports whether it had any.
func (s *Service) takeSecrets(in *StoredInstance, names []string) (taken bool, err error) {
	if len(names) == 0 {
		return false, nil
	}
	opened, err := s.open(*in)
	if err != nil {
		return false, err
	}
	kept := config.Without(opened.Config, names)
	if bytes.Equal(kept, opened.Config) {
		return false, nil
	}
	opened.Config = kept
	*in = s.seal(opened)
	return true, nil
}

// ask makes wait what next asks for and the caller might not give, and takes back what the version was of a package
// does not declare; it reports whether that was anything. What it takes back was granted to an earlier version, and
// stayed for a rollback: a next version that declares it again needs consent again (contract 4.6). What neither next
// nor back, which a rollback returns to, declares waits no longer.
func (s *Service) ask(ctx context.Context, in *StoredInstance, was, next Package, back Manifest) bool {
	kept := Installed{Package: was, Instance: in.Instance}.Permissions()
	gone := missingFrom(back.Permissions, missingFrom(next.Manifest.Permissions, in.Undecided))
	waiting := missingFrom(gone, in.Undecided)
	more := missingFrom(waiting, withheld(ctx, next.Manifest.Added(was.Manifest)))
	if len(kept) == len(in.Granted) && len(gone) == 0 && len(more) == 0 {
		return false
	}
	in.Granted, in.Undecided = kept, append(waiting, more...)
	return true
}

// back returns the manifest that a rollback returns to once was is replaced: that of previous, or, if that is nil, the
// one that it returned to before, which declares nothing if there is none.
func (s *Service) back(ctx context.Context, was Package, previous *Version) (Manifest, error) {
	if previous != nil {
		return previous.Manifest, nil
	}
	v, _, err := s.Previous(ctx, was.Manifest.Slug)
	return v.Manifest, err
}

// rehearse returns ErrUpgradeFailed if an enabled instance of was could not go on as
// next: required config is missing, or the plugin does not become healthy. That is
// tried with one instance: the default one, if it is enabled, else the oldest. Config that
// the setup adds counts.
func (s *Service) rehearse(ctx context.Context, was, next Package, setup extension.Setup) error {
	slug := was.Manifest.Slug
	next, err := s.openSettings(next) // those of was, with the environment
	if err != nil {
		return err
	}
	revealed := was.Manifest.ConfigSchema.Revealed(next.Manifest.ConfigSchema)
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
		in.Config = added(config.Without(in.Config, revealed), setup.Config(in.Key))
		values, _ := config.Decode(in.Config)
		for _, name := range values.Missing(next.Manifest.ConfigSchema) {
			if slices.Contains(revealed, name) {
				faults.Add("instances."+in.Key+".config."+name, errs.CodeRequired,
					"The instance %s needs a value for %s, and loses the one it has, because that was secret and is not in "+
						"version %s. Disable the instance, and set it afterwards.", in.Key, name, next.Manifest.Version)
				continue
			}
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
	if trial == nil || s.Prober == nil || was.License.LapsedAt(s.now()) { // what is stopped is not tried
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

// failureDetails returns a Failure as answers show it (contract 4.13).
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
// (contract 4.7). A package that is not uninstalled is returned as it is. The error is
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
	c, err := s.restore(ctx, in, extension.Setup{})
	if err != nil {
		return Installed{}, err
	}
	restored, err := s.commit(ctx, c)
	if k := errs.KindOf(err); k == errs.NotFound || k == errs.Conflict { // another request was faster
		return s.ByKey(ctx, slug, DefaultInstance)
	}
	return restored, err
}

// restore prepares that an uninstalled package, with its default instance, is brought back.
func (s *Service) restore(ctx context.Context, in Installed, setup extension.Setup) (*change, error) {
	slug := in.Package.Manifest.Slug
	var faults, all errs.Issues
	in.Instance.Config = addedTo(in.Instance.Config, setup.Config(DefaultInstance), &faults)
	all.AppendBelow(manifest.Item("instances", setup.Index(DefaultInstance)), faults)
	if err := all.Err(); err != nil {
		return nil, err
	}
	values, _ := config.Decode(in.Instance.Config)
	in.Package.DeletedAt, in.Package.UpdatedAt = time.Time{}, s.now()
	in.Instance.Enabled = len(values.Missing(in.Package.Manifest.ConfigSchema)) == 0
	in.Instance.Version++
	in.Instance.UpdatedAt = in.Package.UpdatedAt
	in.Instance.within(setup.Consent)
	failed := s.try(ctx, in)
	if !failed.IsZero() {
		in.Instance.Enabled = false
		var err error
		if setup, err = disabled(setup, failed); err != nil {
			return nil, err
		}
	}
	record := func(ctx context.Context, st Store) error {
		if err := st.RestorePackage(ctx, slug, in.Package.UpdatedAt); err != nil {
			return err
		}
		if err := st.UpdateInstance(ctx, s.seal(in.Instance)); err != nil {
			return err
		}
		if err := narrow(ctx, st, in.Instance, setup.Consent); err != nil {
			return err
		}
		if err := s.queueReturn(ctx, st, in.Package); err != nil {
			return err
		}
		if !failed.IsZero() {
			if err := s.in(st).RecordFailure(ctx, in, failed); err != nil {
				return err
			}
		}
		err := s.record(ctx, st, audit.PluginRestore, packageTarget(slug), audit.Details{
			"version": in.Package.Manifest.Version, "enabled": in.Instance.Enabled,
		})
		if err != nil {
			return err
		}
		_, err = s.in(st).apply(ctx, in.Package, setup)
		return err
	}
	return &change{s: s, slug: slug, outcome: extension.WasInstalled, isNew: true, record: record}, nil
}

// narrow takes from the other instances of a restored package what nobody consents to now.
// No consent is that of before.
func narrow(ctx context.Context, st Store, first Instance, consent []string) error {
	if consent == nil {
		return nil
	}
	return eachInstance(ctx, st, first.Slug, func(in StoredInstance) error {
		had := len(in.Granted)
		if in.within(consent); in.ID == first.ID || len(in.Granted) == had {
			return nil
		}
		in.Version++
		in.UpdatedAt = first.UpdatedAt
		return st.UpdateInstance(ctx, in)
	})
}

// queueReturn records the hooks and events of a restored package. An uninstall ended all of
// its instances, so they begin again.
func (s *Service) queueReturn(ctx context.Context, st Store, p Package) error {
	then := s.newEffects()
	then.extension(event.ExtensionInstalled, p)
	err := eachInstance(ctx, st, p.Manifest.Slug, func(in StoredInstance) error {
		then.begins(p, in)
		return nil
	})
	if err != nil {
		return err
	}
	return then.record(ctx, st)
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
	err = s.Store.InTx(ctx, func(st Store) (err error) {
		paths, running, err = s.purge(ctx, st, slug)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.stopAll(running)
	return paths, nil
}

// purge is Purge in st's transaction. running are the instances to stop after it.
func (s *Service) purge(ctx context.Context, st Store, slug string) (paths, running []string, err error) {
	p, err := st.GetPackage(ctx, slug)
	if errs.KindOf(err) == errs.NotFound {
		return nil, nil, ErrNotFound
	} else if err != nil {
		return nil, nil, err
	}
	if is, err := s.in(st).builtin(ctx, p); err != nil || is {
		return nil, nil, cmp.Or(err, error(ErrBuiltin))
	}
	if p.DeletedAt.IsZero() {
		if running, err = s.queueEnd(ctx, st, p); err != nil {
			return nil, nil, err
		}
	}
	paths = []string{p.InstallPath}
	if back, ok, err := s.in(st).Previous(ctx, slug); err != nil {
		return nil, nil, err
	} else if ok {
		paths = append(paths, back.InstallPath)
	}
	if kept, err := st.KeepRemains(ctx, p.ID); err != nil {
		return nil, nil, err
	} else if kept {
		paths = nil
	}
	if err := st.PurgePackage(ctx, slug); err != nil {
		return nil, nil, err
	}
	err = s.record(ctx, st, audit.PluginPurge, packageTarget(slug), audit.Details{"version": p.Manifest.Version})
	return paths, running, err
}

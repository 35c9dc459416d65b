package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
)

// CheckSetup adds to faults every fault of a setup of a package with the manifest m, which
// may be installed already.
func (s *Service) CheckSetup(ctx context.Context, m Manifest, setup extension.Setup, faults *errs.Issues) error {
	if setup.Activate {
		faults.Add("activate", errs.CodeUnsupported, "Only themes can be activated.")
	}
	keys := make(map[string]bool)
	for i := range setup.Instances {
		var own errs.Issues
		in, there, err := s.arrange(ctx, Package{Manifest: m}, setup, i, &own)
		if err != nil {
			return err
		}
		if in.Key != "" && keys[in.Key] {
			own.Add("instanceKey", errs.CodeDuplicate, "The key %s is given twice.", in.Key)
		}
		keys[in.Key] = true
		if own.Len() == 0 && !there && in.Key != DefaultInstance {
			state, err := s.Store.KeyState(ctx, m.Slug, in.Key)
			if err != nil {
				return err
			}
			if state == KeyDeleted {
				own.Add("instanceKey", errs.CodeConflict, "%s", ErrKeyUsed.Message)
			}
		}
		faults.AppendBelow(manifest.Item("instances", i), own)
	}
	return nil
}

// arrange returns the instance of a package that a setup wants at i, which may be there. Then it
// only gets the config values that it lacks. Every fault of what is wanted is added.
func (s *Service) arrange(
	ctx context.Context, p Package, setup extension.Setup, i int, faults *errs.Issues,
) (in Instance, there bool, err error) {
	want := setup.Instances[i]
	in = s.newInstance(ctx, p, input(want).key(faults))
	old, err := s.instance(ctx, p.Manifest.Slug, in.Key)
	switch {
	case err == nil:
		want.Enabled = nil // it stays as it is
		applySetup(p.Manifest, want, &in, faults)
		old.Config = addedTo(old.Config, want.Config, faults)
		return old, true, nil
	case errs.KindOf(err) != errs.NotFound:
		return in, false, err
	}
	given := in.Granted
	applySetup(p.Manifest, want, &in, faults)
	in.within(setup.Consent)
	return in, false, checkConsent(ctx, given, in.Granted)
}

// within leaves a new instance those of its permissions that the consent of a setup has; nil has all.
func (in *Instance) within(consent []string) {
	if consent != nil {
		in.Granted = missingFrom(missingFrom(consent, in.Granted), in.Granted)
	}
}

// instance returns the instance of a package with that key, be the package uninstalled or
// not. The error is an errs.NotFound if there is none.
func (s *Service) instance(ctx context.Context, slug, key string) (Instance, error) {
	in, err := s.ByKey(ctx, slug, key)
	if errs.KindOf(err) == errs.NotFound && keyRE.MatchString(key) {
		in, err = s.opened(s.Store.FindUninstalled(ctx, slug, key))
	}
	return in.Instance, err
}

func input(want extension.Instance) Input {
	return Input{Key: want.Key, Enabled: want.Enabled, Config: want.Config, Granted: want.Granted}
}

// applySetup gives in, of a package with the manifest m, what is wanted of it, and adds every
// fault. Unless the setup says whether it is enabled, it is if its config is complete.
func applySetup(m Manifest, want extension.Instance, in *Instance, faults *errs.Issues) {
	said := saysEnabled(want)
	if !said {
		in.Enabled = false
	}
	input(want).apply(m, in, faults)
	if !said {
		values, _ := config.Decode(in.Config)
		in.Enabled = len(values.Missing(m.ConfigSchema)) == 0
	}
}

func saysEnabled(want extension.Instance) bool { return !manifest.Absent(want.Enabled) }

// firstInstances returns the instances of a new package: the default one first, then those
// of the setup. The error lists the faults of the setup.
func (s *Service) firstInstances(ctx context.Context, p Package, setup extension.Setup) ([]Instance, error) {
	list := []Instance{s.newInstance(ctx, p, DefaultInstance)}
	list[0].Enabled = len(config.Values(nil).Missing(p.Manifest.ConfigSchema)) == 0
	list[0].within(setup.Consent)
	var faults errs.Issues
	for i, want := range setup.Instances {
		var own errs.Issues
		in := s.newInstance(ctx, p, input(want).key(&own))
		given := in.Granted
		applySetup(p.Manifest, want, &in, &own)
		in.within(setup.Consent)
		if err := checkConsent(ctx, given, in.Granted); err != nil {
			return nil, err
		}
		faults.AppendBelow(manifest.Item("instances", i), own)
		if in.Key == DefaultInstance {
			list[0] = in
		} else {
			list = append(list, in)
		}
	}
	return list, faults.Err()
}

// disableFailed disables the instances of a plugin that failed its trial load. The error
// lists those that the setup wants to be enabled.
func disableFailed(list []Instance, setup extension.Setup, failed Failure) error {
	if failed.IsZero() {
		return nil
	}
	for i := range list {
		list[i].Enabled = false
	}
	_, err := disabled(setup, failed)
	return err
}

// disabled returns the setup of a plugin that failed its trial load, with all instances
// disabled. The error lists those that the setup wants to be enabled.
func disabled(setup extension.Setup, failed Failure) (extension.Setup, error) {
	var faults errs.Issues
	setup.Instances = slices.Clone(setup.Instances)
	for i := range setup.Instances {
		want := &setup.Instances[i]
		enabled := false
		if saysEnabled(*want) && json.Unmarshal(want.Enabled, &enabled) == nil && enabled {
			faults.Add(manifest.Item("instances", i)+".enabled", errs.CodeUnhealthy,
				"The plugin cannot be loaded: %s", failed.text())
		}
		want.Enabled = json.RawMessage("false")
	}
	return setup, faults.Err()
}

// createInstances adds instances to a package, in st's transaction.
func (s *Service) createInstances(ctx context.Context, st Store, p Package, list []Instance) error {
	for _, in := range list {
		stored := s.seal(in)
		if err := st.CreateInstance(ctx, stored); err != nil {
			return err
		}
		then := s.newEffects()
		then.begins(p, stored)
		if err := then.record(ctx, st); err != nil {
			return err
		}
		if err := s.recordInstance(ctx, st, Instance{}, in); err != nil {
			return err
		}
	}
	return nil
}

// apply applies a setup to the instances of an installed package, in the service's
// transaction. It adds those that are missing, with the permissions of the default instance.
// Of those that are there, only the config gets values that it lacks. It returns the
// instances to stop.
func (s *Service) apply(ctx context.Context, p Package, setup extension.Setup) (changed []string, err error) {
	if len(setup.Instances) == 0 {
		return nil, nil
	}
	first, err := s.ByKey(ctx, p.Manifest.Slug, DefaultInstance)
	if err != nil {
		return nil, err
	}
	for i, want := range setup.Instances {
		var faults, all errs.Issues
		in, there, err := s.arrange(ctx, p, setup, i, &faults)
		if err != nil {
			return nil, err
		}
		all.AppendBelow(manifest.Item("instances", i), faults)
		switch err := all.Err(); {
		case err != nil:
			return nil, err
		case there:
			id, err := s.addConfig(ctx, in)
			if err != nil {
				return nil, err
			}
			changed = append(changed, id...)
			continue
		}
		if manifest.Absent(want.Granted) {
			in.likeFirst(ctx, Installed{Package: p, Instance: first.Instance})
			in.within(setup.Consent)
		}
		if err := checkKey(ctx, s.Store, p.Manifest.Slug, in.Key); err != nil {
			return nil, err
		}
		if err := s.createInstances(ctx, s.Store, p, []Instance{in}); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// addConfig stores an instance that may have got more config. It returns the id of the
// instance if it did.
func (s *Service) addConfig(ctx context.Context, in Instance) (changed []string, err error) {
	was, err := s.ByKey(ctx, in.Slug, in.Key)
	if err != nil || in.same(was.Instance) {
		return nil, err
	}
	in.Version++
	in.UpdatedAt = s.now()
	if err := s.Store.UpdateInstance(ctx, s.seal(in)); err != nil {
		return nil, err
	}
	return []string{in.ID}, s.recordInstance(ctx, s.Store, was.Instance, in)
}

// addedTo is added for a config that is to be stored. It adds the fault of one that gets too large, which neither of
// the two may be by itself; but not to faults of what is added.
func addedTo(raw, more json.RawMessage, faults *errs.Issues) json.RawMessage {
	all := added(raw, more)
	if faults.Len() == 0 && !bytes.Equal(all, raw) {
		values, _ := config.Decode(all)
		values.Check("config", nil, faults) // without a schema: what is added was held against it, what is there stays
	}
	return all
}

// added returns a config with the values of more that it lacks. It is raw itself if there
// are none.
func added(raw, more json.RawMessage) json.RawMessage {
	values, _ := config.Decode(raw)
	wanted, _ := config.Decode(more)
	missing := false
	for name, value := range wanted {
		if values.Has(name) || value == nil || value == "" {
			continue
		}
		if values == nil {
			values = make(config.Values)
		}
		values[name], missing = value, true
	}
	if !missing {
		return raw
	}
	return values.Encode()
}

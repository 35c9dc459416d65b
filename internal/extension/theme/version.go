package theme

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"stoa/internal/base/event"
	"stoa/internal/extension"
	"stoa/internal/extension/config"
	"stoa/internal/trust/audit"
)

// try starts a version of an app as show would have its target show it. Nothing needs to be
// recorded of the version yet. The error is ErrUnhealthy if it does not get healthy.
func (s *Service) try(ctx context.Context, v Version) error {
	if !IsApp(v.Kind) {
		return nil
	}
	state, err := s.Store.State(ctx, v.Target())
	if err != nil {
		return err
	}
	a := App{Version: v, Config: v.Manifest.DefaultConfig, Token: s.token(v.ID)}
	if state.Active.Slug == v.Manifest.Slug {
		a.Sealed = state.Active.Sealed
		if a.Config, err = s.passedOn(ctx, state.Active, v); err != nil {
			return err
		}
	}
	return s.start(ctx, a)
}

// passedOn returns the config that a version gets from the one of its theme that its target shows: without the
// values of fields that are no longer secret.
func (s *Service) passedOn(ctx context.Context, shown Choice, v Version) (json.RawMessage, error) {
	values, err := s.open(v.Target(), shown)
	if err != nil {
		return nil, err
	}
	versions, err := s.Store.Versions(ctx, v.Target(), shown.Slug)
	if err != nil {
		return nil, err
	}
	for _, was := range versions {
		if was.Manifest.Version == shown.Version {
			values = config.Without(values, was.Manifest.ConfigSchema.Revealed(v.Manifest.ConfigSchema))
		}
	}
	return values, nil
}

// takeSecrets removes from what a target shows, and from what a rollback returns to, the values of fields that were
// secret in the version was and are not in v, which takes its place. It reports whether there were any.
func (s *Service) takeSecrets(ctx context.Context, state State, was, v Version) (taken bool, err error) {
	revealed := was.Manifest.ConfigSchema.Revealed(v.Manifest.ConfigSchema)
	for _, c := range []*Choice{&state.Active, &state.Previous} {
		if len(revealed) == 0 || c.Slug != v.Manifest.Slug || c.Version != v.Manifest.Version {
			continue
		}
		values, err := s.open(v.Target(), *c)
		if err != nil {
			return false, err
		}
		if kept := config.Without(values, revealed); !bytes.Equal(kept, values) {
			c.Sealed, taken = s.Configs.Seal(kept, sealedFor(v.Target(), c.Slug)), true
		}
	}
	if taken {
		err = s.Store.PutState(ctx, v.Target(), state)
	}
	return taken, err
}

// tryNext is try for a version that is about to be recorded, if its target is to show it or
// shows the version that it replaces.
func (s *Service) tryNext(ctx context.Context, v Version, show bool) error {
	if !show && !v.Replace {
		return nil
	}
	was, err := s.present(ctx, v)
	if err != nil {
		return err
	}
	v.ID = v.PackageID
	if was.ID != "" && was.DeletedAt.IsZero() {
		v.ID = was.ID // as Add has it
		state, err := s.Store.State(ctx, v.Target())
		if err != nil {
			return err
		}
		show = show || state.Active.Slug == v.Manifest.Slug && state.Active.Version == v.Manifest.Version
	}
	if !show {
		return nil
	}
	return s.try(ctx, v)
}

// show makes the target of an installed version show it, in the service's transaction. A
// theme that the target shows already, in another version, keeps its config (passedOn). An app has
// been tried before: nothing is started in a transaction.
func (s *Service) show(ctx context.Context, v Version) error {
	state, err := s.Store.State(ctx, v.Target())
	if err != nil {
		return err
	}
	var input Input
	if state.Active.Slug == v.Manifest.Slug {
		if input.Config, err = s.passedOn(ctx, state.Active, v); err != nil {
			return err
		}
	}
	if input.Slug, err = json.Marshal(v.Manifest.Slug); err != nil {
		return err
	}
	if input.Version, err = json.Marshal(v.Manifest.Version); err != nil {
		return err
	}
	next, err := s.activation(ctx, v.Target(), input)
	if err != nil {
		return err
	}
	_, err = s.change(ctx, v.Target(), audit.ThemeActivate, next)
	return err
}

// removeVersion removes one installed version of a theme, in the service's transaction: it
// is uninstalled, or with purge, removed for good; then paths are those of its files. No
// rollback returns to it. The error is ErrActive for the version that its target shows, and
// ErrNotFound if it is not installed.
func (s *Service) removeVersion(
	ctx context.Context, kind extension.Kind, slug, id string, purge bool,
) (paths []string, err error) {
	target := targets[kind]
	state, err := s.Store.State(ctx, target)
	if err != nil {
		return nil, err
	}
	t, err := s.Get(ctx, kind, slug)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(t.Versions, func(v Version) bool { return v.ID == id })
	if at < 0 {
		return nil, ErrNotFound
	}
	v := t.Versions[at]
	is := func(c Choice) bool { return c.Slug == slug && c.Version == v.Manifest.Version }
	if is(state.Active) {
		return nil, ErrActive.With("slug", slug).With("activeVersion", state.Active.Version)
	}
	if is(state.Previous) {
		state.Previous = Choice{}
		if err := s.Store.PutState(ctx, target, state); err != nil {
			return nil, err
		}
	}
	action := audit.ThemeUninstall
	if purge {
		action, paths = audit.ThemePurge, []string{v.InstallPath}
		err = s.Store.PurgeVersion(ctx, v.ID)
	} else {
		v.DeletedAt = s.now()
		v.UpdatedAt = v.DeletedAt
		err = s.Store.PutVersion(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	if len(t.Versions) == 1 { // it was the last one
		if err := s.publish(ctx, s.Store, event.ExtensionUninstalled, kind, slug); err != nil {
			return nil, err
		}
	}
	return paths, s.record(ctx, s.Store, action, themeTarget(kind, slug), audit.Details{
		"versions": []string{v.Manifest.Version},
	})
}

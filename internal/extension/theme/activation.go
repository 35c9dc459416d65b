package theme

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"stoa/internal/base/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
	"stoa/internal/trust/audit"
)

// Input is the theme that a client wants to activate, field by field as it was sent. A
// field that is nil or null is absent.
type Input struct {
	Slug    json.RawMessage
	Version json.RawMessage // the highest if absent
	Config  json.RawMessage // the DefaultConfig if absent
}

// Status returns what a target shows.
func (s *Service) Status(ctx context.Context, target Target) (Status, error) {
	state, err := s.Store.State(ctx, target)
	if err != nil {
		return Status{}, err
	}
	return s.status(ctx, target, state)
}

// Active returns the theme that a target shows; nil is the built-in one.
func (s *Service) Active(ctx context.Context, target Target) (*Applied, error) {
	const attempts = 3
	for range attempts {
		state, err := s.Store.State(ctx, target)
		if err != nil {
			return nil, err
		}
		active, err := s.applied(ctx, target, state.Active)
		if err != nil || active != nil || state.Active == (Choice{}) {
			return active, err
		}
		// Meanwhile another theme was activated, and this one uninstalled.
	}
	return nil, nil //nolint:nilnil // as in applied
}

func (s *Service) status(ctx context.Context, target Target, state State) (Status, error) {
	active, err := s.applied(ctx, target, state.Active)
	if err != nil {
		return Status{}, err
	}
	previous, err := s.applied(ctx, target, state.Previous)
	return Status{Target: target, Active: active, Previous: previous}, err
}

// applied returns the version and config of a choice. nil stands for the zero Choice,
// and for a version that was uninstalled since the choice was read.
func (s *Service) applied(ctx context.Context, target Target, c Choice) (*Applied, error) {
	if c.Slug == "" {
		return nil, nil //nolint:nilnil // nil is the built-in theme
	}
	versions, err := s.Store.Versions(ctx, target, c.Slug)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if v.Manifest.Version == c.Version && v.DeletedAt.IsZero() {
			values, err := s.open(target, c)
			return &Applied{Version: v, Config: values}, err
		}
	}
	return nil, nil //nolint:nilnil // as above
}

func (s *Service) open(target Target, c Choice) (json.RawMessage, error) {
	if c.Sealed == "" {
		return nil, nil
	}
	plain, err := s.Configs.Open(c.Sealed, sealedFor(target, c.Slug))
	if err != nil {
		return nil, fmt.Errorf("theme: config of %s: %w", c.Slug, err)
	}
	return plain, nil
}

func sealedFor(target Target, slug string) string { return string(target) + "/" + slug }

// Activate makes a target show a theme. Activating what is active with the same config
// changes nothing. An app is started first.
//
// The error is VALIDATION_ERROR with every fault of the input; ErrNotFound or
// ErrNoVersion if the theme is not installed; extension.ErrLicenseLapsed; ErrUnhealthy if it is an app that does not
// get healthy.
func (s *Service) Activate(ctx context.Context, target Target, input Input) (Status, error) {
	next, err := s.activation(ctx, target, input)
	if err != nil {
		return Status{}, err
	}
	return s.changeHealthy(ctx, target, audit.ThemeActivate, next)
}

// activation returns how a target's state changes when it is made to show a theme.
func (s *Service) activation(
	ctx context.Context, target Target, input Input,
) (next func(st Store, was State) (State, error), err error) {
	slug, number, err := input.names()
	if err != nil {
		return nil, err
	}
	var sealed sealedConfig // the same text each time, for the same config
	return func(st Store, was State) (State, error) {
		v, err := s.in(st).find(ctx, target, slug, number)
		if err != nil {
			return State{}, err
		}
		if err := s.in(st).checkLicense(ctx, v.Kind, slug); err != nil {
			return State{}, err
		}
		var stored json.RawMessage
		if was.Active.Slug == slug {
			if stored, err = s.open(target, was.Active); err != nil {
				return State{}, err
			}
		}
		wanted, err := input.config(v.Manifest, stored)
		if err != nil {
			return State{}, err
		}
		next := Choice{Slug: slug, Version: v.Manifest.Version}
		if was.Active.Slug == slug && was.Active.Version == next.Version && bytes.Equal(stored, wanted) {
			return was, nil
		}
		if wanted != nil {
			next.Sealed = sealed.of(wanted, func() string { return s.Configs.Seal(wanted, sealedFor(target, slug)) })
		}
		return State{Active: next, Previous: was.Active}, nil
	}, nil
}

// sealedConfig remembers the sealed form of the last config.
type sealedConfig struct {
	plain []byte
	text  string
}

func (c *sealedConfig) of(plain []byte, seal func() string) string {
	if c.text == "" || !bytes.Equal(c.plain, plain) {
		c.plain, c.text = plain, seal()
	}
	return c.text
}

// Rollback swaps the theme that a target shows with the previous one. The error is
// ErrNoPrevious if there is none, and ErrUnhealthy if it is an app that does not get
// healthy any more.
func (s *Service) Rollback(ctx context.Context, target Target) (Status, error) {
	return s.changeHealthy(ctx, target, audit.ThemeRollback, func(_ Store, was State) (State, error) {
		if was.Previous == (Choice{}) {
			return State{}, ErrNoPrevious.With("target", string(target))
		}
		return State{Active: was.Previous, Previous: was.Active}, nil
	})
}

// Deactivate makes a target show the built-in theme. A rollback returns to the one it
// showed before.
func (s *Service) Deactivate(ctx context.Context, target Target) (Status, error) {
	return s.change(ctx, target, audit.ThemeDeactivate, func(_ Store, was State) (State, error) {
		if was.Active == (Choice{}) {
			return was, nil
		}
		return State{Previous: was.Active}, nil
	})
}

// errChanged ends a change that would show another app than the one that was started for
// it.
var errChanged = errors.New("theme: the app to show is another one now")

// changeHealthy is change for what may make a target show an app: the app is started
// before, outside of the transaction, and the change happens only if it gets healthy.
func (s *Service) changeHealthy(
	ctx context.Context, target Target, action audit.Action, next func(st Store, was State) (State, error),
) (Status, error) {
	const attempts = 3
	for range attempts {
		was, err := s.Store.State(ctx, target)
		if err != nil {
			return Status{}, err
		}
		st := readOnce(s.Store)
		now, err := next(st, was)
		if err != nil {
			return Status{}, err
		}
		ready, err := s.in(st).prepare(ctx, target, now.Active)
		if err != nil {
			return Status{}, err
		}
		status, err := s.change(ctx, target, action, func(st Store, was State) (State, error) {
			now, err := next(st, was)
			if err != nil {
				return State{}, err
			}
			a, found, err := s.in(st).appOf(ctx, target, now.Active)
			if err == nil && found && IsApp(a.Version.Kind) && a.Key() != ready {
				err = errChanged
			}
			return now, err
		})
		if !errors.Is(err, errChanged) {
			return status, err
		}
	}
	return Status{}, ErrConflict.With("target", string(target))
}

// prepare starts the app that c chooses, and returns its key; empty if c chooses none.
func (s *Service) prepare(ctx context.Context, target Target, c Choice) (key string, err error) {
	a, found, err := s.appOf(ctx, target, c)
	if err != nil || !found || !IsApp(a.Version.Kind) {
		return "", err
	}
	if err := extension.CheckTrust(ctx); err != nil {
		return "", err
	}
	return a.Key(), s.start(ctx, a)
}

// start starts an app. The error is ErrUnhealthy if it does not get healthy.
func (s *Service) start(ctx context.Context, a App) error {
	if err := s.Apps.Prepare(ctx, a); err != nil {
		m := a.Version.Manifest
		return ErrUnhealthy.With("slug", m.Slug).With("version", m.Version).With("reason", err.Error()).Because(err)
	}
	return nil
}

// change replaces the state of a target by what next makes of it, and records the
// change, if it is one.
func (s *Service) change(
	ctx context.Context, target Target, action audit.Action, next func(st Store, was State) (State, error),
) (Status, error) {
	var status Status
	err := s.Store.InTx(ctx, func(st Store) error {
		st = readOnce(st)
		was, err := st.State(ctx, target)
		if err != nil {
			return err
		}
		now, err := next(st, was)
		if err != nil {
			return err
		}
		if status, err = s.in(st).status(ctx, target, now); err != nil || now == was {
			return err
		}
		if err := st.PutState(ctx, target, now); err != nil {
			return err
		}
		details := audit.Details{"theme": now.Active.name(), "previousTheme": was.Active.name()}
		if now.Active.Slug == was.Active.Slug && now.Active.Sealed != was.Active.Sealed {
			details["config"] = "changed" // any of it may be a secret
		}
		return s.record(ctx, st, action, audit.Target{Type: "theme", ID: string(target)}, details)
	})
	return status, err
}

func (c Choice) name() string {
	if c.Slug == "" {
		return "built-in"
	}
	return c.Slug + " " + c.Version
}

// find returns an installed version of a theme: the highest if number is empty.
func (s *Service) find(ctx context.Context, target Target, slug, number string) (Version, error) {
	versions, err := s.Store.Versions(ctx, target, slug)
	if err != nil {
		return Version{}, err
	}
	live := installed(versions)
	if len(live) == 0 {
		return Version{}, ErrNotFound
	}
	if v, ok := newTheme(live, State{}).Version(number); ok {
		return v, nil
	}
	return Version{}, ErrNoVersion.With("version", number)
}

// names reads slug and version. Version is empty if it is absent.
func (in Input) names() (slug, version string, err error) {
	var faults errs.Issues
	o := manifest.Object{Faults: &faults, Fields: map[string]json.RawMessage{"slug": in.Slug, "version": in.Version}}
	slug, ok := o.Require("slug")
	if ok && !manifest.IsSlug(slug) {
		o.Fault("slug", errs.CodeInvalid, "is not the slug of a theme.")
	}
	version = o.Version("version", false)
	if _, ok := config.Decode(in.Config); !ok {
		faults.Append(config.NotObject("config"))
	}
	return slug, version, config.Validation("config", faults)
}

// config returns the config that a theme gets. stored is the config it has, whose
// secrets are kept where the input has "".
func (in Input) config(m Manifest, stored json.RawMessage) (json.RawMessage, error) {
	raw := in.Config
	if manifest.Absent(raw) {
		raw = m.DefaultConfig
	}
	values, _ := config.Decode(raw)
	had, _ := config.Decode(stored)
	values.KeepSecrets(had, m.ConfigSchema)
	var faults errs.Issues
	values.Check("config", m.ConfigSchema, &faults)
	for _, name := range values.Missing(m.ConfigSchema) {
		faults.Add("config."+name, errs.CodeRequired, "config.%s is required.", name)
	}
	return values.Encode(), config.Validation("config", faults)
}

// PublicConfig returns the config with every secret value replaced by "". It is never
// nil.
func (a Applied) PublicConfig() json.RawMessage {
	public, _ := config.Public(a.Config, a.Version.Manifest.ConfigSchema)
	if public == nil {
		return json.RawMessage("{}")
	}
	return public
}

package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// Settings are what an administrator has set for a package. A zero field means the
// platform's default.
type Settings struct {
	// Isolation is IsolationShared, or empty: a process for each instance.
	Isolation string `json:"isolation,omitempty"`

	// What belongs to the plugin on its calls (contract 5.14): cookies of its own, and the header
	// Authorization, which stoa does not read then.
	AllowCookies       bool `json:"allowCookies,omitempty"`
	AllowAuthorization bool `json:"allowAuthorization,omitempty"`
	// What the plugin's answers may do on the shop's origin (contract 5.9): let pages of other
	// origins read them, and be pages with the shop's own rights.
	AllowCORS       bool `json:"allowCors,omitempty"`
	AllowSameOrigin bool `json:"allowSameOrigin,omitempty"`

	// KeepRunning keeps a process for each enabled instance, called or not.
	KeepRunning bool `json:"keepRunning,omitempty"`

	StartTimeoutMs int64 `json:"startTimeoutMs,omitempty"` // until the plugin is ready
	TimeoutMs      int64 `json:"timeoutMs,omitempty"`      // until an answer begins
	MemoryMb       int   `json:"memoryMb,omitempty"`       // of a process
	MaxConcurrency int   `json:"maxConcurrency,omitempty"` // calls of an instance that run at the same time; 0: no limit

	// Environment are the variables of the plugin's process. They are secrets,
	// and only in what Finder returns.
	Environment map[string]string `json:"-"`

	Sealed  string `json:"-"` // Environment, as the database keeps it
	Version int64  `json:"-"` // counts the changes
}

// The values of isolation.
const (
	IsolationInstance = "instance" // a process for each instance
	IsolationShared   = "shared"   // one process for all instances of the package
)

// StartTimeout returns the limit of a start, def by default.
func (s Settings) StartTimeout(def time.Duration) time.Duration { return millis(s.StartTimeoutMs, def) }

// Timeout returns the limit for an answer to begin, def by default.
func (s Settings) Timeout(def time.Duration) time.Duration { return millis(s.TimeoutMs, def) }

func millis(ms int64, def time.Duration) time.Duration {
	if ms == 0 {
		return def
	}
	return time.Duration(ms) * time.Millisecond
}

// Settings returns an installed package with its settings, the environment
// included.
func (s *Service) Settings(ctx context.Context, slug string) (Package, error) {
	p, err := live(ctx, s.Store, slug)
	if err != nil {
		return Package{}, err
	}
	return s.openSettings(p)
}

// ChangeSettings changes the settings of a package. Processes with the old ones
// finish their calls and end.
//
// The error is ErrNotFound for an unknown package, and VALIDATION_ERROR with every
// fault of the input, after those that were found when it was read.
func (s *Service) ChangeSettings(
	ctx context.Context, slug string, input SettingsInput, found ...errs.Issue,
) (Package, error) {
	var changed Package
	var running []string
	err := s.Store.InTx(ctx, func(st Store) error {
		p, err := s.in(st).Settings(ctx, slug)
		if err != nil {
			return err
		}
		was := p.Settings
		var faults errs.Issues
		faults.Append(found...)
		input.apply(p.Manifest, &p.Settings, &faults)
		if err := cmp.Or(checkSettings(ctx, was, p.Settings), faults.Err()); err != nil {
			return err
		}
		changed, running = p, nil
		names := was.changes(p.Settings)
		if len(names) == 0 {
			return nil
		}
		p.Settings.Version++
		if p.Settings.Sealed, err = s.sealEnvironment(p); err != nil {
			return err
		}
		if running, err = enabled(ctx, st, slug); err != nil {
			return err
		}
		if err := st.UpdateSettings(ctx, slug, p.Settings); err != nil {
			return err
		}
		changed = p
		return s.record(ctx, st, audit.PluginUpdate, packageTarget(slug), audit.Details{"settings": names})
	})
	if err != nil {
		return Package{}, err
	}
	for _, id := range running {
		s.stop(id)
	}
	return changed, nil
}

// changes returns the names of the settings that differ in next: those of their JSON form,
// so that none is forgotten, and environment.
func (s Settings) changes(next Settings) []string {
	was, is := s.byName(), next.byName()
	var names []string
	for name := range was {
		if _, ok := is[name]; !ok {
			names = append(names, name)
		}
	}
	for name, value := range is {
		if was[name] != value {
			names = append(names, name)
		}
	}
	if !maps.Equal(s.Environment, next.Environment) {
		names = append(names, "environment")
	}
	slices.Sort(names)
	return names
}

// byName returns the settings that are not the default, without the environment.
func (s Settings) byName() map[string]string {
	text, err := json.Marshal(s)
	var raw map[string]json.RawMessage
	if err = errors.Join(err, json.Unmarshal(text, &raw)); err != nil {
		panic(err) // of a struct of texts, numbers and booleans
	}
	values := make(map[string]string, len(raw))
	for name, value := range raw {
		values[name] = string(value)
	}
	return values
}

// The environment is sealed with the key of the configs, bound to the package: no
// instance has an id like this.
func environmentOf(p Package) string { return "environment of " + p.Manifest.Slug }

func (s *Service) sealEnvironment(p Package) (string, error) {
	if len(p.Settings.Environment) == 0 {
		return "", nil
	}
	text, err := json.Marshal(p.Settings.Environment)
	if err != nil {
		return "", err
	}
	return s.Configs.Seal(text, environmentOf(p)), nil
}

func (s *Service) openSettings(p Package) (Package, error) {
	if p.Settings.Sealed == "" {
		return p, nil
	}
	text, err := s.Configs.Open(p.Settings.Sealed, environmentOf(p))
	if err != nil {
		return Package{}, err
	}
	err = json.Unmarshal(text, &p.Settings.Environment)
	return p, err
}

package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
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

// Bounds of the settings (contract 4.8).
const (
	minTimeoutMs, maxTimeoutMs = 1000, 120_000
	minMemoryMb, maxMemoryMb   = 64, 4096

	minConcurrency, maxConcurrency = 1, 10_000

	maxVariables       = 64
	maxEnvironmentSize = 32 << 10 // bytes of names and values
)

var variableRE = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// SettingsInput is the change of settings that a client asks for, field by field as
// it was sent. A field that is absent stays, and null sets it to the default.
type SettingsInput map[string]json.RawMessage

// apply changes s as the input asks for, and adds every fault.
func (in SettingsInput) apply(m Manifest, s *Settings, faults *errs.Issues) {
	s.AllowCookies = in.boolean("allowCookies", s.AllowCookies, faults)
	s.AllowAuthorization = in.boolean("allowAuthorization", s.AllowAuthorization, faults)
	s.AllowCORS = in.boolean("allowCors", s.AllowCORS, faults)
	s.AllowSameOrigin = in.boolean("allowSameOrigin", s.AllowSameOrigin, faults)
	s.Isolation = in.isolation(m, s.Isolation, faults)
	s.MaxConcurrency = int(number(in, "maxConcurrency", int64(s.MaxConcurrency), minConcurrency, maxConcurrency, faults))
	s.TimeoutMs = number(in, "timeoutMs", s.TimeoutMs, minTimeoutMs, maxTimeoutMs, faults)
	if m.RuntimeType != Internal {
		for _, name := range []string{"keepRunning", "startTimeoutMs", "memoryMb", "environment"} {
			if _, ok := in[name]; ok {
				faults.Add(name, errs.CodeUnsupported, "%s is for plugins that stoa runs, not for %s.", name, m.RuntimeType)
			}
		}
		return
	}
	s.StartTimeoutMs = number(in, "startTimeoutMs", s.StartTimeoutMs, minTimeoutMs, maxTimeoutMs, faults)
	s.MemoryMb = int(number(in, "memoryMb", int64(s.MemoryMb), minMemoryMb, maxMemoryMb, faults))
	s.KeepRunning = in.boolean("keepRunning", s.KeepRunning, faults)
	if raw, ok := in["environment"]; ok {
		s.Environment = environment(raw, s.Environment, faults)
	}
}

func (in SettingsInput) isolation(m Manifest, old string, faults *errs.Issues) string {
	raw, ok := in["isolation"]
	if !ok {
		return old
	}
	var value *string
	if json.Unmarshal(raw, &value) != nil {
		faults.Add("isolation", errs.CodeWrongType, "isolation must be a string.")
		return old
	}
	switch {
	case value == nil || *value == IsolationInstance:
		return ""
	case *value != IsolationShared:
		faults.Add("isolation", errs.CodeUnknownValue, "isolation must be %q or %q.", IsolationInstance, IsolationShared)
	case m.RuntimeType != Internal:
		faults.Add("isolation", errs.CodeUnsupported, "isolation is for plugins that stoa runs, not for %s.", m.RuntimeType)
	default:
		return IsolationShared
	}
	return old
}

func (in SettingsInput) boolean(name string, old bool, faults *errs.Issues) bool {
	raw, ok := in[name]
	if !ok {
		return old
	}
	var value bool // null is the default
	if json.Unmarshal(raw, &value) != nil {
		faults.Add(name, errs.CodeWrongType, "%s must be a boolean.", name)
		return old
	}
	return value
}

func number(in SettingsInput, name string, old, least, most int64, faults *errs.Issues) int64 {
	raw, ok := in[name]
	switch {
	case !ok:
		return old
	case string(raw) == "null":
		return 0
	}
	var n float64
	if json.Unmarshal(raw, &n) != nil || n != math.Trunc(n) {
		faults.Add(name, errs.CodeWrongType, "%s must be a whole number.", name)
		return old
	}
	if n < float64(least) || n > float64(most) {
		faults.Add(name, errs.CodeOutOfRange, "%s must be from %d to %d.", name, least, most)
		return old
	}
	return int64(n)
}

// environment merges the variables that a client sent into the present ones. null
// removes a variable, and null for all of them removes all.
func environment(raw json.RawMessage, old map[string]string, faults *errs.Issues) map[string]string {
	if string(raw) == "null" {
		return nil
	}
	var sent map[string]json.RawMessage
	if json.Unmarshal(raw, &sent) != nil {
		faults.Add("environment", errs.CodeWrongType, "environment must be an object of texts, or null to remove a name.")
		return old
	}
	merged := maps.Clone(old)
	if merged == nil {
		merged = make(map[string]string)
	}
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		var value *string
		path := fmt.Sprintf("environment.%.80s", name)
		switch {
		case !variableRE.MatchString(name):
			faults.Add(path, errs.CodeInvalid, "environment: the name %.80q must match %s.", name, variableRE)
		case json.Unmarshal(sent[name], &value) != nil:
			faults.Add(path, errs.CodeWrongType, "%s must be a string, or null to remove it.", path)
		case value != nil && strings.ContainsRune(*value, 0): // no process can be given it
			faults.Add(path, errs.CodeOutOfRange, "%s must not contain a NUL character.", path)
		case value == nil:
			delete(merged, name)
		default:
			merged[name] = *value
		}
	}
	size := 0
	for name, value := range merged {
		size += len(name) + len(value)
	}
	if len(merged) > maxVariables || size > maxEnvironmentSize {
		faults.Add("environment", errs.CodeOutOfRange, "environment may have %d names and %d bytes.", maxVariables,
			maxEnvironmentSize)
	}
	return merged
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
		if err := faults.Err(); err != nil {
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

package plugin

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/base/errs"
)

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
	if m.RuntimeType == Internal {
		in.applyToProcess(s, faults)
		return
	}
	for _, name := range []string{"keepRunning", "startTimeoutMs", "memoryMb", "environment"} {
		raw, ok := in[name]
		if ok && !(SettingsInput{name: raw}).isAsShown(*s) {
			faults.Add(name, errs.CodeUnsupported, "%s is for plugins that stoa runs, not for %s.", name, m.RuntimeType)
		}
	}
}

// isAsShown reports whether the input is what a GET shows of s: whoever reads the settings may send
// them back.
func (in SettingsInput) isAsShown(s Settings) bool {
	next, faults := s, errs.Issues{}
	in.applyToProcess(&next, &faults)
	return faults.Err() == nil && len(s.changes(next)) == 0
}

// applyToProcess is apply for what concerns the processes of a plugin that stoa runs.
func (in SettingsInput) applyToProcess(s *Settings, faults *errs.Issues) {
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
// removes a variable, and null for all of them removes all. A list of the present names, as a GET
// shows it, changes nothing.
func environment(raw json.RawMessage, old map[string]string, faults *errs.Issues) map[string]string {
	if string(raw) == "null" {
		return nil
	}
	var shown []string
	if json.Unmarshal(raw, &shown) == nil &&
		slices.Equal(slices.Sorted(slices.Values(shown)), slices.Sorted(maps.Keys(old))) {
		return old
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

package plugin

import (
	"encoding/json"
	"regexp"
	"slices"

	"stoa/internal/base/errs"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
)

var keyRE = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// Input is the state that a client asks for, field by field as it was sent, so that
// every fault can be named at once. A field that is nil or null is absent, except
// that a Config of null removes the config.
type Input struct {
	// ID is the installation id that a new instance gets; empty for a random one.
	// Clients do not choose it.
	ID string

	Key     json.RawMessage // only for a new instance
	Enabled json.RawMessage
	Config  json.RawMessage
	Granted json.RawMessage

	Faults []errs.Issue // found when the request was read
}

// object reads the fields, except the config, whose messages are its own.
func (in Input) object(faults *errs.Issues) manifest.Object {
	return manifest.Object{Faults: faults, Fields: map[string]json.RawMessage{
		"instanceKey": in.Key, "enabled": in.Enabled, "grantedPermissions": in.Granted,
	}}
}

// key reads the key of a new instance.
func (in Input) key(faults *errs.Issues) string {
	var key string
	o := in.object(faults)
	if _, ok := o.Get("instanceKey"); !ok || o.Into("instanceKey", "a string", &key) && key == "" {
		o.Fault("instanceKey", errs.CodeRequired, "is required.")
	} else if key != "" && !keyRE.MatchString(key) {
		o.Fault("instanceKey", manifest.PatternCode(key, 1, maxKey), "must match %s.", keyRE)
	}
	return key
}

// apply changes inst, of a package with manifest m, as the input asks for, and adds
// every fault. With a fault inst must not be stored.
func (in Input) apply(m Manifest, inst *Instance, faults *errs.Issues) {
	faults.Append(in.Faults...)
	in.object(faults).Into("enabled", "a boolean", &inst.Enabled)
	in.applyConfig(m, inst, faults)
	in.applyGranted(m, inst, faults)
}

// applyConfig sets the config. An enabled instance must have all required fields;
// a disabled one may lack some while it is being set up.
func (in Input) applyConfig(m Manifest, inst *Instance, faults *errs.Issues) {
	values, _ := config.Decode(inst.Config)
	if in.Config != nil {
		wanted, ok := config.Decode(in.Config)
		if !ok {
			faults.Append(config.NotObject("config"))
			return
		}
		wanted.KeepSecrets(values, m.ConfigSchema)
		wanted.Check("config", m.ConfigSchema, faults)
		values, inst.Config = wanted, wanted.Encode()
	}
	if !inst.Enabled {
		return
	}
	for _, name := range values.Missing(m.ConfigSchema) {
		faults.Add("config."+name, errs.CodeRequired, "config.%s is required while the instance is enabled.", name)
	}
}

// applyGranted sets the granted permissions, once each and in the order given.
func (in Input) applyGranted(m Manifest, inst *Instance, faults *errs.Issues) {
	body := in.object(faults)
	if _, ok := body.Get("grantedPermissions"); !ok {
		return
	}
	granted := make([]string, 0, len(m.Permissions))
	for _, p := range body.Texts("grantedPermissions") {
		switch {
		case !slices.Contains(m.Permissions, p):
			body.Fault("grantedPermissions", errs.CodeUnknownValue,
				"must hold only permissions that the plugin declares, not %.140q.", p)
		case !slices.Contains(granted, p):
			granted = append(granted, p)
		}
	}
	inst.Granted = granted
}

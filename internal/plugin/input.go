package plugin

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/google/uuid"

	"stoa/internal/errs"
)

var keyRE = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// Input is what a client wants an instance to be, field by field as it was sent,
// so that every fault in it can be named at once. A field that is nil or null is
// absent, except that a Config of null asks for no config.
type Input struct {
	// ID is the installation id that a new instance shall have; empty: any. It is
	// not the client's to choose.
	ID string

	Key     json.RawMessage // only for a new instance
	Enabled json.RawMessage
	Config  json.RawMessage
	Granted json.RawMessage
}

// InstallationID returns the installation id that belongs to a seed: the same each
// time, and another for each seed. An empty seed has none.
func InstallationID(seed string) string {
	if seed == "" {
		return ""
	}
	return uuid.NewSHA1(installationSpace, []byte(seed)).String()
}

// installationSpace keeps ids made from seeds apart from any other UUIDs that are
// made from names. It must never change.
var installationSpace = uuid.MustParse("0b6f2f0e-5d0c-4c53-9d67-6f6a1f8f2a51")

func absent(raw json.RawMessage) bool { return firstByte(raw) == 0 || firstByte(raw) == 'n' }

// key reads the key of a new instance.
func (in Input) key(faults *errs.Issues) string {
	var key string
	switch {
	case absent(in.Key):
		faults.Add("instanceKey", errs.CodeRequired, "instanceKey is required.")
	case json.Unmarshal(in.Key, &key) != nil:
		faults.Add("instanceKey", errs.CodeWrongType, "instanceKey must be a string.")
	case !keyRE.MatchString(key):
		faults.Add("instanceKey", errs.CodeInvalid, "instanceKey must match %s.", keyRE)
	}
	return key
}

// apply changes inst as the input asks for, of a package with manifest m, and
// appends every fault. A fault leaves inst in a state that is not to be stored.
func (in Input) apply(m Manifest, inst *Instance, faults *errs.Issues) {
	if !absent(in.Enabled) && json.Unmarshal(in.Enabled, &inst.Enabled) != nil {
		faults.Add("enabled", errs.CodeWrongType, "enabled must be a boolean.")
	}
	in.applyConfig(m, inst, faults)
	in.applyGranted(m, inst, faults)
}

// applyConfig sets the config, and refuses to have an instance enabled that
// lacks required fields. A disabled one may lack them: it is being set up.
func (in Input) applyConfig(m Manifest, inst *Instance, faults *errs.Issues) {
	config, _ := decodeConfig(inst.Config)
	if in.Config != nil {
		wanted, ok := decodeConfig(in.Config)
		if !ok {
			faults.Append(issueNotObject)
			return
		}
		wanted.keepSecrets(config, m.ConfigSchema)
		wanted.check(m.ConfigSchema, faults)
		config, inst.Config = wanted, wanted.encode()
	}
	if !inst.Enabled {
		return
	}
	for _, name := range config.missing(m.ConfigSchema) {
		faults.Add("config."+name, errs.CodeRequired, "config.%s is required while the instance is enabled.", name)
	}
}

// applyGranted sets the granted permissions, once each and in the order given.
func (in Input) applyGranted(m Manifest, inst *Instance, faults *errs.Issues) {
	if absent(in.Granted) {
		return
	}
	body := object{fields: map[string]json.RawMessage{"grantedPermissions": in.Granted}, faults: faults}
	granted := make([]string, 0, len(m.Permissions))
	for _, p := range body.texts("grantedPermissions") {
		switch {
		case !slices.Contains(m.Permissions, p):
			body.fault("grantedPermissions", codeUnknown, "must hold only permissions that the plugin declares, not %.140q.", p)
		case !slices.Contains(granted, p):
			granted = append(granted, p)
		}
	}
	inst.Granted = granted
}

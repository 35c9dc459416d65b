package config

import (
	"maps"
	"slices"

	"stoa/internal/errs"
	"stoa/internal/extension/manifest"
)

// Schema describes the keys of a config (spec B, Manifest: configSchema). A config may
// have others.
type Schema map[string]Field

// Field describes one key of a config.
type Field struct {
	Type        string `json:"type"`
	Label       string `json:"label"`
	Required    bool   `json:"required"`
	Secret      bool   `json:"secret"`
	Description string `json:"description"`
}

// IsSecret reports whether the field's value is write-only: declared as type
// "secret" or flagged so.
func (f Field) IsSecret() bool { return f.Secret || f.Type == "secret" }

// ParseSchema reads the field name of a manifest.
func ParseSchema(o manifest.Object, name string) Schema {
	c, ok := o.Child(name)
	if !ok {
		return nil
	}
	schema := make(Schema, len(c.Fields))
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		f, ok := c.Nested(name, c.Fields[name])
		if !ok {
			continue
		}
		field := Field{Required: f.Flag("required"), Secret: f.Flag("secret")}
		if f.Flag("sensitive") { // means the same (CONTRACT 4)
			field.Secret = true
		}
		field.Label, _ = f.Text("label")
		field.Description, _ = f.Text("description")
		if field.Type, ok = f.Require("type"); ok && field.Type == "password" {
			f.Fault("type", errs.CodeInvalid, `must be "secret" for a secret field; "password" is not accepted.`)
		}
		schema[name] = field
	}
	return schema
}

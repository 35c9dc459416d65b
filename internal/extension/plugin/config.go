package plugin

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"stoa/internal/base/redact"
	"stoa/internal/extension/config"
)

// PublicConfig returns an instance's config with every secret value replaced by "",
// or nil without a config. configured says for each secret field of the schema
// whether it has a value.
func (in Installed) PublicConfig() (public json.RawMessage, configured map[string]bool) {
	return config.Public(in.Instance.Config, in.Package.Manifest.ConfigSchema)
}

// SecretTexts returns what must appear in no log and no message, for redact.Secrets: the values
// of the environment and of the config's secret fields, and the config as the gateway sends it
// (x-plugin-config).
func (in Installed) SecretTexts() []string {
	var secrets []string
	for _, value := range in.Package.Settings.Environment {
		if len(value) >= redact.Shortest {
			secrets = append(secrets, value)
		}
	}
	values, _ := config.Decode(in.Instance.Config)
	if len(values) == 0 {
		return secrets
	}
	for name, field := range in.Package.Manifest.ConfigSchema {
		if value, ok := values[name].(string); ok && field.IsSecret() && len(value) >= redact.Shortest {
			secrets = append(secrets, value)
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, in.Instance.Config) == nil {
		secrets = append(secrets, base64.RawURLEncoding.EncodeToString(compact.Bytes()))
	}
	return secrets
}

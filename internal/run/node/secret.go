package node

import (
	"bytes"
	"encoding/base64"
	"encoding/json"

	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
)

// secretsOf returns what must not appear in a log: the values of the environment and of
// the config's secret fields, and the config as the gateway sends it (x-plugin-config).
func secretsOf(in plugin.Installed) []string {
	var secrets []string
	for _, value := range in.Package.Settings.Environment {
		if len(value) >= child.ShortestSecret {
			secrets = append(secrets, value)
		}
	}
	var config map[string]any
	if json.Unmarshal(in.Instance.Config, &config) != nil || len(config) == 0 {
		return secrets // no config
	}
	for name, field := range in.Package.Manifest.ConfigSchema {
		if value, ok := config[name].(string); ok && field.IsSecret() && len(value) >= child.ShortestSecret {
			secrets = append(secrets, value)
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, in.Instance.Config) == nil {
		secrets = append(secrets, base64.RawURLEncoding.EncodeToString(compact.Bytes()))
	}
	return secrets
}

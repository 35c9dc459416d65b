package plugin

import (
	"encoding/json"

	"stoa/internal/extension/config"
)

// PublicConfig returns an instance's config with every secret value replaced by "",
// or nil without a config. configured says for each secret field of the schema
// whether it has a value.
func (in Installed) PublicConfig() (public json.RawMessage, configured map[string]bool) {
	return config.Public(in.Instance.Config, in.Package.Manifest.ConfigSchema)
}

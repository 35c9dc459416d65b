package plugin

import "encoding/json"

// Manifest is the content of manifest.json (spec B, Manifest). Unknown fields
// are kept in Raw.
type Manifest struct {
	SchemaVersion   int                    `json:"schemaVersion"`
	Slug            string                 `json:"slug"`
	Name            string                 `json:"name"`
	Version         string                 `json:"version"`
	SDKVersion      string                 `json:"sdkVersion"`
	Author          string                 `json:"author"`
	AuthorURL       string                 `json:"authorUrl"`
	Description     string                 `json:"description"`
	Category        string                 `json:"category"`
	RuntimeType     RuntimeType            `json:"runtimeType"`
	ExternalBaseURL string                 `json:"externalBaseUrl"`
	EntryModule     string                 `json:"entryModule"`
	Permissions     []string               `json:"permissions"`
	Capabilities    []string               `json:"capabilities"`
	Lifecycle       map[string]bool        `json:"lifecycle"`
	ConfigSchema    map[string]ConfigField `json:"configSchema"`

	// RoutePermissions state which permission a route needs (CONTRACT 5).
	RoutePermissions []RoutePermission `json:"routePermissions"`

	// Raw is the manifest as it was in the archive.
	Raw json.RawMessage `json:"-"`
}

// ConfigField describes one key of an instance's config.
type ConfigField struct {
	Type        string `json:"type"`
	Label       string `json:"label"`
	Required    bool   `json:"required"`
	Secret      bool   `json:"secret"`
	Description string `json:"description"`
}

// IsSecret reports whether the field's value is write-only: declared as type
// "secret" or flagged so.
func (f ConfigField) IsSecret() bool { return f.Secret || f.Type == "secret" }

// RoutePermission says that calls of Method to Path need Permission.
type RoutePermission struct {
	Method     string `json:"method"`
	Path       string `json:"path"`
	Permission string `json:"permission"`
}

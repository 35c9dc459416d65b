package plugin

import (
	"encoding/json"
	"fmt"

	"stoa/internal/extension/config"
)

// Manifest is the content of manifest.json (contract 4.3). Unknown fields
// are kept in Raw. A Manifest is shared between readers: never change one.
type Manifest struct {
	SchemaVersion   int             `json:"schemaVersion"`
	Slug            string          `json:"slug"`
	Name            string          `json:"name"`
	Version         string          `json:"version"`
	SDKVersion      string          `json:"sdkVersion"`
	MinPlatform     string          `json:"-"` // the lowest version of stoa on which it works; empty: any
	Author          string          `json:"author"`
	AuthorURL       string          `json:"authorUrl"`
	Description     string          `json:"description"`
	Category        string          `json:"category"`
	RuntimeType     RuntimeType     `json:"runtimeType"`
	ExternalBaseURL string          `json:"externalBaseUrl"`
	EntryModule     string          `json:"entryModule"`
	Permissions     []string        `json:"permissions"`
	Capabilities    []string        `json:"capabilities"`
	Lifecycle       map[string]bool `json:"lifecycle"`
	ConfigSchema    config.Schema   `json:"configSchema"`

	// ThemeExtensions are checked on install and kept for a theme runtime.
	ThemeExtensions ThemeExtensions `json:"themeExtensions"`

	// RoutePermissions state which permission a route needs (contract 4.11).
	RoutePermissions []RoutePermission `json:"routePermissions"`

	// Events say which events the plugin subscribes to (contract 7.5).
	Events Events `json:"events"`

	// Export says that the plugin answers what it knows about a user (contract 2.33).
	Export bool `json:"export"`

	// Raw is the manifest as it was in the archive.
	Raw json.RawMessage `json:"-"`
}

// RoutePermission says that calls of Method to Path need Permission.
type RoutePermission struct {
	Method     string `json:"method"`
	Path       string `json:"path"`
	Permission string `json:"permission"`
}

// DecodeManifest reads a manifest from the database, which ParseManifest accepted
// when it was installed.
func DecodeManifest(raw []byte) (Manifest, error) {
	// The same parser, because another might read it differently. Its faults are
	// ignored: rules may have become stricter since, and what is installed keeps
	// running.
	m, err := ParseManifest(raw, func(string) bool { return true })
	if m.Raw == nil {
		return Manifest{}, fmt.Errorf("plugin: stored manifest: %w", err)
	}
	return m, nil
}

// Package extension serves the management of extensions: installing and removing
// packages, their signing secrets, and the instances of plugins. Its rules are
// those of packages plugin, theme and extension/install.
package extension

import (
	"stoa/internal/extension/install"
	"stoa/internal/httpapi/keyed"
	"stoa/internal/plugin"
	"stoa/internal/theme"
)

// Handlers serve the management of extensions. All fields are required.
type Handlers struct {
	Plugins   *plugin.Service
	Themes    *theme.Service
	Installer *install.Installer
	Keyed     keyed.Requests
}

// Package extension serves the management of extensions: installing and removing
// packages, their signing secrets, and the instances of plugins. Its rules are
// those of packages plugin and plugin/install.
package extension

import (
	"stoa/internal/httpapi/keyed"
	"stoa/internal/plugin"
	"stoa/internal/plugin/install"
)

// Handlers serve the management of extensions. All fields are required.
type Handlers struct {
	Plugins   *plugin.Service
	Installer *install.Installer
	Keyed     keyed.Requests
}

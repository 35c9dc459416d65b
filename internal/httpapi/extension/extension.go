// Package extension serves the management of extensions: installing and removing
// packages, uploaded or from the market, their signing secrets, and the instances of
// plugins. Its rules are those of packages plugin, theme, bundle and
// extension/install.
package extension

import (
	"time"

	"stoa/internal/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/hook"
	"stoa/internal/httpapi/keyed"
	"stoa/internal/market/release"
	"stoa/internal/plugin"
	"stoa/internal/theme"
	"stoa/internal/traffic"
)

// Handlers serve the management of extensions. All fields are required.
type Handlers struct {
	Plugins   *plugin.Service
	Themes    *theme.Service
	Bundles   *bundle.Service
	Installer *install.Installer
	Releases  *release.Service
	Keyed     keyed.Requests
	Hooks     *hook.Log
	Traffic   *traffic.Book
	Now       func() time.Time
}

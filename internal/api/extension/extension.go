// Package extension serves the management of extensions: installing and removing
// packages, uploaded or from the market, their signing secrets, and the instances of
// plugins. Its rules are those of packages plugin, theme, bundle and
// extension/install.
package extension

import (
	"time"

	"stoa/internal/api/keyed"
	"stoa/internal/extension/bundle"
	"stoa/internal/extension/install"
	"stoa/internal/extension/plugin"
	"stoa/internal/extension/theme"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/operation"
	"stoa/internal/market/remote"
	"stoa/internal/run/hook"
	"stoa/internal/run/traffic"
	"stoa/internal/shop/release"
)

// Handlers serve the management of extensions. All fields are required.
type Handlers struct {
	Plugins   *plugin.Service
	Themes    *theme.Service
	Bundles   *bundle.Service
	Installer *install.Installer
	Releases  *release.Service
	Markets   *remote.Service
	// Operations are what comes from the markets of other stoas.
	Operations *operation.Service
	Keyed      keyed.Requests
	Hooks      *hook.Log
	Traffic    *traffic.Book
	Now        func() time.Time

	Entitlements *entitlement.Service
}

package settings

import (
	"fmt"
	"net/netip"

	"stoa/internal/extension/sign"
)

// Packages says which packages are accepted, where markets may be, and what external plugins may reach.
type Packages struct {
	ExternalAllow []netip.Prefix
	MarketAllow   []netip.Prefix
	ArchiveTypes  string
	BuiltinDir    string `type:"existingdir"`
}

// Trusted says whose signatures are accepted: for every command that checks some.
type Trusted struct {
	TrustedKeys []string
}

// Keys returns the keys of the publishers.
func (t Trusted) Keys() (sign.Keys, error) {
	keys, err := sign.ParseKeys(t.TrustedKeys)
	if err != nil {
		return nil, fmt.Errorf("--trusted-keys: %w", err)
	}
	return keys, nil
}

// Plugins says how internal plugins run.
type Plugins struct {
	Node            string
	PluginIsolation string
	PluginErrors    string
	Locale          string
}

var pluginRows = []Setting{
	{
		Flag: "external-allow", Env: "STOA_EXTERNAL_ALLOW", Placeholder: "CIDR",
		Help: "Private or loopback networks that external plugins may be in, such as 10.1.0.0/16,...",
	},
	{
		Flag: "market-allow", Env: "STOA_MARKET_ALLOW", Placeholder: "CIDR",
		Help: "Private or loopback networks that markets of other stoas may be in, such as 10.1.0.0/16,... " +
			"Markets on loopback addresses listed here may be without TLS.",
	},
	{
		Flag: "archive-types", Env: "STOA_ARCHIVE_TYPES", Placeholder: "KIND=TYPES",
		Help: "More file types that packages may contain, by kind: plugin=.md,LICENSE;theme-shop=.svg,.png. It holds in " +
			"place of what administrators set in the console. Executables are never allowed.",
	},
	{
		Flag: "builtin-dir", Env: "STOA_BUILTIN_DIR", Placeholder: "DIR",
		Help: "Folder with archives of plugins that every start installs or upgrades, and that cannot be uninstalled.",
	},
	{
		Flag: "trusted-keys", Env: "STOA_TRUSTED_KEYS", Placeholder: "NAME=KEY",
		Help: "Public keys of publishers whose signed packages are accepted: name=key,... with keys as stoa package " +
			"keygen prints them.",
	},
	{
		Flag: "node", Env: "STOA_NODE", Default: "node",
		Help: "Node.js (20.19 or newer) that runs internal plugins.",
	},
	{
		Flag: "plugin-isolation", Env: "STOA_PLUGIN_ISOLATION", Values: "full,basic", Placeholder: "LEVEL",
		Help: "How well the operating system must contain internal plugins: full or basic. They do not run where it is " +
			"less. By default full on Linux, and basic elsewhere and with --demo.",
	},
	{
		Flag: "plugin-errors", Env: "STOA_PLUGIN_ERRORS", Default: "hidden", Values: "hidden,shown",
		Help: "Whether clients see the message of an internal plugin's error: hidden (a fixed text; the log has the " +
			"error) or shown, for development. Shown with --demo.",
	},
	{
		Flag: "locale", Env: "STOA_LOCALE", Default: "en",
		Help: "Locale sent to plugins if the client names none, and the language of pages and mails if neither reader nor " +
			"shop names one.",
	},
}

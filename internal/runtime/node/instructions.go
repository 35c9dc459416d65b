package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"stoa/internal/plugin"
)

// packageFiles returns the real paths of a package's folder and entry module.
func packageFiles(dataDir string, pkg plugin.Package) (dir, entry string, err error) {
	install, module := filepath.FromSlash(pkg.InstallPath), filepath.FromSlash(pkg.Manifest.EntryModule)
	if !filepath.IsLocal(install) || !filepath.IsLocal(module) {
		return "", "", fmt.Errorf("the package's folder %q or entry module %q is not a path inside the data folder", install, module)
	}
	// Without links: the permission flags compare real paths.
	dir, err = filepath.EvalSymlinks(filepath.Join(dataDir, install))
	if err != nil {
		return "", "", fmt.Errorf("the package's files are missing: %w", err)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", "", err
	}
	return dir, filepath.Join(dir, module), nil
}

// instructions returns what the host program reads from its standard input
// (nodehost/src/instructions.js).
func (p *process) instructions(entry string) (io.Reader, error) {
	config := p.in.Instance.Config
	if len(config) == 0 || string(config) == "null" {
		config = json.RawMessage("{}")
	}
	text, err := json.Marshal(map[string]any{
		"entry":     entry,
		"slug":      p.in.Package.Manifest.Slug,
		"version":   p.in.Package.Manifest.Version,
		"config":    config,
		"bodyLimit": p.rt.cfg.BodyLimit,
		"beatMs":    beatInterval(p.rt.cfg.Stall).Milliseconds(),
		// Less than the limit here, so that Fastify can name what it waited for.
		"startTimeoutMs": (p.rt.cfg.StartTimeout * 3 / 4).Milliseconds(),
	})
	if err != nil {
		return nil, fmt.Errorf("node: instructions: %w", err)
	}
	return bytes.NewReader(text), nil
}

// shortestSecret is the length from which a config value is taken out of logs.
// Shorter ones would take ordinary words out, and hide little.
const shortestSecret = 6

// secretsOf returns the values of the config's secret fields.
func secretsOf(in plugin.Installed) []string {
	var config map[string]any
	if json.Unmarshal(in.Instance.Config, &config) != nil {
		return nil // no config
	}
	var secrets []string
	for name, field := range in.Package.Manifest.ConfigSchema {
		if value, ok := config[name].(string); ok && field.IsSecret() && len(value) >= shortestSecret {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// redactor returns a function that takes secrets out of a text: what a plugin
// prints goes to the log, and a careless one prints its config.
func redactor(secrets []string) func(string) string {
	if len(secrets) == 0 {
		return func(s string) string { return s }
	}
	pairs := make([]string, 0, 2*len(secrets))
	for _, s := range secrets {
		pairs = append(pairs, s, "[secret]")
	}
	return strings.NewReplacer(pairs...).Replace
}

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
		return "", "", fmt.Errorf("the package's folder %q or entry module %q is not a path inside the data folder",
			install, module)
	}
	// The permission flags compare real paths, without links.
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
		"root":      strings.TrimSuffix(entry, filepath.FromSlash(p.in.Package.Manifest.EntryModule)),
		"slug":      p.in.Package.Manifest.Slug,
		"version":   p.in.Package.Manifest.Version,
		"config":    config,
		"bodyLimit": p.rt.cfg.BodyLimit,
		"secret":    p.secret,
		"beatMs":    beatInterval(p.rt.cfg.Stall).Milliseconds(),
		// Less than the limit here, so that Fastify can say what it waited for.
		"startTimeoutMs": (p.in.Package.Settings.StartTimeout(p.rt.cfg.StartTimeout) * 3 / 4).Milliseconds(),
		"development":    p.rt.cfg.Development,
		"until":          p.until,
		// Not in the environment of the process, which can be read in /proc.
		"environment": p.in.Package.Settings.Environment,
	})
	if err != nil {
		return nil, fmt.Errorf("node: instructions: %w", err)
	}
	return bytes.NewReader(text), nil
}

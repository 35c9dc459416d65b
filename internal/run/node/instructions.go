package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/run/child"
)

// packageFiles returns the real paths of a package's folder and entry module.
func packageFiles(dataDir string, pkg plugin.Package) (dir, entry string, err error) {
	return child.RealPaths(dataDir, pkg.InstallPath, pkg.Manifest.EntryModule)
}

// fetch makes sure that the files of a package are in the data folder.
func (rt *Runtime) fetch(pkg plugin.Package) error {
	if rt.cfg.Fetch == nil {
		return nil
	}
	return rt.cfg.Fetch(rt.alive, pkg)
}

// instructions returns what the host program reads from its standard input
// (nodehost/src/instructions.js).
func (p *process) instructions(entry string) (io.Reader, error) {
	fields := p.rt.commonInstructions(p.in, entry, p.kept)
	fields["config"], fields["secret"], fields["until"] = configOf(p.in), p.secret, p.until
	fields["installationId"] = p.in.Instance.ID
	environment, _ := fields["environment"].(map[string]string)
	environment[installationVariable] = p.in.Instance.ID
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("node: instructions: %w", err)
	}
	return bytes.NewReader(text), nil
}

// Variables of stoa's own in the environment of a plugin.
const (
	// keptVariable is in that of a process that is kept running: the plugin then does its
	// scheduled work.
	keptVariable = "STOA_KEPT"
	// platformVariable has the address that x-platform-api-base-url has in calls.
	platformVariable = "STOA_PLATFORM_URL"
	// installationVariable is not in that of a process that instances share.
	installationVariable = "STOA_INSTALLATION_ID"
)

// environmentOf returns the variables that hold for each instance of the package of in.
func (rt *Runtime) environmentOf(in plugin.Installed, kept bool) map[string]string {
	all := make(map[string]string, len(in.Package.Settings.Environment)+3)
	maps.Copy(all, in.Package.Settings.Environment)
	delete(all, keptVariable)
	delete(all, installationVariable)
	if kept {
		all[keptVariable] = "1"
	}
	delete(all, platformVariable)
	if url := rt.platformURL(); url != "" {
		all[platformVariable] = url
	}
	return all
}

// platformURL returns the base URL at which plugins call the platform.
func (rt *Runtime) platformURL() string {
	if rt.cfg.Egress == nil {
		return ""
	}
	return rt.cfg.Egress.BaseURL()
}

// commonInstructions are those that hold for each instance of the package.
func (rt *Runtime) commonInstructions(in plugin.Installed, entry string, kept bool) map[string]any {
	return map[string]any{
		"entry":          entry,
		"root":           strings.TrimSuffix(entry, filepath.FromSlash(in.Package.Manifest.EntryModule)),
		"slug":           in.Package.Manifest.Slug,
		"version":        in.Package.Manifest.Version,
		"bodyLimit":      rt.cfg.BodyLimit,
		"beatMs":         child.BeatInterval(rt.cfg.Stall).Milliseconds(),
		"tidyMs":         rt.cfg.Tidy.Milliseconds(),
		"startTimeoutMs": rt.startTimeout(in).Milliseconds(),
		"development":    rt.cfg.Development,
		// Not in the environment of the process, which can be read in /proc.
		"environment": rt.environmentOf(in, kept),
		"platformURL": rt.platformURL(),
	}
}

// startMargin is how much longer than its limit a start is waited for: the host counts
// from the moment it calls the plugin, and can then say what it waited for.
const startMargin = 2 * time.Second

// startTimeout returns how long the plugin of in may take to become ready.
func (rt *Runtime) startTimeout(in plugin.Installed) time.Duration {
	return in.Package.Settings.StartTimeout(rt.cfg.StartTimeout)
}

// tooLate returns the error for a plugin whose host did not report in time.
func (rt *Runtime) tooLate(in plugin.Installed) error {
	return &startError{reasonLoadFailed, fmt.Errorf("the plugin %s was not ready within %s",
		in.Package.Manifest.Slug, rt.startTimeout(in))}
}

func configOf(in plugin.Installed) json.RawMessage {
	if config := in.Instance.Config; len(config) > 0 && string(config) != "null" {
		return config
	}
	return json.RawMessage("{}")
}

package main

import (
	"fmt"
	"runtime/debug"
	"sync"

	httpapi "stoa/internal/api"
	"stoa/internal/app"
)

// release is the version of this binary: the last release, such as 1.2.3, and 1.2.3+dev from the
// commit after it on. scripts/release replaces dev with the commit.
var release = "0.1.0+dev"

// commit and date are set by the linker for builds without Go's own record of the
// commit (-buildvcs=false, a git worktree).
var commit, date string

func version() string { return release }

// build returns what this binary was built from.
var build = sync.OnceValue(func() httpapi.Build {
	b := httpapi.Build{Version: release, Commit: commit, Date: date}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	var stamp struct{ commit, date, modified string }
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			stamp.commit = s.Value
		case "vcs.time":
			stamp.date = s.Value
		case "vcs.modified":
			stamp.modified = s.Value
		}
	}
	if stamp.commit != "" {
		b.Commit, b.Date = stamp.commit, stamp.date
		if stamp.modified == "true" {
			b.Commit += "+changes"
		}
	}
	return b
})

// stamp sets in cfg what this binary is.
func stamp(cfg *app.Config) {
	cfg.Version, cfg.Commit, cfg.CommitDate = version(), build().Commit, build().Date
}

type versionCmd struct{}

// Run prints the version, the commit it was built from with its date, and the Go
// release.
func (versionCmd) Run(std streams) error {
	b := build()
	line := "stoa " + b.Version
	if b.Commit != "" {
		line += " (commit " + b.Commit + ", " + b.Date + ")"
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		line += " " + info.GoVersion
	}
	_, err := fmt.Fprintln(std.out, line)
	return err
}

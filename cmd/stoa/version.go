package main

import (
	"fmt"
	"runtime/debug"
)

// release is the version of this binary, set by the linker for a release:
// go build -ldflags "-X main.release=1.2.3".
var release = "0.1.0-dev"

func version() string { return release }

type versionCmd struct{}

// Run prints the version, the commit it was built from and the Go release.
func (versionCmd) Run(std streams) error {
	line := "stoa " + version()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				line += " (" + s.Value[:12] + ")"
			}
		}
		line += " " + info.GoVersion
	}
	_, err := fmt.Fprintln(std.out, line)
	return err
}

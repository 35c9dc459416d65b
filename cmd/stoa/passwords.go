package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"stoa/internal/account/breached"
)

type passwordsCmd struct {
	Build passwordsBuildCmd `cmd:"" help:"Build a filter file for STOA_BREACHED_PASSWORDS of a list of leaked passwords (docs/operating.md)."`
}

type passwordsBuildCmd struct {
	From     string `type:"path"`
	MinCount int
	Out      string `type:"path"`
}

// Run writes the filter file whole or not at all: a running stoa may have mapped the one before it.
func (c passwordsBuildCmd) Run(std streams) error {
	from, err := os.Open(c.From)
	if err != nil {
		return err
	}
	defer from.Close()
	out, err := os.CreateTemp(filepath.Dir(c.Out), ".tmp-*")
	if err != nil {
		return err
	}
	n, err := breached.Build(out, breached.Hashes(from, c.MinCount))
	if err != nil {
		err = fmt.Errorf("%s: %w", c.From, err)
	}
	// What leaked is no secret, and stoa may run as another user.
	if err = errors.Join(err, out.Chmod(0o644), out.Sync(), out.Close()); err == nil {
		err = os.Rename(out.Name(), c.Out)
	}
	if err != nil {
		return errors.Join(err, os.Remove(out.Name()))
	}
	fmt.Fprintf(std.out, "%d passwords\n", n)
	return nil
}

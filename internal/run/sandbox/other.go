//go:build !linux

package sandbox

import (
	"errors"
	"net"
	"os/exec"
)

func supported(Part) error { return errors.New("only Linux has it") }

// Contain does nothing here: no part is supported.
func (b *Box) Contain(*exec.Cmd, Spec) (*Contained, error) { return &Contained{}, nil }

// Listeners returns none here.
func (c *Contained) Listeners() ([]net.Listener, error) { return nil, nil }

// Close does nothing here.
func (c *Contained) Close() {}

// Groups are not supported here.
type Groups struct{}

// OwnGroups fails here.
func OwnGroups() (*Groups, error) { return nil, errors.New("only Linux has it") }

// Close does nothing here.
func (g *Groups) Close() {}

type group struct{}

func (g *group) outOfMemory() bool { return false }

func (g *group) close() {}

//go:build !unix

package password

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func lowerPriority() {}

func pollable(f *os.File) *os.File { return f }

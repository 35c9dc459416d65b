//go:build !linux

package child

import (
	"errors"
	"os"
	"time"
)

var errNoProc = errors.New("node: only Linux has this")

type statFile struct{ *os.File }

func openStat(int) (statFile, error) { return statFile{}, errNoProc }

func (statFile) resident() (int64, error) { return 0, errNoProc }

type scratch struct{}

func openScratch(int) scratch { return scratch{} }

func (scratch) used() int64 { return 0 }

func (scratch) close() {}

func processorTime(int) (time.Duration, error) { return 0, errNoProc }

func confine(int, bool) bool { return false }

package breached

import (
	"embed"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
)

// The values of STOA_BREACHED_PASSWORDS that are not the path of a file.
const (
	Off      = "off"     // nobody is refused a password; the list in the binary tells
	InBinary = "builtin" // passwords in the list in the binary are refused
)

// dist holds the filter of common passwords, or only a README if it was not built.
//
//go:embed all:dist
var dist embed.FS

// ErrNotBuilt says that this binary has no list.
var ErrNotBuilt = errors.New("this stoa was built without its list of passwords: run make build, or name a filter file")

// Open returns the list that a setting names: Off (or empty), InBinary, or the path of a file of Build. An error
// names the file, or is ErrNotBuilt.
func Open(setting string) (*List, error) {
	switch setting {
	case "", Off:
		l, err := Builtin()
		if errors.Is(err, ErrNotBuilt) {
			err = nil
		}
		return l, err
	case InBinary:
		return Builtin()
	}
	return openFile(setting)
}

// Builtin returns the list in the binary, or ErrNotBuilt.
func Builtin() (*List, error) {
	file, err := dist.ReadFile("dist/common.filter")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotBuilt
	} else if err != nil {
		return nil, fmt.Errorf("breached: %w", err)
	}
	l, err := parse(file, crc32.Checksum(file[min(headSize, len(file)):], castagnoli))
	if err != nil {
		return nil, fmt.Errorf("breached: the list in the binary: %w", err)
	}
	l.anyCase = true
	return l, nil
}

// openFile returns the list in a file. The file stays open for as long as the process lives; it is replaced,
// never rewritten.
func openFile(name string) (*List, error) {
	f, err := os.Open(name) //nolint:gosec // the operator's own choice
	if err != nil {
		return nil, err // it names the file
	}
	defer f.Close()
	l, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return l, nil
}

func read(f *os.File) (*List, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() < headSize {
		return nil, errBroken
	}
	// Read, not mapped: the sum needs every byte once, and a file may have gigabytes.
	sum := crc32.New(castagnoli)
	body := io.NewSectionReader(f, headSize, info.Size()-headSize)
	if _, err := io.Copy(sum, body); err != nil {
		return nil, err
	}
	file, err := mapped(f, info.Size())
	if err != nil {
		return nil, err
	}
	return parse(file, sum.Sum32())
}

package install

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenFile opens a file of the extension with files at place, by its slash-separated
// name in the package. The caller closes it. The error is fs.ErrNotExist for anything
// that is not a regular file in there, or a link to one.
func (in *Installer) OpenFile(place, name string) (*os.File, error) {
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	if place == "" || !fs.ValidPath(place) || !fs.ValidPath(name) {
		return nil, missing
	}
	root, err := os.OpenRoot(filepath.Join(in.DataDir, filepath.FromSlash(place)))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Before it is opened: opening a named pipe waits for somebody to write to it.
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return nil, missing // a path through a file or out of the folder is one of these, too
	}
	file, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	return file, nil
}

package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// OpenFile opens a file of an installed extension by its slash-separated name in the package.
// The caller closes it. The error is fs.ErrNotExist for anything that is not a regular file in
// there, or a link to one; with storage also that of Fetch.
func (in *Installer) OpenFile(ctx context.Context, ref Ref, name string) (*os.File, error) {
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	if ref.Path == "" || !fs.ValidPath(ref.Path) || !fs.ValidPath(name) {
		return nil, missing
	}
	folder := filepath.Join(in.DataDir, filepath.FromSlash(ref.Path))
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		if err := in.Fetch(ctx, ref); errors.Is(err, ErrNoArchive) {
			return nil, missing
		} else if err != nil {
			return nil, err
		}
		root, err = os.OpenRoot(folder)
	}
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

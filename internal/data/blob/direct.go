package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"time"
)

// Direct is files like Files, but in one place only: in a folder, or in a Store without a copy in a folder. So a file
// that one process removes is gone, however many replicas have read it. It is safe for concurrent use, also across
// processes.
type Direct struct {
	files  Files   // of a Store, without a folder
	folder *Folder // that Store, if it is a folder
}

// OpenDirect returns the files in remote, under keys that begin with prefix, or in dir if remote is nil. The caller
// closes them. What Files left in dir stays there; see Clear.
func OpenDirect(dir string, remote Store, prefix string) (*Direct, error) {
	if remote != nil {
		return &Direct{files: Files{remote: remote, prefix: prefix}}, nil
	}
	folder, err := OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	crashed := Files{root: folder.root}
	if err := crashed.removeLeftovers(time.Now().Add(-leftoverAfter)); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return &Direct{files: Files{remote: folder}, folder: folder}, nil
}

// Close releases the folder, if there is one.
func (d *Direct) Close() error {
	if d.folder == nil {
		return nil
	}
	return d.folder.Close()
}

// Put is Files.Put.
func (d *Direct) Put(ctx context.Context, content []byte, extension string) (string, error) {
	name, hash, err := nameOf(content, extension)
	if err != nil {
		return "", err
	}
	return name, d.files.putRemote(ctx, name, hash, content)
}

// Get is Files.Get, but what it returns is not verified.
func (d *Direct) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	if !validName.MatchString(name) {
		return nil, fs.ErrNotExist
	}
	body, _, err := d.files.remote.Get(ctx, d.files.prefix+name)
	return body, err
}

// Remove is Files.Remove, and nobody keeps a copy.
func (d *Direct) Remove(ctx context.Context, name string) error {
	if !validName.MatchString(name) {
		return fs.ErrNotExist
	}
	return d.files.removeRemote(ctx, name)
}

// List is Files.List.
func (d *Direct) List(ctx context.Context) ([]fs.FileInfo, error) { return d.files.listRemote(ctx) }

// writing matches the names of files that writeFile was writing when a process crashed.
var writing = regexp.MustCompile(`^` + regexp.QuoteMeta(tmpPrefix) + `[A-Z2-7]{26}$`)

// Clear removes from dir, if it exists, what Files puts there. It is for a folder whose files are in a Store now, as
// Direct.
func Clear(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	entries, err := fs.ReadDir(root.FS(), ".")
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() || !validName.MatchString(name) && !writing.MatchString(name) {
			continue
		}
		if gone := root.Remove(name); !errors.Is(gone, fs.ErrNotExist) { // or another process removed it
			err = errors.Join(err, gone)
		}
	}
	if err = errors.Join(err, root.Close()); err != nil {
		return fmt.Errorf("blob: clear: %w", err)
	}
	return nil
}

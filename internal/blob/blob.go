// Package blob stores files on disk, such as product pictures, under a hash of their
// content. So a file never changes, may be cached forever, and is stored once however
// often it is put.
//
// It does not know what the files are for, nor HTTP. Replicas on several machines must
// share the folder.
package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
)

// Files is a folder of files. It is safe for concurrent use, also across processes.
type Files struct {
	root *os.Root
}

// Open returns the files in dir, which it creates if necessary. The caller closes them.
func Open(dir string) (*Files, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return &Files{root: root}, nil
}

// Close releases the folder.
func (f *Files) Close() error { return f.root.Close() }

// validName matches every name: the content's SHA-256 and an extension.
var validName = regexp.MustCompile(`^[0-9a-f]{64}\.[a-z0-9]{1,8}$`)

// Put stores content and returns its name, which ends in the extension ("svg"). Once it
// has returned, the file survives a power cut. Putting the same content again changes
// nothing.
func (f *Files) Put(_ context.Context, content []byte, extension string) (string, error) {
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:]) + "." + extension
	if !validName.MatchString(name) {
		return "", fmt.Errorf("blob: %q is not an extension", extension)
	}
	if info, err := f.root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(content)) {
		return name, nil
	}
	if err := f.write(name, content); err != nil {
		return "", fmt.Errorf("blob: put: %w", err)
	}
	return name, nil
}

// write creates the file completely or not at all.
func (f *Files) write(name string, content []byte) error {
	tmp := ".tmp-" + rand.Text()
	file, err := f.root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = f.root.Rename(tmp, name)
	}
	if err != nil {
		return errors.Join(err, f.root.Remove(tmp))
	}
	dir, err := f.root.Open(".") // makes the rename durable
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Get opens the file with that name. The caller closes it. It returns fs.ErrNotExist if
// there is none, and for a name that Put never returns.
func (f *Files) Get(_ context.Context, name string) (*os.File, error) {
	if !validName.MatchString(name) {
		return nil, fs.ErrNotExist
	}
	return f.root.Open(name)
}

// List returns the files that Put stored, in no particular order. A file's time is that of
// its first Put.
func (f *Files) List(ctx context.Context) ([]fs.FileInfo, error) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, fmt.Errorf("blob: list: %w", err)
	}
	var files []fs.FileInfo
	for _, entry := range entries {
		if !validName.MatchString(entry.Name()) || !entry.Type().IsRegular() {
			continue
		}
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since
		} else if err != nil {
			return nil, fmt.Errorf("blob: list: %w", err)
		}
		files = append(files, info)
	}
	return files, ctx.Err()
}

// Package blob keeps files on disk under names made of their content: product
// pictures and the like. A name tells what is in the file, so a file never
// changes, may be cached for ever, and is stored once however often it is put.
//
// It knows nothing about what the files are for, and nothing about HTTP. On
// several machines the folder has to be a shared one.
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

// Files is a folder of files. It is safe for concurrent use, also by several
// processes.
type Files struct {
	root *os.Root
}

// Open returns the files in dir, which is made if it does not exist. The caller
// closes it.
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

// validName is the form of every name: the SHA-256 of the content, and what the
// content is.
var validName = regexp.MustCompile(`^[0-9a-f]{64}\.[a-z0-9]{1,8}$`)

// Put stores content and returns its name, which ends in the extension ("svg").
// When it returns, the file survives a power cut. Putting the same content again
// changes nothing.
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

// write puts the file in place whole or not at all.
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

// Get returns the file of that name, which the caller closes. It returns
// fs.ErrNotExist for one that is not there, and for every name that Put does not
// give.
func (f *Files) Get(_ context.Context, name string) (*os.File, error) {
	if !validName.MatchString(name) {
		return nil, fs.ErrNotExist
	}
	return f.root.Open(name)
}

// Package datafolder owns the folder with the data of a shop: which database and storage belong to
// it, and who may read it. The last stoa serve wrote its database to the folder, so commands need
// only the folder to find it.
package datafolder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"stoa/internal/operate/settings"
)

// Folder is a data folder, with the settings that locate the rest of the data.
type Folder struct {
	settings.Storage
}

// Prepare creates the data folder if it is missing, and makes it readable by this user only.
func (f Folder) Prepare() error {
	if err := os.MkdirAll(f.Data, 0o700); err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	keepPrivate(f.Data)
	return nil
}

// Private reports whether no other user may read the data folder.
func (f Folder) Private() bool { return keepPrivate(f.Data) }

// ServedPasswordPolicy returns the policy of the last stoa serve, or "" if there is none.
func (f Folder) ServedPasswordPolicy() string {
	if last, err := readServed(f.Data); err == nil && last != nil {
		return last.PasswordPolicy
	}
	return ""
}

// ReplaceFile writes a file whole or not at all.
func ReplaceFile(path string, content io.Reader, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(tmp, content)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

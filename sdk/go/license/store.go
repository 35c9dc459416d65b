package license

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Store keeps the state of a Client: a few kilobytes of text, not secret. The
// lease in it is signed, the rest is not. A user who edits the store can remove
// the latest time seen and set the clock back to the start of the lease, or
// restore an older lease that has not expired.
//
// A Client makes one call to its Store at a time.
type Store interface {
	// Load returns the data saved last, or nil.
	Load() ([]byte, error)

	// Save replaces the data.
	Save(data []byte) error
}

// FileStore is a Store in the file of this name. Its folder must exist.
type FileStore string

var _ Store = FileStore("")

// Load implements Store.
func (f FileStore) Load() ([]byte, error) {
	data, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// Save implements Store. After a crash the file holds the old data or the new.
func (f FileStore) Save(data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(string(f)), filepath.Base(string(f))+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), string(f))
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}

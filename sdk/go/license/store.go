package license

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Store keeps what a Client has to remember: some kilobytes of text. It is no
// secret. The lease in it is signed, what is beside it is not: who can edit the
// store can remove the latest time seen, and then set the clock back as far as
// the lease's beginning, or put an old lease back that has not run out.
//
// A Client calls its Store from one goroutine at a time.
type Store interface {
	// Load returns what was saved last, or nothing.
	Load() ([]byte, error)

	// Save replaces it.
	Save(data []byte) error
}

// FileStore is a Store in a file, whose folder must exist.
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

// Save implements Store. A crash leaves the old content or the new.
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

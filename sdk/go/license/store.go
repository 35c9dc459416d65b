package license

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Store keeps what a Client has to remember: some kilobytes of text. It is no
// secret, and changing it gains nothing but the loss of the lease.
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
	if err := errors.Join(err, tmp.Close()); err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return os.Rename(tmp.Name(), string(f))
}

// saved is what a Store keeps.
type saved struct {
	Lease    string `json:"lease,omitempty"`
	LastSeen int64  `json:"lastSeen,omitempty"` // Unix seconds
}

func (s saved) seen() time.Time {
	if s.LastSeen == 0 {
		return time.Time{}
	}
	return time.Unix(s.LastSeen, 0).UTC()
}

func (c *Client) load() (saved, error) {
	if c.Store == nil {
		return saved{}, nil
	}
	data, err := c.Store.Load()
	if err != nil {
		return saved{}, fmt.Errorf("license: load the lease: %w", err)
	}
	var s saved
	if len(data) > 0 && json.Unmarshal(data, &s) != nil {
		return saved{}, nil //nolint:nilerr // damaged: as if there were none
	}
	return s, nil
}

func (c *Client) save(s saved) error {
	if c.Store == nil {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := c.Store.Save(data); err != nil {
		return fmt.Errorf("license: keep the lease: %w", err)
	}
	return nil
}

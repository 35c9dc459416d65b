package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"time"

	"stoa/internal/base/errs"
)

// Object is a file in a Store.
type Object struct {
	Key      string // slash-separated
	Size     int64  // bytes
	SHA256   string // in hex; empty from List, and if it is not known
	Modified time.Time
}

// Store keeps files under keys. It is safe for concurrent use, also by several processes.
//
// The methods return ErrUnavailable if the storage fails, and soon after it stops answering.
type Store interface {
	// Put stores size bytes of body, whose SHA-256 is hash, and replaces an object with that key.
	// Once it returns, the object is durable; after an error it is complete or absent.
	Put(ctx context.Context, key string, body io.ReadSeeker, size int64, hash string) error

	// Get opens an object, which the caller closes. The error is fs.ErrNotExist if there is none.
	// The content is not verified; see Copy.
	Get(ctx context.Context, key string) (io.ReadCloser, Object, error)

	// Stat returns an object with its hash, or fs.ErrNotExist.
	Stat(ctx context.Context, key string) (Object, error)

	// List returns the objects whose keys begin with prefix, in the order of their keys.
	List(ctx context.Context, prefix string) ([]Object, error)

	// Delete removes an object. Deleting a missing object is no error.
	Delete(ctx context.Context, key string) error

	// Address is the location of the files, for people. It contains no secrets.
	Address() string
}

// Upload is an object of unknown size that is being written. Exactly one of Commit and Abort ends
// it.
type Upload interface {
	io.Writer
	// Commit makes the object exist, complete and durable.
	Commit() error
	// Abort removes what was written.
	Abort() error
}

// The failures of storage. Their causes, which have no secrets, are for the log.
var (
	ErrUnavailable = errs.New(errs.Busy, "STORAGE_UNAVAILABLE",
		"The storage of files does not work at the moment. Nothing was changed: try again. If it lasts, "+
			"an administrator finds the cause on the health page and in the log.")
	ErrAltered = errs.New(errs.Busy, "STORAGE_DAMAGED",
		"A file in the storage is missing or was altered, so it is not used. An administrator finds its name "+
			"in the log, and restores it from a backup or installs the package again.")
)

// When clients may try again. An operator repairs an altered file.
const (
	unavailableFor = 5 * time.Second
	alteredFor     = time.Minute
)

// Unavailable returns ErrUnavailable with a cause for the log.
func Unavailable(format string, args ...any) error {
	return ErrUnavailable.After(unavailableFor).Because(fmt.Errorf(format, args...))
}

// altered returns ErrAltered with a cause for the log.
func altered(format string, args ...any) error {
	return ErrAltered.After(alteredFor).Because(fmt.Errorf(format, args...))
}

// Copy writes an object to w. The error is ErrAltered if its SHA-256 is not hash, after everything
// was written, and fs.ErrNotExist if it does not exist.
func Copy(ctx context.Context, from Store, key, hash string, w io.Writer) (size int64, err error) {
	body, _, err := from.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	sum := sha256.New()
	size, err = io.Copy(io.MultiWriter(w, sum), body)
	if err = errors.Join(err, body.Close()); err != nil {
		return 0, err
	}
	if got := hexSum(sum); got != hash {
		return 0, altered("%s/%s has the SHA-256 %s instead of %s", from.Address(), key, got, hash)
	}
	return size, nil
}

// Missing returns ErrAltered in place of fs.ErrNotExist, for an object that must exist, and every
// other error unchanged.
func Missing(err error, from Store, key string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return altered("%s/%s is missing", from.Address(), key)
	}
	return err
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"stoa/internal/data/blob"
)

// Place is where backups are kept: a folder or object storage.
type Place interface {
	// Create starts a backup. It does not exist before Commit.
	Create(ctx context.Context, name string) (Upload, error)
	// List returns the names of the backups, the oldest first. It ignores other files.
	List(ctx context.Context) ([]string, error)
	// Open reads a backup. It returns fs.ErrNotExist if there is none of that name.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Remove deletes a backup. Removing a missing one is no error.
	Remove(ctx context.Context, name string) error
	// Sweep removes unfinished backups that crashes left.
	Sweep(ctx context.Context) error
}

// Upload is a backup that is being written.
type Upload = blob.Upload

// nameTime is the time in the name of a backup.
const nameTime = "20060102T150405.000Z"

var validName = regexp.MustCompile(`^stoa-\d{8}T\d{6}\.\d{3}Z\.backup(\.age)?$`)

// Name returns the name of a backup made at that time. Names sort by time.
func Name(at time.Time, encrypted bool) string {
	name := "stoa-" + at.UTC().Format(nameTime) + ".backup"
	if encrypted {
		name += ".age"
	}
	return name
}

// IsName reports whether Name returned name.
func IsName(name string) bool { return validName.MatchString(name) }

// Folder is a Place in the file system. The folder is created if necessary.
type Folder string

var _ Place = Folder("")

// Create implements Place.
func (f Folder) Create(_ context.Context, name string) (Upload, error) {
	if err := os.MkdirAll(string(f), 0o700); err != nil {
		return nil, err
	}
	return CreateFile(filepath.Join(string(f), name))
}

// List implements Place.
func (f Folder) List(context.Context) ([]string, error) {
	entries, err := os.ReadDir(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if IsName(e.Name()) && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names, err
}

// Open implements Place.
func (f Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	if !IsName(name) {
		return nil, fs.ErrNotExist
	}
	root, err := os.OpenRoot(string(f))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(name)
}

// Remove implements Place.
func (f Folder) Remove(_ context.Context, name string) error {
	if !IsName(name) {
		return fmt.Errorf("%q is no backup", name)
	}
	err := os.Remove(filepath.Join(string(f), name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Sweep implements Place.
func (f Folder) Sweep(context.Context) error { return sweep(string(f), partPrefix) }

// partPrefix begins the name of an incomplete file.
const partPrefix = ".part-"

// CreateFile starts a backup in a file, which must not exist, readable by its owner only.
func CreateFile(path string) (Upload, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, fmt.Errorf("%s exists already", path))
	}
	part := filepath.Join(filepath.Dir(path), partPrefix+rand.Text())
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the operator's own choice
	if err != nil {
		return nil, err
	}
	return &fileUpload{file: file, path: path}, nil
}

type fileUpload struct {
	file *os.File
	path string
}

// Write implements Upload.
func (u *fileUpload) Write(b []byte) (int, error) { return u.file.Write(b) }

// Commit implements Upload. It never replaces a file.
func (u *fileUpload) Commit() error {
	err := errors.Join(u.file.Sync(), u.file.Close())
	if err == nil {
		err = os.Link(u.file.Name(), u.path)
	}
	return errors.Join(err, os.Remove(u.file.Name()), syncFolder(filepath.Dir(u.path)))
}

// Abort implements Upload.
func (u *fileUpload) Abort() error { return errors.Join(u.file.Close(), os.Remove(u.file.Name())) }

// leftoverAge is the age at which an incomplete backup counts as left over from a crash.
const leftoverAge = 24 * time.Hour

// sweep removes leftovers of crashes in a folder whose names begin with prefix.
func sweep(dir, prefix string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if info, gone := e.Info(); gone == nil && time.Since(info.ModTime()) > leftoverAge {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// counted counts what is written.
type counted struct {
	io.Writer

	bytes int64
}

// Write implements io.Writer.
func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.bytes += int64(n)
	return n, err
}

// Put writes a backup to an upload, which it commits or aborts, and returns the size of the
// archive.
func (s Source) Put(ctx context.Context, to Upload, lock Lock) (m Manifest, size int64, err error) {
	count := &counted{Writer: to}
	m, err = s.Take(ctx, count, lock)
	if err != nil {
		return m, 0, errors.Join(err, to.Abort())
	}
	return m, count.bytes, to.Commit()
}

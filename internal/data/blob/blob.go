// Package blob stores files in a folder or in object storage (package s3); both are a Store. Files
// are the pictures of products, named by a hash of their content: they never change, may be cached
// forever, and are stored once however often they are put.
//
// It does not know the purpose of the files, nor HTTP.
package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

// Files is a folder of files; Direct is for those of which no copies may be left. It is safe for concurrent use, also
// across processes.
type Files struct {
	root *os.Root

	// With remote, the folder is a cache of the objects in remote whose keys begin with prefix.
	remote  Store
	prefix  string
	flights Flights
	cache   *cache // bounds the folder, if it is a cache; see Bound
}

// Open returns the files in dir, which it creates if necessary. If remote is not nil, the files are
// stored there, under keys that begin with prefix, and dir is a cache. The caller closes them.
func Open(dir string, remote Store, prefix string) (*Files, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return &Files{root: root, remote: remote, prefix: prefix}, nil
}

// Close releases the folder.
func (f *Files) Close() error { return f.root.Close() }

// validName matches every name: the content's SHA-256 and an extension.
var validName = regexp.MustCompile(`^[0-9a-f]{64}\.[a-z0-9]{1,8}$`)

// HashOf returns the SHA-256 of a file by its name, in hex; ok is false for a name that Put never
// returns.
func HashOf(name string) (hash string, ok bool) {
	if !validName.MatchString(name) {
		return "", false
	}
	hash, _, _ = strings.Cut(name, ".")
	return hash, true
}

// Put stores content and returns its name, which ends in the extension ("svg"). Once it has
// returned, the file survives a power cut, and every replica can read it. Putting the same content
// again changes nothing. Errors are those of a Store.
func (f *Files) Put(ctx context.Context, content []byte, extension string) (string, error) {
	name, hash, err := nameOf(content, extension)
	if err != nil {
		return "", err
	}
	if f.remote != nil {
		if err := f.putRemote(ctx, name, hash, content); err != nil {
			return "", err
		}
	}
	if info, err := f.root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(content)) {
		return name, nil
	}
	err = writeFile(f.root, name, func(w io.Writer) error { _, err := w.Write(content); return err })
	if err != nil {
		return "", fmt.Errorf("blob: put: %w", err)
	}
	f.cache.added(ctx, name, int64(len(content)))
	return name, nil
}

// nameOf returns the name of a file, and the hash of its content.
func nameOf(content []byte, extension string) (name, hash string, err error) {
	sum := sha256.Sum256(content)
	hash = hex.EncodeToString(sum[:])
	if name = hash + "." + extension; !validName.MatchString(name) {
		return "", "", fmt.Errorf("blob: %q is not an extension", extension)
	}
	return name, hash, nil
}

func (f *Files) putRemote(ctx context.Context, name, hash string, content []byte) error {
	key, size := f.prefix+name, int64(len(content))
	there, err := f.remote.Stat(ctx, key)
	if err == nil && there.Size == size && there.SHA256 == hash {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.remote.Put(ctx, key, bytes.NewReader(content), size, hash)
}

// Get opens the file with that name. The caller closes it. It returns fs.ErrNotExist if there is
// none, and for a name that Put never returns; other errors are those of a Store.
func (f *Files) Get(ctx context.Context, name string) (*os.File, error) {
	if !validName.MatchString(name) {
		return nil, fs.ErrNotExist
	}
	defer f.cache.want(name)()
	file, err := f.root.Open(name)
	if f.remote == nil || !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	for range fetches {
		if err := f.flights.Do(ctx, name, func(ctx context.Context) error { return f.fetch(ctx, name) }); err != nil {
			return nil, err
		}
		if file, err = f.root.Open(name); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return file, err
}

// fetches is how many times Get fetches a file if another process with the same bounded folder keeps
// removing it before Get can open it.
const fetches = 5

// fetch copies a file from the storage into the folder.
func (f *Files) fetch(ctx context.Context, name string) error {
	hash, _ := HashOf(name)
	var size int64
	err := writeFile(f.root, name, func(w io.Writer) (err error) {
		size, err = Copy(ctx, f.remote, f.prefix+name, hash, w)
		return err
	})
	if err == nil {
		f.cache.added(ctx, name, size)
	}
	return err
}

// Remove removes the file with that name, also from the storage. It returns fs.ErrNotExist if there
// is none, and for a name that Put never returns; other errors are those of a Store. With a
// storage, other replicas may keep a copy in their folders.
func (f *Files) Remove(ctx context.Context, name string) error {
	if !validName.MatchString(name) {
		return fs.ErrNotExist
	}
	err := f.root.Remove(name)
	f.cache.removed(name)
	if f.remote == nil || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return f.removeRemote(ctx, name)
}

func (f *Files) removeRemote(ctx context.Context, name string) error {
	if _, err := f.remote.Stat(ctx, f.prefix+name); err != nil {
		return err
	}
	return f.remote.Delete(ctx, f.prefix+name)
}

// List returns the files that Put stored, in no particular order. A file's time is that of its
// first Put.
func (f *Files) List(ctx context.Context) ([]fs.FileInfo, error) {
	if f.remote != nil {
		return f.listRemote(ctx)
	}
	files, err := f.listLocal()
	return files, errors.Join(err, ctx.Err())
}

// listLocal returns the files in the folder.
func (f *Files) listLocal() ([]fs.FileInfo, error) {
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
	return files, nil
}

func (f *Files) listRemote(ctx context.Context) ([]fs.FileInfo, error) {
	objects, err := f.remote.List(ctx, f.prefix)
	if err != nil {
		return nil, err
	}
	files := make([]fs.FileInfo, 0, len(objects))
	for _, o := range objects {
		if name := strings.TrimPrefix(o.Key, f.prefix); validName.MatchString(name) {
			files = append(files, stored{o})
		}
	}
	return files, nil
}

// stored is an object as a file.
type stored struct{ object Object }

func (s stored) Name() string       { return path.Base(s.object.Key) }
func (s stored) Size() int64        { return s.object.Size }
func (s stored) Mode() fs.FileMode  { return 0o600 }
func (s stored) ModTime() time.Time { return s.object.Modified }
func (s stored) IsDir() bool        { return false }
func (s stored) Sys() any           { return nil }

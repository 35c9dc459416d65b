package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// Folder is a Store in a folder, where the key of a file is its path.
type Folder struct {
	root *os.Root
}

var _ Store = (*Folder)(nil)

// OpenFolder returns the files in dir, which it creates if necessary. The caller closes it.
func OpenFolder(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("blob: %w", err)
	}
	return &Folder{root: root}, nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Address implements Store.
func (f *Folder) Address() string { return f.root.Name() }

// tmpPrefix begins the names of files that are being written.
const tmpPrefix = ".tmp-"

// Put implements Store. It refuses content that does not match the hash.
func (f *Folder) Put(ctx context.Context, key string, body io.ReadSeeker, size int64, hash string) error {
	err := f.root.MkdirAll(path.Dir(key), 0o700)
	if err != nil {
		return fmt.Errorf("blob: put: %w", err)
	}
	err = writeFile(f.root, key, func(w io.Writer) error {
		sum := sha256.New()
		n, err := io.Copy(io.MultiWriter(w, sum), body)
		if err == nil && (n != size || hexSum(sum) != hash) {
			err = altered("the content of %s does not match its hash", key)
		}
		return errors.Join(err, ctx.Err())
	})
	if err != nil {
		return fmt.Errorf("blob: put: %w", err)
	}
	return nil
}

// writeFile creates a file durably, completely or not at all.
func writeFile(root *os.Root, name string, write func(io.Writer) error) error {
	dir := path.Dir(name)
	tmp := path.Join(dir, tmpPrefix+rand.Text())
	file, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = errors.Join(write(file), file.Sync(), file.Close()); err == nil {
		err = root.Rename(tmp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(tmp))
	}
	d, err := root.Open(dir) // makes the rename durable
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Get implements Store.
func (f *Folder) Get(_ context.Context, key string) (io.ReadCloser, Object, error) {
	file, err := f.root.Open(key)
	if err != nil {
		return nil, Object{}, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, Object{}, errors.Join(err, file.Close())
	}
	return file, Object{Key: key, Size: info.Size(), Modified: info.ModTime()}, nil
}

// Stat implements Store. It reads the file for its hash.
func (f *Folder) Stat(ctx context.Context, key string) (Object, error) {
	file, o, err := f.Get(ctx, key)
	if err != nil {
		return Object{}, err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	o.SHA256 = hexSum(sum)
	return o, err
}

// List implements Store. Files that are being written are left out.
func (f *Folder) List(ctx context.Context, prefix string) ([]Object, error) {
	var list []Object
	dir := path.Dir(prefix + "x") // the deepest folder that contains all of them
	err := fs.WalkDir(f.root.FS(), dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case e.IsDir() && strings.HasPrefix(e.Name(), tmpPrefix):
			return fs.SkipDir
		case !e.Type().IsRegular() || !strings.HasPrefix(name, prefix) || strings.HasPrefix(e.Name(), tmpPrefix):
			return ctx.Err()
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err == nil {
			list = append(list, Object{Key: name, Size: info.Size(), Modified: info.ModTime()})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("blob: list: %w", err)
	}
	slices.SortFunc(list, func(a, b Object) int { return strings.Compare(a.Key, b.Key) })
	return list, nil
}

// Delete implements Store.
func (f *Folder) Delete(_ context.Context, key string) error {
	if err := f.root.Remove(key); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("blob: delete: %w", err)
	}
	return nil
}

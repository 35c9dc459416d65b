package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"stoa/internal/data/blob"
	"stoa/internal/store"
)

// Bucket is object storage for backups, whose size is unknown until they are complete. s3.Store
// implements it.
type Bucket interface {
	blob.Store
	// Create starts an object of unknown size.
	Create(ctx context.Context, key string) (blob.Upload, error)
	// Sweep removes the parts of uploads that started before until and never ended.
	Sweep(ctx context.Context, until time.Time) error
}

// Objects is a Place in object storage.
type Objects struct{ Bucket Bucket }

var _ Place = Objects{}

// Create implements Place.
func (o Objects) Create(ctx context.Context, name string) (Upload, error) {
	if _, err := o.Bucket.Stat(ctx, name); !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, fmt.Errorf("%s/%s exists already, or this cannot be checked", o.Bucket.Address(), name))
	}
	return o.Bucket.Create(ctx, name)
}

// List implements Place.
func (o Objects) List(ctx context.Context) ([]string, error) {
	objects, err := o.Bucket.List(ctx, "stoa-")
	var names []string
	for _, object := range objects {
		if IsName(object.Key) {
			names = append(names, object.Key)
		}
	}
	slices.Sort(names)
	return names, err
}

// Open implements Place.
func (o Objects) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if !IsName(name) {
		return nil, fs.ErrNotExist
	}
	body, _, err := o.Bucket.Get(ctx, name)
	return body, err
}

// Remove implements Place.
func (o Objects) Remove(ctx context.Context, name string) error {
	if !IsName(name) {
		return fmt.Errorf("%q is no backup", name)
	}
	return o.Bucket.Delete(ctx, name)
}

// Sweep implements Place.
func (o Objects) Sweep(ctx context.Context) error {
	return o.Bucket.Sweep(ctx, time.Now().Add(-leftoverAge))
}

// objects writes the archives of packages and the other files in the object storage, and records
// files that the database refers to but that are missing.
func (t *taking) objects(ctx context.Context) error {
	wanted, err := store.PackageFiles(ctx, t.conn)
	if err != nil {
		return err
	}
	for _, f := range wanted {
		err := t.object(ctx, f.Archive(), f.Hash)
		if errors.Is(err, fs.ErrNotExist) {
			t.manifest.Missing = append(t.manifest.Missing, f.Archive())
		} else if err != nil {
			return err
		}
	}
	for _, folder := range t.source.Flat {
		list, err := t.source.Storage.List(ctx, folder+"/")
		if err != nil {
			return err
		}
		for _, o := range list {
			hash, ok := blob.HashOf(path.Base(o.Key))
			if !ok {
				continue
			}
			err := t.object(ctx, o.Key, hash)
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // removed in the meantime
				return err
			}
		}
	}
	return nil
}

// object writes an object whose SHA-256 must be hash.
func (t *taking) object(ctx context.Context, key, hash string) error {
	body, o, err := t.source.Storage.Get(ctx, key)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := t.out.begin(filesFolder+key, o.Size, 0o600, o.Modified); err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(t.out.tar, h), body, o.Size); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	got := hex.EncodeToString(h.Sum(nil))
	if got != hash {
		return fmt.Errorf("%s/%s was altered: its SHA-256 is %s instead of %s", t.source.Storage.Address(), key, got, hash)
	}
	t.manifest.Files = append(t.manifest.Files, File{Path: key, Size: o.Size, SHA256: got})
	return nil
}

// storageIsEmpty returns an error if there are files in the object storage.
func (t Target) storageIsEmpty(ctx context.Context) error {
	if t.Storage == nil {
		return nil
	}
	owner, err := blob.Owner(ctx, t.Storage)
	if err == nil && owner != "" {
		err = fmt.Errorf("the object storage %s has the files of a shop already: restore to another prefix",
			t.Storage.Address())
	}
	for _, folder := range t.Folders {
		list, listErr := t.Storage.List(ctx, folder+"/")
		if err = errors.Join(err, listErr); err == nil && len(list) > 0 {
			err = fmt.Errorf("the object storage %s is not empty: it has %s", t.Storage.Address(), list[0].Key)
		}
	}
	return err
}

// upload puts those of the unpacked files into the object storage that belong there: archives, but
// not what was unpacked from them.
func (t Target) upload(ctx context.Context, s *staging, files []File, platformID string) error {
	if t.Storage == nil {
		return nil
	}
	uploading := func(key string) {
		s.uploaded = append(s.uploaded, func() error { return t.Storage.Delete(context.WithoutCancel(ctx), key) })
	}
	for _, f := range files {
		if !t.isStored(f.Path) {
			continue
		}
		file, err := s.root.Open(f.Path)
		if err != nil {
			return err
		}
		uploading(f.Path)
		err = errors.Join(t.Storage.Put(ctx, f.Path, file, f.Size, f.SHA256), file.Close())
		if err != nil {
			return err
		}
	}
	uploading(blob.OwnerKey)
	return blob.Claim(ctx, t.Storage, platformID)
}

// isStored reports whether a file of a data folder is also kept in object storage.
func (t Target) isStored(name string) bool {
	folder, rest, _ := strings.Cut(name, "/")
	if slices.Contains(t.Flat, folder) {
		return true
	}
	const depth = 1 // of archives below the folder of their kind: in one for each slug
	return path.Ext(name) == ".zip" && strings.Count(rest, "/") <= depth
}

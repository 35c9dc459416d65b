package install

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"strings"
	"time"

	"stoa/internal/data/blob"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
)

// With Installer.Storage, the archives of packages and releases are kept there, under their
// paths in the data folder, and the folder is a cache: what is missing in it is fetched, checked
// against the hash in the record, and unpacked. Every attempt to install has a path of its own,
// so that replicas without a shared folder never write to the same object.

// Ref names the files of an installed extension.
type Ref struct {
	Kind extension.Kind
	Path string // relative to the data folder
	Hash string // SHA-256 of the archive, in hex
}

const (
	// remoteLeftoverAge is how old an object without a record must be before Sweep takes it for
	// the leftover of a crash. It leaves room for an install that runs in another replica, and
	// for clocks of the storage that are wrong.
	remoteLeftoverAge = 24 * time.Hour

	// discardTimeout is how long removing objects may take that nobody waits for.
	discardTimeout = 30 * time.Second
)

// Fetch makes sure that the files of an installed extension are in the data folder: if they are
// not, it unpacks the archive, from the storage unless it is in the folder. Callers at the same
// time share the work. Files appear all at once or not at all.
//
// The error is ErrNoArchive if the archive is nowhere and there is no storage, blob.ErrAltered if
// the storage lacks it or has another, and blob.ErrUnavailable.
func (in *Installer) Fetch(ctx context.Context, ref Ref) error {
	if there, err := in.unpacked(ref.Path); there || err != nil {
		return err
	}
	return in.flights.Do(ctx, ref.Path, func(ctx context.Context) error { return in.fetch(ctx, ref) })
}

// unpacked reports whether the files of a package are in the data folder. They are renamed to
// there, so they are all there.
func (in *Installer) unpacked(place string) (bool, error) {
	data, err := in.openData()
	if err != nil {
		return false, err
	}
	defer data.Close()
	return exists(data, place), nil
}

func (in *Installer) fetch(ctx context.Context, ref Ref) error {
	reg, err := in.Kinds.Get(ref.Kind)
	if err != nil {
		return err
	}
	data, err := in.openData()
	if err != nil {
		return err
	}
	defer data.Close()
	if exists(data, ref.Path) { // another flight has just landed
		return nil
	}
	zip, err := in.archive(ctx, data, ref)
	if err != nil {
		return err
	}
	defer zip.Close()
	contents, err := readKept(zip, reg.Profile(), ref.Hash)
	if err != nil {
		return err
	}
	if err := in.unpackTo(ctx, data, reg, contents, ref.Path); err != nil {
		return err
	}
	in.Log.InfoContext(ctx, "files of a package were put into the data folder", slog.String("path", ref.Path))
	return nil
}

// unpackTo unpacks an archive to a place that does not exist yet. If another process is
// faster, its files are used.
func (in *Installer) unpackTo(
	ctx context.Context, data *os.Root, reg extension.Registry, contents *archive.Contents, place string,
) error {
	tmp := path.Join(reg.Folder(), unpackPrefix+randomName())
	err := unpack(ctx, data, contents, tmp)
	if err == nil {
		err = data.MkdirAll(path.Dir(place), 0o755)
	}
	if err == nil {
		err = data.Rename(tmp, place)
	}
	if err != nil {
		_ = data.RemoveAll(tmp) // what stays is swept later
		if exists(data, place) {
			return nil
		}
		return err
	}
	return errors.Join(syncDir(data, path.Dir(place)), syncDir(data, reg.Folder()))
}

// archive opens the archive of a package in the data folder, where it puts it if need be.
func (in *Installer) archive(ctx context.Context, data *os.Root, ref Ref) (*os.File, error) {
	name := ref.Path + archiveSuffix
	f, err := data.Open(name)
	if in.Storage == nil && errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoArchive
	}
	if err == nil && in.Storage != nil && !same(f, ref.Hash) { // the cache has another archive: ask the storage
		err = errors.Join(f.Close(), fs.ErrNotExist)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	up, err := in.download(ctx, name, ref.Hash)
	if err != nil {
		return nil, err
	}
	defer up.Close()
	if err := data.MkdirAll(path.Dir(name), 0o755); err != nil {
		return nil, err
	}
	if err := up.moveTo(name); err != nil {
		return nil, err
	}
	return data.Open(name)
}

// same reports whether a file has that SHA-256, and goes back to its beginning.
func same(f *os.File, hash string) bool {
	sum, err := sumOf(f)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	return err == nil && sum == hash
}

// download reads an archive from the storage. The caller closes the upload.
func (in *Installer) download(ctx context.Context, key, hash string) (*Upload, error) {
	up, err := in.newUpload()
	if err != nil {
		return nil, err
	}
	up.Size, err = blob.Copy(ctx, in.Storage, key, hash, up.file)
	if err != nil {
		return nil, errors.Join(blob.Missing(err, in.Storage, key), up.Close())
	}
	up.Hash = hash
	return up, nil
}

// store puts the archive of an upload into the storage, if there is one.
func (in *Installer) store(ctx context.Context, up *Upload, name string) error {
	if in.Storage == nil {
		return nil
	}
	if _, err := up.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return in.Storage.Put(ctx, name, up.file, up.Size, up.Hash)
}

// discardRemote removes the archives of places from the storage.
func (in *Installer) discardRemote(ctx context.Context, places []string) error {
	if in.Storage == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout) // also if the client is gone
	defer cancel()
	var all []error
	for _, place := range places {
		if place != "" {
			all = append(all, in.Storage.Delete(ctx, strings.TrimSuffix(place, archiveSuffix)+archiveSuffix))
		}
	}
	return errors.Join(all...)
}

// sweepRemote removes archives from the storage that are old and have no record.
func (in *Installer) sweepRemote(ctx context.Context, recorded map[string]bool, now time.Time) error {
	if err := in.Owned(ctx); err != nil {
		return err
	}
	folders := map[string]bool{MarketDir: true}
	for _, reg := range in.Kinds {
		folders[reg.Folder()] = true
	}
	for folder := range folders {
		objects, err := in.Storage.List(ctx, folder+"/")
		if err != nil {
			return err
		}
		for _, o := range objects {
			owned := recorded[o.Key] || recorded[strings.TrimSuffix(o.Key, archiveSuffix)]
			if owned || now.Sub(o.Modified) <= remoteLeftoverAge {
				continue
			}
			if err := in.Storage.Delete(ctx, o.Key); err != nil {
				return err
			}
			in.Log.InfoContext(ctx, "removed leftovers of an install from the storage", slog.String("key", o.Key))
		}
	}
	return nil
}

package install

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"

	"stoa/internal/extension"
	"stoa/internal/extension/archive"
)

// Names below the data folder. Each kind has a folder of its own, where a package
// lies at <slug>/<version>-<hash>.
const (
	uploadsDir   = "tmp"
	uploadPrefix = "upload-"
	unpackPrefix = ".tmp-" // of a package that is being unpacked, beside the slugs

	// archiveSuffix is added to the path of a package's files for the archive they came
	// from. stoa keeps it for downloads, and to check whether the files are as they
	// were.
	archiveSuffix = ".zip"
)

// place unpacks an archive to a folder of its own and returns the folder's path,
// relative to the data folder. Everything is on disk when it returns.
func (in *Installer) place(
	ctx context.Context, reg extension.Registry, c extension.Candidate, contents *archive.Contents, hash string,
) (string, error) {
	data, err := in.openData()
	if err != nil {
		return "", err
	}
	defer data.Close()
	tmp := path.Join(reg.Folder(), unpackPrefix+randomName())
	if err := unpack(ctx, data, contents, tmp); err != nil {
		_ = data.RemoveAll(tmp) // what stays is swept later
		return "", err
	}
	home := path.Join(reg.Folder(), c.Slug())
	name := c.Version() + "-" + hash[:8]
	if in.Storage != nil { // the local folder does not show which names are taken
		name += "-" + randomName()
	}
	final, err := move(data, tmp, home, name)
	if err != nil {
		_ = data.RemoveAll(tmp)
		return "", err
	}
	return final, errors.Join(syncDir(data, home), syncDir(data, reg.Folder()))
}

// unpack writes the files to a new folder tmp.
func unpack(ctx context.Context, data *os.Root, contents *archive.Contents, tmp string) error {
	if err := data.Mkdir(tmp, 0o755); err != nil {
		return err
	}
	root, err := data.OpenRoot(tmp)
	if err != nil {
		return err
	}
	if err := errors.Join(contents.ExtractTo(root), root.Close()); err != nil {
		return err
	}
	return ctx.Err() // the client is gone, or the time is up
}

// move renames the folder tmp to home/name, or to a similar name if that one is
// taken, and returns the new path.
func move(data *os.Root, tmp, home, name string) (string, error) {
	final := path.Join(home, name)
	for {
		if err := data.MkdirAll(home, 0o755); err != nil {
			return "", err
		}
		err := data.Rename(tmp, final)
		switch {
		case errors.Is(err, fs.ErrExist):
			// A crash left it behind, or another process is installing the same archive
			// at this moment. Either way it is not ours to touch.
			final = path.Join(home, name+"-"+randomName())
		case errors.Is(err, fs.ErrNotExist) && exists(data, tmp):
			// Another request purged the last version and removed the folder of the slug.
		default:
			return final, err
		}
	}
}

func exists(data *os.Root, name string) bool {
	_, err := data.Lstat(name)
	return err == nil
}

// removeEmpty removes the folder of a slug if no version is left in it. A folder that
// belongs to a whole kind stays.
func removeEmpty(data *os.Root, home string) {
	if path.Dir(home) != "." {
		_ = data.Remove(home) // which fails for a folder with something in it
	}
}

// Discard removes the files at these paths, and their archives. Nothing may be recorded
// there, and that must be known: when the connection breaks during a commit, it is not,
// and the files stay until they are swept. So do files that cannot be removed.
func (in *Installer) Discard(ctx context.Context, places ...string) {
	in.discardLocal(ctx, places...)
	if err := in.discardRemote(ctx, places); err != nil {
		in.Log.WarnContext(ctx, "archives without a record stay in the storage until they are swept",
			slog.Any("paths", places), slog.Any("err", err))
	}
}

// discardLocal is Discard in the data folder only.
func (in *Installer) discardLocal(ctx context.Context, places ...string) {
	data, err := in.openData()
	if err == nil {
		defer data.Close()
		for _, place := range places {
			if place != "" {
				err = errors.Join(err, data.RemoveAll(place), data.RemoveAll(place+archiveSuffix))
				removeEmpty(data, path.Dir(place))
			}
		}
	}
	if err != nil {
		in.Log.WarnContext(ctx, "files without a record stay behind until a later start removes them",
			slog.Any("paths", places), slog.Any("err", err))
	}
}

// openData opens the data folder and creates the folders in it that are used here.
func (in *Installer) openData() (*os.Root, error) {
	data, err := os.OpenRoot(in.DataDir)
	if err != nil {
		return nil, fmt.Errorf("install: %w", err)
	}
	err = errors.Join(data.MkdirAll(uploadsDir, 0o700), data.MkdirAll(MarketDir, 0o700))
	for _, reg := range in.Kinds {
		err = errors.Join(err, data.MkdirAll(reg.Folder(), 0o700))
	}
	if err != nil {
		return nil, errors.Join(err, data.Close())
	}
	return data, nil
}

func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func randomName() string {
	var b [8]byte
	_, _ = io.ReadFull(rand.Reader, b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}

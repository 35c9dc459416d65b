package install

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"stoa/internal/errs"
	"stoa/internal/extension"
	"stoa/internal/extension/archive"
)

// ErrNoArchive is returned for an extension whose archive is not there, or is not the
// one that was installed.
var ErrNoArchive = errs.New(errs.NotFound, "NOT_FOUND", "The archive of this extension is not kept, or was changed. "+
	"Install the extension again.")

// The states of a file of an installed extension.
const (
	Intact  = "intact"  // as in the archive
	Changed = "changed" // has another content
	Missing = "missing" // is not there
	Added   = "added"   // is not in the archive
)

// File is a file of an installed extension.
type File struct {
	Path   string // in the package
	Size   int64  // as installed; of an added file, as it is
	SHA256 string // in hex, as installed; of an added file, as it is
	State  string
}

// OpenArchive opens the archive that the extension with files at place was installed from.
// The caller closes it. The error is ErrNoArchive if it is not there.
func (in *Installer) OpenArchive(place string) (*os.File, error) {
	data, err := in.openData()
	if err != nil {
		return nil, err
	}
	defer data.Close()
	if place == "" {
		return nil, ErrNoArchive
	}
	f, err := data.Open(place + archiveSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNoArchive
	}
	return f, err
}

// Files compares the files of an extension with the archive they came from, whose
// SHA-256 is hash, and returns all of them by path. The error is ErrNoArchive if the
// archive is not there or is another one, because then nobody knows what was installed.
func (in *Installer) Files(kind extension.Kind, place, hash string) ([]File, error) {
	reg, err := in.Kinds.Get(kind)
	if err != nil {
		return nil, err
	}
	zip, err := in.OpenArchive(place)
	if err != nil {
		return nil, err
	}
	defer zip.Close()
	sum := sha256.New()
	size, err := io.Copy(sum, zip)
	if err != nil {
		return nil, fmt.Errorf("install: read archive: %w", err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		return nil, ErrNoArchive
	}
	profile := reg.Profile()
	profile.MaxSize = max(profile.MaxSize, size) // rules may have become stricter since
	contents, err := archive.Inspect(zip, size, profile)
	if err != nil {
		return nil, fmt.Errorf("install: read archive: %w", err)
	}
	root, err := os.OpenRoot(path.Join(in.DataDir, place))
	if errors.Is(err, fs.ErrNotExist) {
		root = nil
	} else if err != nil {
		return nil, err
	} else {
		defer root.Close()
	}
	return compare(contents, root)
}

// compare returns what became of the files of an archive below root, which is nil if it
// is not there.
func compare(contents *archive.Contents, root *os.Root) ([]File, error) {
	there := make(map[string]File)
	if root != nil {
		if err := digestAll(root, there); err != nil {
			return nil, err
		}
	}
	var list []File
	for i, f := range contents.Files() {
		sum := sha256.New()
		if err := contents.CopyTo(sum, i); err != nil {
			return nil, fmt.Errorf("install: read archive: %w", err)
		}
		file := File{Path: f.Name, Size: f.Size, SHA256: hex.EncodeToString(sum.Sum(nil)), State: Intact}
		switch now, ok := there[f.Name]; {
		case !ok:
			file.State = Missing
		case now.SHA256 != file.SHA256:
			file.State = Changed
		}
		delete(there, f.Name)
		list = append(list, file)
	}
	for _, f := range there {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// digestAll adds every file below root. What is neither a file nor a folder, such as a
// link, is added without a digest: no archive has it.
func digestAll(root *os.Root, files map[string]File) error {
	return fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		file := File{Path: name, State: Added}
		if e.Type().IsRegular() {
			f, err := root.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			sum := sha256.New()
			if file.Size, err = io.Copy(sum, f); err != nil {
				return err
			}
			file.SHA256 = hex.EncodeToString(sum.Sum(nil))
		}
		files[name] = file
		return nil
	})
}

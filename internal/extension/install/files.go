package install

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"stoa/internal/base/errs"
	"stoa/internal/base/paging"
	"stoa/internal/extension/archive"
)

// ErrNoArchive is returned for an extension whose archive is not there, or is not the
// one that was installed.
var ErrNoArchive = errs.New(errs.NotFound, "NOT_FOUND", "The archive of this extension is not kept, or was changed. "+
	"Install the extension again.")

// errOtherArchive is the cause of an ErrNoArchive where there is an archive, but not the one that was
// installed.
var errOtherArchive = errors.New("its content is not what was installed")

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

// OpenArchive opens the archive that an extension was installed from. The caller closes it. The
// error is ErrNoArchive if it is not there; with storage also that of Fetch.
func (in *Installer) OpenArchive(ctx context.Context, ref Ref) (*os.File, error) {
	data, err := in.openData()
	if err != nil {
		return nil, err
	}
	defer data.Close()
	if ref.Path == "" {
		return nil, ErrNoArchive
	}
	return in.archive(ctx, data, ref)
}

// Files compares the files of an extension with the archive they came from. It returns those
// from index from on, by path, at most limit, and the number of all. Only the files that it
// returns are read. The error is ErrNoArchive if the archive is not there or is another one,
// because then it is unknown what was installed; with storage also that of Fetch.
func (in *Installer) Files(ctx context.Context, ref Ref, from, limit int) ([]File, int, error) {
	if in.Storage != nil && ref.Path != "" { // what the cache lacks is not missing
		if err := in.Fetch(ctx, ref); err != nil {
			return nil, 0, err
		}
	}
	reg, err := in.Kinds.Get(ref.Kind)
	if err != nil {
		return nil, 0, err
	}
	zip, err := in.OpenArchive(ctx, ref)
	if err != nil {
		return nil, 0, err
	}
	defer zip.Close()
	contents, err := readKept(zip, reg.Profile(), ref.Hash)
	if err != nil {
		return nil, 0, err
	}
	root, err := os.OpenRoot(path.Join(in.DataDir, ref.Path))
	if errors.Is(err, fs.ErrNotExist) {
		root = nil
	} else if err != nil {
		return nil, 0, err
	} else {
		defer root.Close()
	}
	all, err := listFiles(contents, root)
	if err != nil {
		return nil, 0, err
	}
	listed := paging.Cut(all, limit, from)
	page := make([]File, 0, len(listed))
	for _, l := range listed {
		f, err := l.compare(contents, root)
		if err != nil {
			return nil, 0, err
		}
		page = append(page, f)
	}
	return page, len(all), nil
}

// readKept returns what is in an archive that was installed, if it has that SHA-256.
func readKept(zip *os.File, profile archive.Profile, hash string) (*archive.Contents, error) {
	sum := sha256.New()
	size, err := io.Copy(sum, zip)
	if err != nil {
		return nil, fmt.Errorf("install: read archive: %w", err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != hash {
		return nil, ErrNoArchive.Because(errOtherArchive)
	}
	profile.MaxSize, profile.Installed = max(profile.MaxSize, size), true // rules may have become stricter since
	contents, err := archive.Inspect(zip, size, profile)
	if err != nil {
		return nil, fmt.Errorf("install: read archive: %w", err)
	}
	return contents, nil
}

// listed is a file of an archive, of an installed extension, or of both.
type listed struct {
	archive.File

	index   int // in the archive; -1 if it is not there
	there   bool
	regular bool // and not a link or the like, which no archive has
}

// listFiles returns the files of an archive and those below root, by path. root is nil if
// it is not there.
func listFiles(contents *archive.Contents, root *os.Root) ([]listed, error) {
	byName := make(map[string]listed)
	for i, f := range contents.Files() {
		byName[f.Name] = listed{File: f, index: i}
	}
	if root != nil {
		err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			l, ok := byName[name]
			if !ok {
				l = listed{File: archive.File{Name: name}, index: -1}
			}
			l.there, l.regular = true, e.Type().IsRegular()
			byName[name] = l
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(byName), func(a, b listed) int { return strings.Compare(a.Name, b.Name) }), nil
}

// compare returns what became of a file.
func (l listed) compare(contents *archive.Contents, root *os.Root) (File, error) {
	file := File{Path: l.Name, Size: l.Size, State: Missing}
	var now string
	if l.there {
		file.State = Changed
	}
	if l.regular {
		size, digest, err := digestOf(root, l.Name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // since it was listed
			file.State = Missing
		case err != nil:
			return File{}, err
		}
		if now = digest; l.index < 0 {
			file.Size, file.SHA256 = size, digest
		}
	}
	if l.index < 0 {
		file.State = Added
		return file, nil
	}
	sum := sha256.New()
	if err := contents.CopyTo(sum, l.index); err != nil {
		return File{}, fmt.Errorf("install: read archive: %w", err)
	}
	if file.SHA256 = hex.EncodeToString(sum.Sum(nil)); file.SHA256 == now {
		file.State = Intact
	}
	return file, nil
}

func digestOf(root *os.Root, name string) (size int64, digest string, err error) {
	f, err := root.Open(name)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	sum := sha256.New()
	size, err = io.Copy(sum, f)
	return size, hex.EncodeToString(sum.Sum(nil)), err
}

// sumOf returns the SHA-256 of the rest of a file, in hex.
func sumOf(f *os.File) (string, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), err
}

// Package archive reads the ZIP files that extensions come in. Nothing in them is
// trusted: names, types and sizes are checked before a byte is written, files are
// written through an os.Root, which no name leaves, and never with more bytes than
// the archive states.
//
// It parses the layout of the file itself. Package archive/zip accepts whatever
// can be read somehow: data in front or behind, two headers that disagree, two
// entries of one name. Different programs then see different contents in one file,
// and what a scanner looked at is not what runs.
//
// It does not know the kinds of extensions: what differs between them is in a
// Profile, and the manifest is bytes.
package archive

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"stoa/internal/base/errs"
)

// Profile says what the archives of one kind of extension may hold.
type Profile struct {
	Manifest string   // name of the manifest, at the top or in the only folder there
	Also     string   // another name of it, if there is no file of the first; may be empty
	MaxSize  int64    // of the archive, in bytes
	Types    []string // of files, in lower case: extensions with the dot, or whole names

	Kind  string // in messages
	Fixed bool   // whether Types are the operator's, and no administrator can widen them

	Installed bool // the archive was installed, so that its types were allowed: all are
}

// Limits of every archive (contract 4.2). Sizes are in bytes.
const (
	MaxEntries   = 10_000
	MaxUnpacked  = 1 << 30 // all files together
	MaxRatio     = 200     // unpacked to packed, of one entry
	RatioFree    = 1 << 20 // an entry up to this size may have any ratio
	MaxFont      = 2 << 20
	MaxFontTotal = 20 << 20
	MaxFonts     = 50
	MaxManifest  = 1 << 20
	MaxName      = 1024 // bytes of a whole name
	MaxPart      = 255  // bytes of a name between two slashes: what file systems take
	MaxDepth     = 32   // folders around a file
)

// Contents are what an inspected archive holds. They are read from the file that
// Inspect was given, which must stay open and unchanged.
type Contents struct {
	Manifest []byte

	r     io.ReaderAt
	files []file
}

// file is a file to be written. Folders have no file: they are made for the files
// in them.
type file struct {
	record

	path string // without the folder that may be around everything
}

// Inspect checks an archive of the given size and reads its manifest. It writes
// nothing and holds no more than the list of entries and the manifest in memory.
// The error is an errs.Invalid with code INVALID_ARCHIVE for an archive that breaks
// a rule; its details list every Fault.
func Inspect(r io.ReaderAt, size int64, profile Profile) (*Contents, error) {
	if size > profile.MaxSize {
		return nil, fault("", errs.CodeOutOfRange, "The archive is larger than %d MiB.", profile.MaxSize>>20)
	}
	var f faults
	records, err := readLayout(r, size, &f)
	if err = f.add(err); err != nil {
		return nil, err
	}
	if records == nil { // what is in the archive is not known
		return nil, f.err()
	}
	c := &Contents{r: r, files: checkEntries(records, profile, &f)}
	name := profile.Manifest
	if profile.Also != "" && !c.Has(name) && c.Has(profile.Also) {
		name = profile.Also
	}
	c.Manifest, err = c.read(name)
	if err = f.add(err); err != nil {
		return nil, err
	}
	return c, f.err()
}

// read returns the content of the manifest.
func (c *Contents) read(manifest string) ([]byte, error) {
	i := c.index(manifest)
	if i < 0 {
		return nil, fault(manifest, errs.CodeRequired,
			"%s is missing: it must be at the top of the archive, or of the only folder there.", manifest)
	}
	if c.files[i].size > MaxManifest {
		return nil, fault(c.files[i].name, errs.CodeOutOfRange, "The manifest is larger than %d MiB.", MaxManifest>>20)
	}
	if c.files[i].bad {
		return nil, nil
	}
	var raw bytes.Buffer
	err := c.files[i].copyTo(&raw, c.r)
	return raw.Bytes(), err
}

// CopyTo unpacks the file at index i of Files to w.
func (c *Contents) CopyTo(w io.Writer, i int) error { return c.files[i].copyTo(w, c.r) }

func (c *Contents) index(name string) int {
	return slices.IndexFunc(c.files, func(f file) bool { return f.path == name })
}

// Has reports whether there is a file of that name, a clean slash-separated path, or
// if the name ends in a slash, a folder with files in it.
func (c *Contents) Has(name string) bool {
	if strings.HasSuffix(name, "/") {
		return slices.ContainsFunc(c.files, func(f file) bool { return strings.HasPrefix(f.path, name) })
	}
	return c.index(name) >= 0
}

// File is a file in an archive.
type File struct {
	Name string // slash-separated, without the folder that may be around everything
	Size int64  // unpacked, in bytes
}

// Files returns the files in the order of the archive.
func (c *Contents) Files() []File {
	list := make([]File, len(c.files))
	for i, f := range c.files {
		list[i] = File{Name: f.path, Size: f.size}
	}
	return list
}

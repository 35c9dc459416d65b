// Package archive reads plugin packages: ZIP files that come from outside.
// Nothing in them is trusted. Names, types and sizes are checked before a byte
// is written, what is written goes through an os.Root, which cannot be left, and
// no more is written than the archive says.
//
// The layout of the file is read here and not by archive/zip, which is made to
// accept whatever can be read somehow: data in front, data behind, two headers
// that disagree, two entries of one name. Different programs then see different
// packages in the same file, and what a scanner looked at is not what runs.
//
// It knows no database and no HTTP. What a manifest says is package plugin's
// business.
package archive

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path"

	"golang.org/x/sync/errgroup"

	"stoa/internal/errs"
	"stoa/internal/plugin"
)

// Limits of a package (spec B, Limits; CONTRACT 4). Sizes are in bytes.
const (
	MaxArchive   = 50 << 20 // the file itself
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

// CodeInvalid is the code of an archive that breaks a rule (CONTRACT 4).
const CodeInvalid = "INVALID_ARCHIVE"

// Package is an inspected archive. It reads from the file that Inspect was
// given, which must stay open and unchanged.
type Package struct {
	Manifest plugin.Manifest

	r     io.ReaderAt
	files []file
}

// file is a file to be written. Directories are made as files need them.
type file struct {
	record

	path string // below the package's root
}

// Inspect checks an archive of the given size and reads its manifest. It writes
// nothing and keeps no more than the list of entries in memory. An archive that
// breaks a rule yields an errs.Invalid error with code INVALID_ARCHIVE and the
// entry in its details; a manifest that does, the one of plugin.ParseManifest.
func Inspect(r io.ReaderAt, size int64) (*Package, error) {
	if size > MaxArchive {
		return nil, fault("", "The archive is larger than %d MiB.", MaxArchive>>20)
	}
	records, err := readLayout(r, size)
	if err != nil {
		return nil, err
	}
	p := &Package{r: r}
	if p.files, err = checkEntries(records); err != nil {
		return nil, err
	}
	return p, p.readManifest()
}

const manifestName = "manifest.json"

func (p *Package) readManifest() error {
	for _, f := range p.files {
		if f.path != manifestName {
			continue
		}
		if f.size > MaxManifest {
			return fault(f.name, "The manifest is larger than %d MiB.", MaxManifest>>20)
		}
		var raw bytes.Buffer
		if err := f.copyTo(&raw, p.r); err != nil {
			return err
		}
		m, err := plugin.ParseManifest(raw.Bytes(), p.has)
		p.Manifest = m
		return err
	}
	return fault(manifestName, "manifest.json is missing: it must be at the top of the archive, or of the only folder there.")
}

func (p *Package) has(name string) bool {
	for _, f := range p.files {
		if f.path == name {
			return true
		}
	}
	return false
}

// Files returns how many files the package has and how many bytes they take
// unpacked.
func (p *Package) Files() (count int, size int64) {
	for _, f := range p.files {
		size += f.size
	}
	return len(p.files), size
}

// ExtractTo writes the package's files below root, which must be empty, and has
// the disk keep them. On error root may hold some of them; the caller discards
// it. A file whose content is not what the archive says yields an INVALID_ARCHIVE
// error like those of Inspect.
func (p *Package) ExtractTo(root *os.Root) error {
	dirs := map[string]bool{".": true}
	for _, f := range p.files {
		dir := path.Dir(f.path)
		if !dirs[dir] {
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("archive: extract: %w", err)
			}
			for d := dir; !dirs[d]; d = path.Dir(d) {
				dirs[d] = true
			}
		}
		if err := p.extract(root, f); err != nil {
			return err
		}
	}
	return p.sync(root, dirs)
}

// sync waits until the disk has the files and their folders. Many at once,
// because a file system writes what is asked for together in one go: 10,000
// small files took 17 s one after the other.
func (p *Package) sync(root *os.Root, dirs map[string]bool) error {
	const atOnce = 64
	var all errgroup.Group
	all.SetLimit(atOnce)
	for _, f := range p.files {
		all.Go(func() error { return syncOne(root, f.path) })
	}
	for dir := range dirs {
		all.Go(func() error { return syncOne(root, dir) })
	}
	if err := all.Wait(); err != nil {
		return fmt.Errorf("archive: extract: %w", err)
	}
	return nil
}

func (p *Package) extract(root *os.Root, f file) (err error) {
	dst, err := root.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("archive: extract: %w", err)
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	return f.copyTo(dst, p.r)
}

func syncOne(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// copyTo unpacks one file to w: exactly the bytes that the archive says there
// are, or an error. It never writes more.
func (f file) copyTo(w io.Writer, r io.ReaderAt) error {
	packed := bufio.NewReader(io.NewSectionReader(r, f.data, f.packed))
	src := io.Reader(packed)
	if f.method == deflated {
		src = flate.NewReader(packed) // takes no byte too many off a reader that has ReadByte
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(src, f.size))
	if broken, is := errors.AsType[flate.CorruptInputError](err); is {
		return fault(f.name, "The entry cannot be unpacked.").Because(broken)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fault(f.name, "The entry ends in the middle.").Because(err)
	}
	if err != nil {
		return fmt.Errorf("archive: unpack: %w", err)
	}
	more, err := io.ReadFull(src, make([]byte, 1))
	_, behind := packed.ReadByte()
	if n != f.size || more != 0 || !errors.Is(err, io.EOF) || !errors.Is(behind, io.EOF) {
		return fault(f.name, "The entry is not as long as the archive says.").Because(err)
	}
	if sum.Sum32() != f.crc {
		return fault(f.name, "The entry's checksum is wrong.")
	}
	return nil
}

// fault returns an INVALID_ARCHIVE error about an entry, or about the archive as
// a whole if entry is empty.
func fault(entry, format string, args ...any) *errs.Error {
	e := errs.New(errs.Invalid, CodeInvalid, format, args...)
	if entry != "" {
		e = e.With("entry", entry)
	}
	return e
}

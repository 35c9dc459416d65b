package archive

import (
	"bufio"
	"compress/flate"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path"
	"sync"

	"golang.org/x/sync/errgroup"

	"stoa/internal/base/errs"
)

// ExtractTo writes the files below root, which must be empty, and syncs them to
// disk. On error root may hold some of them; the caller discards it. Files whose
// content is not what the archive states yield an INVALID_ARCHIVE error that lists
// them all, like those of Inspect.
func (c *Contents) ExtractTo(root *os.Root) error {
	var faulty faults
	dirs := map[string]bool{".": true}
	for _, f := range c.files {
		dir := path.Dir(f.path)
		if !dirs[dir] {
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return fmt.Errorf("archive: extract: %w", err)
			}
			for d := dir; !dirs[d]; d = path.Dir(d) {
				dirs[d] = true
			}
		}
		if err := faulty.add(c.extract(root, f)); err != nil {
			return err
		}
	}
	if err := faulty.err(); err != nil {
		return err
	}
	return c.sync(root, dirs)
}

// sync waits until the files and their folders are on disk. It syncs many at once,
// because file systems write what is asked for together in one go: one after the
// other, 10,000 small files took 17 s.
func (c *Contents) sync(root *os.Root, dirs map[string]bool) error {
	const atOnce = 64
	var all errgroup.Group
	all.SetLimit(atOnce)
	for _, f := range c.files {
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

func (c *Contents) extract(root *os.Root, f file) (err error) {
	dst, err := root.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("archive: extract: %w", err)
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	return f.copyTo(dst, c.r)
}

func syncOne(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// unpacker holds what it takes to unpack a file. Unpackers are pooled, because each has a
// hundred kilobytes of buffers, and archives have thousands of files.
type unpacker struct {
	packed  *bufio.Reader
	deflate io.ReadCloser
	buffer  []byte
}

var unpackers = sync.Pool{New: func() any {
	packed := bufio.NewReaderSize(nil, 32<<10)
	return &unpacker{packed: packed, deflate: flate.NewReader(packed), buffer: make([]byte, 32<<10)}
}}

// open returns the content of a file. What is read from it ends where the stream does.
func (u *unpacker) open(f file, r io.ReaderAt) io.Reader {
	u.packed.Reset(io.NewSectionReader(r, f.data, f.packed))
	if f.method != deflated {
		return u.packed
	}
	_ = u.deflate.(flate.Resetter).Reset(u.packed, nil) // never fails
	return u.deflate                                    // reads not a byte too many from a reader with ReadByte
}

// copyTo unpacks a file to w. It writes as many bytes as the archive states, or
// returns an error; it never writes more.
func (f file) copyTo(w io.Writer, r io.ReaderAt) error {
	u, _ := unpackers.Get().(*unpacker)
	defer func() {
		u.packed.Reset(nil)
		unpackers.Put(u)
	}()
	src := u.open(f, r)
	sum := crc32.NewIEEE()
	n, err := io.CopyBuffer(io.MultiWriter(w, sum), io.LimitReader(src, f.size), u.buffer)
	if broken, is := errors.AsType[flate.CorruptInputError](err); is {
		return fault(f.name, errs.CodeMalformed, "The entry cannot be unpacked.").Because(broken)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fault(f.name, errs.CodeMalformed, "The entry is cut short.").Because(err)
	}
	if err != nil {
		return fmt.Errorf("archive: unpack: %w", err)
	}
	more, err := io.ReadFull(src, u.buffer[:1])
	_, behind := u.packed.ReadByte()
	if n != f.size || more != 0 || !errors.Is(err, io.EOF) || !errors.Is(behind, io.EOF) {
		return fault(f.name, errs.CodeMalformed, "The entry does not have the length that the archive states.").Because(err)
	}
	if sum.Sum32() != f.crc {
		return fault(f.name, errs.CodeMalformed, "The entry's checksum is wrong.")
	}
	return nil
}

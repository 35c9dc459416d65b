package backup

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// reader reads the entries of an archive.
type reader struct {
	tar    *tar.Reader
	zstd   *zstd.Decoder
	summed *digestReader
	// entry is the one to read next; nil after the last.
	entry     *tar.Header
	header    Header
	encrypted bool
}

// openArchive reads the header of the archive in r. The caller closes the reader.
func openArchive(r io.Reader, key Key) (*reader, error) {
	content, encrypted, err := key.open(r)
	if err != nil {
		return nil, err
	}
	summed := newDigestReader(content)
	packed, err := zstd.NewReader(summed, zstd.WithDecoderMaxMemory(256<<20))
	if err != nil {
		return nil, err
	}
	a := &reader{tar: tar.NewReader(packed), zstd: packed, summed: summed, encrypted: encrypted}
	if err := a.begin(); err != nil {
		err = a.explain(err)
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *reader) begin() error {
	if err := a.next(); err != nil {
		return damaged("it does not begin like a backup of stoa: %w", err)
	}
	if a.entry == nil || a.entry.Name != headerEntry {
		return damaged("it does not begin like a backup of stoa")
	}
	if err := a.document(&a.header); err != nil {
		return err
	}
	if a.header.Format != formatVersion {
		return fmt.Errorf("the backup has format %d, and this program knows %d: restore with stoa %s",
			a.header.Format, formatVersion, a.header.Stoa)
	}
	return nil
}

func (a *reader) close() { a.zstd.Close() }

// next goes to the next entry.
func (a *reader) next() (err error) {
	a.entry, err = a.tar.Next()
	switch {
	case errors.Is(err, io.EOF):
		a.entry = nil
		return nil
	case err != nil:
		return damaged("%w", err)
	case a.entry.Typeflag != tar.TypeReg || !fs.ValidPath(a.entry.Name) || strings.Contains(a.entry.Name, `\`):
		return damaged("the entry %q cannot be in a backup", a.entry.Name)
	}
	return nil
}

// content returns the whole entry, and advances to the next.
func (a *reader) content(most int64) ([]byte, error) {
	if a.entry.Size > most {
		return nil, damaged("%s has %d bytes", a.entry.Name, a.entry.Size)
	}
	b := make([]byte, a.entry.Size)
	if _, err := io.ReadFull(a.tar, b); err != nil {
		return nil, damaged("%s: %w", a.entry.Name, err)
	}
	return b, a.next()
}

// document reads a JSON entry, and advances to the next.
func (a *reader) document(into any) error {
	name := a.entry.Name
	text, err := a.content(maxDocument)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return damaged("%s: %w", name, err)
	}
	return nil
}

// end reads the manifest, and checks that the archive ends with it.
func (a *reader) end() (m Manifest, err error) {
	if a.entry == nil || a.entry.Name != manifestEntry {
		return m, damaged("its end is missing")
	}
	if err := a.document(&m); err != nil {
		return m, err
	}
	if a.entry != nil {
		return m, damaged("%s follows the manifest", a.entry.Name)
	}
	// Read to the end of the stream, where its checksum is.
	if _, err := io.Copy(io.Discard, a.zstd); err != nil {
		return m, damaged("%w", err)
	}
	if a.header.Summed && !a.summed.found {
		return m, damaged("its checksum is missing")
	}
	return m, nil
}

// explain returns err, or that the archive is damaged if it is: the checksum is at the end of the
// stream, and damage may have caused any other error before.
func (a *reader) explain(err error) error {
	if err == nil || errors.Is(err, ErrDamaged) {
		return err
	}
	if _, broken := io.Copy(io.Discard, a.zstd); broken != nil {
		return damaged("%w (%w)", broken, err)
	}
	return err
}

package backup

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/klauspost/compress/zstd"
)

// writer writes the entries of an archive.
type writer struct {
	tar    *tar.Writer
	closes []io.Closer // from the innermost to the outermost
	at     time.Time   // of entries that are not files
}

func newWriter(w io.Writer, lock Lock, at time.Time) (*writer, error) {
	sealed, err := lock.seal(w)
	if err != nil {
		return nil, err
	}
	summed := newDigestWriter(sealed)
	packed, err := zstd.NewWriter(summed, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return nil, err
	}
	t := tar.NewWriter(packed)
	return &writer{tar: t, closes: []io.Closer{t, packed, summed, sealed}, at: at}, nil
}

// begin starts an entry of that size, whose content is written to w.tar next.
func (w *writer) begin(name string, size int64, mode fs.FileMode, changed time.Time) error {
	return w.tar.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: int64(mode.Perm()), ModTime: changed, Format: tar.FormatPAX,
	})
}

// put writes a whole entry.
func (w *writer) put(name string, content []byte) error {
	if err := w.begin(name, int64(len(content)), 0o600, w.at); err != nil {
		return err
	}
	_, err := w.tar.Write(content)
	return err
}

// document writes a JSON entry.
func (w *writer) document(name string, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.put(name, text)
}

// close completes the archive.
func (w *writer) close() error {
	var all []error
	for _, c := range w.closes {
		all = append(all, c.Close())
	}
	return errors.Join(all...)
}

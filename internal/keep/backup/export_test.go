package backup

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Entry is an entry of an archive.
type Entry struct {
	Name    string
	Content []byte
}

// Repack returns an archive with other entries and a valid digest, as an attacker who knows the
// format could make it.
func Repack(archive []byte, change func([]Entry) []Entry) ([]byte, error) {
	packed, err := zstd.NewReader(newDigestReader(bytes.NewReader(archive)))
	if err != nil {
		return nil, err
	}
	defer packed.Close()
	var entries []Entry
	for from := tar.NewReader(packed); ; {
		h, err := from.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(from)
		if err != nil {
			return nil, err
		}
		entries = append(entries, Entry{h.Name, content})
	}
	var b bytes.Buffer
	w, err := newWriter(&b, Lock{}, time.UnixMilli(1_900_000_000_000))
	if err != nil {
		return nil, err
	}
	for _, e := range change(entries) {
		if err := w.put(e.Name, e.Content); err != nil {
			return nil, err
		}
	}
	if err := w.close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// Quick locks with a passphrase that is as quickly guessed as tests are to run.
func Quick(passphrase string) Lock { return Lock{Passphrase: passphrase, work: 10} }

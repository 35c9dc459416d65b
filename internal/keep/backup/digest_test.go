package backup

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// archived returns a small archive.
func archived(tb testing.TB) []byte {
	tb.Helper()
	var b bytes.Buffer
	w, err := newWriter(&b, Lock{}, time.UnixMilli(1_900_000_000_000))
	if err != nil {
		tb.Fatal(err)
	}
	for _, err := range []error{
		w.document(headerEntry, Header{Format: formatVersion, Stoa: "1.0.0", Summed: true}),
		w.put("files/text", []byte(strings.Repeat("All work and no play. ", 200))),
		w.document(manifestEntry, Manifest{}), w.close(),
	} {
		if err != nil {
			tb.Fatal(err)
		}
	}
	return b.Bytes()
}

// readAll reads an archive to its end.
func readAll(archive io.Reader) error {
	a, err := openArchive(archive, Key{})
	if err != nil {
		return err
	}
	defer a.close()
	for a.entry != nil && a.entry.Name != manifestEntry {
		if _, err := a.content(maxChunk); err != nil {
			return a.explain(err)
		}
	}
	_, err = a.end()
	return a.explain(err)
}

// Every changed bit is an error, even one that does not affect the content: it shows that a disk
// loses bits.
func TestAnyChangedBitOfAnArchiveIsAnError(t *testing.T) {
	t.Parallel()
	good := archived(t)
	if err := readAll(iotest.OneByteReader(bytes.NewReader(good))); err != nil {
		t.Fatal(err)
	}
	for i := range good {
		for bit := range 8 {
			broken := slices.Clone(good)
			broken[i] ^= 1 << bit
			if err := readAll(bytes.NewReader(broken)); err == nil {
				t.Errorf("bit %d of byte %d of %d was not missed", bit, i, len(good))
			}
		}
		if err := readAll(bytes.NewReader(good[:i])); err == nil {
			t.Errorf("the first %d bytes of %d pass for all", i, len(good))
		}
	}
	if err := readAll(bytes.NewReader(good[:len(good)-digestSize])); !errors.Is(err, ErrDamaged) {
		t.Errorf("without its digest: %v", err)
	}
}

func FuzzArchives(f *testing.F) {
	good := archived(f)
	f.Add(good)
	f.Add(good[:len(good)-digestSize])
	f.Add([]byte(encryptedMagic + "v1\n"))
	f.Fuzz(func(_ *testing.T, archive []byte) {
		_ = readAll(bytes.NewReader(archive)) // must not panic, nor hang
	})
}

package archive_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit/ziptest"
)

// stated is a file whose headers state these sizes, whatever its real ones are.
type stated struct {
	name         string
	packed, size uint32
}

// withSizes returns a package with files that state those sizes. They cannot be
// unpacked.
func withSizes(tb testing.TB, files ...stated) []byte {
	tb.Helper()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, e := range base() {
		w, err := zw.Create(e.Name)
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := io.WriteString(w, e.Body); err != nil {
			tb.Fatal(err)
		}
	}
	for _, f := range files {
		method := zip.Deflate
		if f.packed == f.size {
			method = zip.Store
		}
		w, err := zw.CreateRaw(&zip.FileHeader{
			Name: f.name, Method: method, CompressedSize64: uint64(f.packed), UncompressedSize64: uint64(f.size),
		})
		if err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write(make([]byte, f.packed)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

// plain returns a package with one more file a.js whose headers state everything
// up front, so that every byte of it is where a test expects it.
func plain(tb testing.TB, method uint16, packed []byte, size int, content string) []byte {
	tb.Helper()
	return raw(tb, &zip.FileHeader{
		Name: "a.js", Method: method, CRC32: crc32.ChecksumIEEE([]byte(content)),
		CompressedSize64: uint64(len(packed)), UncompressedSize64: uint64(size),
	}, packed)
}

func raw(tb testing.TB, h *zip.FileHeader, packed []byte) []byte {
	tb.Helper()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, e := range base() {
		w, err := zw.Create(e.Name)
		if err != nil {
			tb.Fatal(err)
		}
		_, _ = io.WriteString(w, e.Body)
	}
	w, err := zw.CreateRaw(h)
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = w.Write(packed)
	if err := zw.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

func deflate(tb testing.TB, content string) []byte {
	tb.Helper()
	var buf bytes.Buffer
	w, err := flate.NewWriter(&buf, flate.BestCompression)
	if err != nil {
		tb.Fatal(err)
	}
	_, _ = io.WriteString(w, content)
	_ = w.Close()
	return buf.Bytes()
}

const content = "export const a = 1; export const b = 1; export const c = 1;"

// header returns a slice of data that begins at the last local (PK34) or central
// (PK12) header of a.js.
func header(tb testing.TB, data []byte, sig string) []byte {
	tb.Helper()
	at := bytes.LastIndex(data, []byte(sig))
	if at < 0 {
		tb.Fatal("no such header")
	}
	return data[at:]
}

const (
	local   = "PK\x03\x04"
	central = "PK\x01\x02"
	end     = "PK\x05\x06"
)

func set16(b []byte, at int, v uint16) { binary.LittleEndian.PutUint16(b[at:], v) }
func set32(b []byte, at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
func add32(b []byte, at, n int)        { set32(b, at, uint32(int(binary.LittleEndian.Uint32(b[at:]))+n)) }

var otherLayouts = []struct {
	name   string
	damage func(tb testing.TB, data []byte) []byte
	entry  string
	want   string // part of the message; empty means valid
}{
	{"untouched", func(_ testing.TB, d []byte) []byte { return d }, "", ""},
	{"empty file", func(testing.TB, []byte) []byte { return nil }, "", "not a ZIP archive"},
	{
		"no ZIP file",
		func(testing.TB, []byte) []byte { return []byte("PK but not really, and longer than an end record") },
		"",
		"not a ZIP archive",
	},
	{"cut off", func(_ testing.TB, d []byte) []byte { return d[:len(d)-1] }, "", "not a ZIP archive"},
	{"one byte behind", func(_ testing.TB, d []byte) []byte { return append(d, 0) }, "", "data after"},
	{
		"an archive behind",
		func(tb testing.TB, d []byte) []byte { return append(d, good(tb)...) },
		"",
		"does not end where",
	},
	{"a comment", func(tb testing.TB, d []byte) []byte {
		set16(header(tb, d, end), 20, 5)
		return append(d, "hello"...)
	}, "", ""},
	{"a comment that is an end record", func(tb testing.TB, d []byte) []byte {
		fake := slices.Clone(header(tb, d, end))
		set16(header(tb, d, end), 20, uint16(len(fake)))
		return append(d, fake...)
	}, "", "does not end where"},
	{
		"one byte in front",
		func(_ testing.TB, d []byte) []byte { return append([]byte("#"), d...) },
		"",
		"does not end where",
	},
	{
		"a script in front, with corrected offsets",
		func(tb testing.TB, d []byte) []byte { return shift(tb, d, "#!/bin/sh\n") },
		"manifest.json",
		"before the archive's first entry",
	},
	{
		"data between entries",
		func(tb testing.TB, d []byte) []byte { return insert(tb, d, local, "hidden") },
		"dist/index.js",
		"not followed by",
	},
	{
		"data before the directory",
		func(tb testing.TB, d []byte) []byte { return insertBeforeDirectory(tb, d, "hidden") },
		"",
		"before the central directory",
	},
	{"more entries than stated", func(tb testing.TB, d []byte) []byte {
		e := header(tb, d, end)
		set16(e, 8, 2)
		set16(e, 10, 2)
		return d
	}, "", "holds more than"},
	{"fewer entries than stated", func(tb testing.TB, d []byte) []byte {
		e := header(tb, d, end)
		set16(e, 8, 4)
		set16(e, 10, 4)
		return d
	}, "", "directory is damaged"},
	{
		"several disks",
		func(tb testing.TB, d []byte) []byte { set16(header(tb, d, end), 4, 1); return d },
		"",
		"several parts",
	},
	{
		"entry on another disk",
		func(tb testing.TB, d []byte) []byte { set16(header(tb, d, central), 34, 1); return d },
		"a.js",
		"several parts",
	},
	{"ZIP64 end", func(tb testing.TB, d []byte) []byte { set32(header(tb, d, end), 16, 1<<32-1); return d }, "", "ZIP64"},
	{
		"ZIP64 entry",
		func(tb testing.TB, d []byte) []byte { set32(header(tb, d, central), 24, 1<<32-1); return d },
		"a.js",
		"ZIP64",
	},

	{"encrypted", both(8, 6, 1), "a.js", "encrypted"},
	{"strongly encrypted", both(8, 6, 1<<6), "a.js", "encrypted"},
	{"masked header", both(8, 6, 1<<13), "a.js", "encrypted"},
	{"other method", both(10, 8, 12), "a.js", "method other than"},
	{
		"other method in the local header",
		func(tb testing.TB, d []byte) []byte { set16(header(tb, d, local), 8, 0); return d },
		"a.js",
		"disagree",
	},
	{
		"other flags in the local header",
		func(tb testing.TB, d []byte) []byte { set16(header(tb, d, local), 6, 1<<11); return d },
		"a.js",
		"disagree",
	},
	{
		"other name in the local header",
		func(tb testing.TB, d []byte) []byte { header(tb, d, local)[30] = 'b'; return d },
		"a.js",
		"disagree",
	},
	{
		"other checksum in the local header",
		func(tb testing.TB, d []byte) []byte { add32(header(tb, d, local), 14, 1); return d },
		"a.js",
		"disagree",
	},
	{
		"other packed size in the local header",
		func(tb testing.TB, d []byte) []byte { add32(header(tb, d, local), 18, -1); return d },
		"a.js",
		"disagree",
	},
	{
		"other size in the local header",
		func(tb testing.TB, d []byte) []byte { add32(header(tb, d, local), 22, 1); return d },
		"a.js",
		"disagree",
	},
	{
		"no local header",
		func(tb testing.TB, d []byte) []byte { header(tb, d, local)[0] = 'X'; return d },
		"a.js",
		"local header is damaged",
	},
	{"shorter data", func(tb testing.TB, d []byte) []byte {
		add32(header(tb, d, central), 20, -1)
		add32(header(tb, d, local), 18, -1)
		return d
	}, "", "before the central directory"},
	{"longer data", func(tb testing.TB, d []byte) []byte {
		add32(header(tb, d, central), 20, 1)
		add32(header(tb, d, local), 18, 1)
		return d
	}, "a.js", "overlaps"},
	{"same data twice", func(tb testing.TB, d []byte) []byte {
		last := header(tb, d, central)
		before := header(tb, d[:len(d)-len(last)], central)
		copy(last[42:46], before[42:46])
		return d
	}, "dist/index.js", "overlaps"},
	{"streamed, and the size is known up front", func(tb testing.TB, d []byte) []byte {
		set32(header(tb, d[:bytes.LastIndex(d, []byte(local))], local), 22, uint32(len("export default () => {}")))
		return d
	}, "", ""},
	{"streamed, and another size is known up front", func(tb testing.TB, d []byte) []byte {
		set32(header(tb, d[:bytes.LastIndex(d, []byte(local))], local), 22, 7)
		return d
	}, "dist/index.js", "disagree"},
	{"other description behind streamed data", func(tb testing.TB, d []byte) []byte {
		add32(header(tb, d[:bytes.LastIndex(d, []byte(local))], "PK\x07\x08"), 4, 1)
		return d
	}, "dist/index.js", "disagree"},
}

// TestInspectRefusesOtherLayouts tests the rules of contract 4.2 for the file as a
// whole. Each row breaks a valid archive in one place.
func TestInspectRefusesOtherLayouts(t *testing.T) {
	t.Parallel()

	for _, tt := range otherLayouts {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			packed := deflate(t, content)
			_, err := inspect(tt.damage(t, plain(t, zip.Deflate, packed, len(content), content)))
			check(t, err, tt.entry, tt.want)
		})
	}
}

// both changes a 16-bit field of a.js in the central and the local header.
func both(inCentral, inLocal int, v uint16) func(testing.TB, []byte) []byte {
	return func(tb testing.TB, d []byte) []byte {
		set16(header(tb, d, central), inCentral, v)
		set16(header(tb, d, local), inLocal, v)
		return d
	}
}

// shift puts text in front and corrects all offsets.
func shift(tb testing.TB, d []byte, text string) []byte {
	tb.Helper()
	d = append([]byte(text), d...)
	for at := 0; ; {
		i := bytes.Index(d[at:], []byte(central))
		if i < 0 {
			break
		}
		at += i
		add32(d[at:], 42, len(text))
		at += 4
	}
	add32(header(tb, d, end), 16, len(text))
	return d
}

// insert puts text before the last local header and corrects the offsets of the
// entry and the directory.
func insert(tb testing.TB, d []byte, sig, text string) []byte {
	tb.Helper()
	at := bytes.LastIndex(d, []byte(sig))
	d = slices.Insert(d, at, []byte(text)...)
	add32(header(tb, d, central), 42, len(text))
	add32(header(tb, d, end), 16, len(text))
	return d
}

func insertBeforeDirectory(tb testing.TB, d []byte, text string) []byte {
	tb.Helper()
	d = slices.Insert(d, bytes.Index(d, []byte(central)), []byte(text)...)
	add32(header(tb, d, end), 16, len(text))
	return d
}

// Info-ZIP readers take the name from this extra field; others do not.
func TestInspectRefusesASecondName(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct{ name, other, want string }{
		{"the same", "a.js", ""},
		{"another", "b.js", "second name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			extra := append([]byte{0x75, 0x70, byte(5 + len(tt.other)), 0, 1, 0, 0, 0, 0}, tt.other...)
			packed := deflate(t, content)
			data := raw(t, &zip.FileHeader{
				Name: "a.js", Method: zip.Deflate, Extra: extra, CRC32: crc32.ChecksumIEEE([]byte(content)),
				CompressedSize64: uint64(len(packed)), UncompressedSize64: uint64(len(content)),
			}, packed)
			_, err := inspect(data)
			entry := ""
			if tt.want != "" {
				entry = "a.js"
			}
			check(t, err, entry, tt.want)
		})
	}
}

// A package whose content is not what it states must not be installed, and must
// not fill the disk while that is found out.
func TestExtractToRefusesOtherContent(t *testing.T) {
	t.Parallel()

	bomb := strings.Repeat("A", 1<<20)
	tests := []struct {
		name    string
		archive []byte
		want    string // part of the message; empty means valid
	}{
		{"true", plain(t, zip.Deflate, deflate(t, content), len(content), content), ""},
		{"states less than there is", plain(t, zip.Deflate, deflate(t, bomb), 10, bomb[:10]), "does not have the length"},
		{
			"states more than there is",
			plain(t, zip.Deflate, deflate(t, content), len(content)+1, content),
			"does not have the length",
		},
		{"wrong checksum", plain(t, zip.Deflate, deflate(t, content), len(content), "other"), "checksum"},
		{"wrong checksum, stored", plain(t, zip.Store, []byte(content), len(content), "other"), "checksum"},
		{"no checksum", plain(t, zip.Store, []byte(content), len(content), ""), "checksum"},
		{"damaged", plain(t, zip.Deflate, []byte{0xff, 0xff, 0xff}, len(content), content), "cannot be unpacked"},
		{"cut off", plain(t, zip.Deflate, deflate(t, content)[:10], len(content), content), "cut short"},
		{
			"hidden behind the end of the stream",
			plain(t, zip.Deflate, append(deflate(t, content), "hidden"...), len(content), content),
			"does not have the length",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			p, err := inspect(tt.archive)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			err = extract(t, p, dir)
			entry := ""
			if tt.want != "" {
				entry = "a.js"
			}
			check(t, err, entry, tt.want)
			stated := size(p)
			var written int64
			for _, text := range tree(t, dir) {
				written += int64(len(text))
			}
			if written > stated {
				t.Errorf("wrote %d bytes, the archive states %d", written, stated)
			}
		})
	}
}

// What common tools make must be accepted: sizes up front as well as streamed.
func TestInspectAcceptsStreamedAndPlainEntries(t *testing.T) {
	t.Parallel()

	streamed := ziptest.Build(t, base()...)
	if !bytes.Contains(streamed, []byte("PK\x07\x08")) {
		t.Fatal("the archive has no data descriptors; the test tests nothing")
	}
	_, err := inspect(streamed)
	check(t, err, "", "")
	_, err = inspect(plain(t, zip.Store, []byte(content), len(content), content))
	check(t, err, "", "")
}

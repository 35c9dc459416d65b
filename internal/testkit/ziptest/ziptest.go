// Package ziptest builds ZIP archives for tests, valid and hostile ones. It imports
// nothing of stoa, so that the tests of every package may use it.
package ziptest

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"time"
)

// Entry is one entry of an archive. A name that ends in a slash is a directory.
type Entry struct {
	Name string
	Body string
	Mode fs.FileMode // type bits; 0 means a regular file, or a directory by name
	// Store keeps the body uncompressed.
	Store bool
}

// Build returns an archive with the given entries, in their order. It does not check
// names and modes. The same entries give the same bytes.
func Build(tb testing.TB, entries ...Entry) []byte {
	tb.Helper()
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.Name, Method: zip.Deflate, Modified: time.Date(2030, 3, 1, 12, 0, 0, 0, time.UTC)}
		mode := e.Mode
		if mode == 0 && len(e.Name) > 0 && e.Name[len(e.Name)-1] == '/' {
			mode = fs.ModeDir
		}
		h.SetMode(mode | 0o644)
		if e.Store {
			h.Method = zip.Store
		}
		w, err := zw.CreateHeader(h)
		if err != nil {
			tb.Fatal(err)
		}
		if len(e.Body) == 0 {
			continue // writing to a directory fails, even nothing
		}
		if _, err := w.Write([]byte(e.Body)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := zw.Close(); err != nil {
		tb.Fatal(err)
	}
	return buf.Bytes()
}

// Plugin returns a plugin package with manifest.json and the files, by name. The same
// arguments give the same bytes.
func Plugin(tb testing.TB, manifest any, files map[string]string) []byte {
	tb.Helper()
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		tb.Fatal(err)
	}
	entries := []Entry{{Name: "manifest.json", Body: string(text)}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, Entry{Name: name, Body: files[name]})
	}
	return Build(tb, entries...)
}

// Package themes holds the sources of the example themes, and builds the archives that an
// administrator would install. The demo and the tests use both.
package themes

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"time"
)

//go:embed aurora corner
var sources embed.FS

// Archive returns the installable archive of an example theme: of all files in its folder.
// It is the same each time, which an installation recognizes.
func Archive(name string) ([]byte, error) {
	files, err := sources.ReadDir(name)
	if err != nil {
		return nil, fmt.Errorf("there is no example theme %q: %w", name, err)
	}
	var buf bytes.Buffer
	zw := zip.NewWriter(&buf)
	for _, file := range files {
		content, err := sources.ReadFile(name + "/" + file.Name())
		if err != nil {
			return nil, err
		}
		w, err := zw.CreateHeader(&zip.FileHeader{
			Name: file.Name(), Method: zip.Deflate, Modified: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC),
		})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(content); err != nil {
			return nil, err
		}
	}
	if err := zw.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

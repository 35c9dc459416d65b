//go:build !race

package install_test

import (
	"archive/zip"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"stoa/internal/extension"
)

// An install needs the same memory however large the archive is: its files pass through
// small buffers, which are used again. Not parallel, because it counts what the whole
// process allocates, and not with the race detector, with which pools lose some of what they get.
func TestMemoryOfAnInstallDoesNotGrowWithTheArchive(t *testing.T) { //nolint:paralleltest // see above
	in := mustOpen(t, t.TempDir(), nothing)
	_ = allocated(t, in, 2, 1000) // what is made once
	base := allocated(t, in, 2, 1000)
	large := allocated(t, in, 2, 20<<20)
	if large > base+1<<20 {
		t.Errorf("an install of 40 MiB allocates %d KiB", large>>10)
	}
	// What is known of each file is a few hundred bytes; unpacking it needs little more.
	const many, each = 2000, 10 << 10
	got := allocated(t, in, many, 10_000)
	if got > base+many*each {
		t.Errorf("an install of %d files allocates %d KiB", many, got>>10)
	}
	t.Logf("two small files: %d KiB, two large: %d KiB, %d files: %d KiB", base>>10, large>>10, many, got>>10)
}

// allocated returns how many bytes are allocated by receiving and installing a package with
// that many files of that size.
func allocated(t *testing.T, in *installer, files, size int) int64 {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "package.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buffered := bufio.NewWriter(f)
	zw := zip.NewWriter(buffered)
	write := func(name string, method uint16, size int64, content io.Reader) {
		w, err := zw.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err == nil {
			_, err = io.CopyN(w, content, size)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text := fmt.Sprintf(`{"schemaVersion":1,"slug":"p%d-%d","name":"P","version":"1.0.0","runtimeType":"external-http",`+
		`"externalBaseUrl":"https://plugin.example"}`, files, size)
	write("manifest.json", zip.Store, int64(len(text)), strings.NewReader(text))
	for i := range files {
		method := zip.Store
		if i%2 == 0 && size < 1<<20 {
			method = zip.Deflate
		}
		write(fmt.Sprintf("lib/%d.js", i), method, int64(size), zeros{})
	}
	if err := errors.Join(zw.Close(), buffered.Flush()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	up, err := in.Receive(extension.Plugin, f)
	if err != nil {
		t.Fatal(err)
	}
	_, err = in.Install(t.Context(), extension.Plugin, up)
	runtime.ReadMemStats(&after)
	if err := up.Close(); err != nil {
		t.Error(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Plugins.Purge(t.Context(), fmt.Sprintf("p%d-%d", files, size)); err != nil {
		t.Fatal(err)
	}
	return int64(after.TotalAlloc - before.TotalAlloc)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

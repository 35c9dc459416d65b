//go:build linux

package httpapi_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// smallDisk mounts a disk of a few MiB in memory.
func smallDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skip("this user may not mount file systems; run the test as root: ", err) // CI does not always run as root
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill leaves no byte free, and returns the file that takes the room.
func fill(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, size := range []int{1 << 20, 4 << 10, 1} {
		for err = nil; err == nil; _, err = f.Write(make([]byte, size)) {
		}
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatal(err)
		}
	}
	return path
}

func (s *stricken) metrics(t *testing.T) string {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/metrics", nil)
	s.OpsHandler().ServeHTTP(w, r)
	text, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// freeBytes returns what the metrics tell of a place.
func (s *stricken) freeBytes(t *testing.T, place string) float64 {
	t.Helper()
	m := regexp.MustCompile(`(?m)^stoa_disk_free_bytes\{place="` + place + `"\} (\S+)$`).FindStringSubmatch(s.metrics(t))
	if m == nil {
		t.Fatalf("no metric of %s", place)
	}
	free, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return free
}

func TestAFullDiskRefusesWhatWouldBeStoredOnly(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, "24m")
	s := newStricken(t, func(_ testing.TB, cfg *app.Config) {
		cfg.DataDir, cfg.DatabaseURL = dir, filepath.Join(dir, "stoa.db")
	})
	// Both places are on one disk, to which a start may still write between two readings.
	waittest.True(t, "the free space is the same in both places", func() bool {
		free := s.freeBytes(t, "database")
		return free > 0 && free <= 24<<20 && s.freeBytes(t, "files") == free
	})
	filler := fill(t, dir)
	bought := 0
	for ; bought < 5000; bought++ { // SQLite uses up what its files had
		if res := s.Do(t, testkit.Purchase("", "once")); res.Status != http.StatusOK {
			wantOutage(t, "a purchase", res, "STORAGE_FULL")
			break
		}
	}
	s.wantChangesRefused(t, "STORAGE_FULL")
	wantOutage(t, "an install", s.Install(t, s.Admin.Access, "plugin", testkit.ExternalPlugin(t, "other", nil)), "STORAGE_FULL")
	s.wantReadServed(t)
	if free := s.freeBytes(t, "files"); free != 0 {
		t.Errorf("free: %v, want 0", free)
	}
	if !strings.Contains(s.metrics(t), "\nstoa_writing_ok 0\n") {
		t.Error("the metrics say that writing works")
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	s.wantRecovered(t)
}

package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/data/blob"
)

// pictures are files of ten bytes in a Store, and a folder that is a cache of it.
type pictures struct {
	dir    string
	remote *blob.Folder
	names  []string
}

func newPictures(t *testing.T, n int) *pictures {
	t.Helper()
	p := &pictures{dir: filepath.Join(t.TempDir(), "cache")}
	var err error
	if p.remote, err = blob.OpenFolder(filepath.Join(t.TempDir(), "remote")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.remote.Close() })
	other := p.open(t, t.TempDir(), 0)
	for i := range n {
		name, err := other.Put(t.Context(), content(i), "svg")
		if err != nil {
			t.Fatal(err)
		}
		p.names = append(p.names, name)
	}
	return p
}

func content(i int) []byte { return fmt.Appendf(nil, "picture %2d", i) }

func (p *pictures) open(t *testing.T, dir string, limit int64) *blob.Files {
	t.Helper()
	f, err := blob.Open(dir, p.remote, "media/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := f.Bound(limit); err != nil {
		t.Fatal(err)
	}
	return f
}

// get opens a picture, which the caller closes.
func (p *pictures) get(t *testing.T, f *blob.Files, i int) *os.File {
	t.Helper()
	file, err := f.Get(t.Context(), p.names[i])
	if err != nil {
		t.Fatalf("picture %d: %v", i, err)
	}
	return file
}

func (p *pictures) show(t *testing.T, f *blob.Files, which ...int) {
	t.Helper()
	for _, i := range which {
		file, err := f.Get(t.Context(), p.names[i])
		if err != nil {
			t.Errorf("picture %d: %v", i, err)
			continue
		}
		if got, err := io.ReadAll(file); err != nil || !bytes.Equal(got, content(i)) {
			t.Errorf("picture %d = %q, %v", i, got, err)
		}
		file.Close()
	}
}

// there returns which pictures are in the cache, such as "0 2".
func (p *pictures) there(t *testing.T) string {
	t.Helper()
	var list []string
	for i, name := range p.names {
		if _, err := os.Stat(filepath.Join(p.dir, name)); err == nil {
			list = append(list, fmt.Sprint(i))
		}
	}
	return strings.Join(list, " ")
}

func TestABoundedCacheKeepsWhatWasAskedForLast(t *testing.T) {
	t.Parallel()

	p := newPictures(t, 5)
	f := p.open(t, p.dir, 30)
	for _, step := range []struct {
		ask  int
		want string
	}{{0, "0"}, {1, "0 1"}, {2, "0 1 2"}, {0, "0 1 2"}, {3, "0 2 3"}, {1, "0 1 3"}, {4, "1 3 4"}} {
		p.show(t, f, step.ask)
		if got := p.there(t); got != step.want {
			t.Errorf("after %d, the cache has %s, want %s", step.ask, got, step.want)
		}
	}
	if err := f.Remove(t.Context(), p.names[4]); err != nil {
		t.Fatal(err)
	}
	if p.show(t, f, 0); p.there(t) != "0 1 3" {
		t.Errorf("a removed file still counts: the cache has %s", p.there(t))
	}
}

// A file that is larger than the cache is shown, too, and one that is removed
// while it is read stays readable to its end.
func TestABoundedCacheTakesNothingFromReaders(t *testing.T) {
	t.Parallel()

	p := newPictures(t, 2)
	f := p.open(t, p.dir, 1)
	file := p.get(t, f, 0)
	defer file.Close()
	p.show(t, f, 1)
	if got := p.there(t); got != "1" {
		t.Errorf("the cache has %s", got)
	}
	if got, err := io.ReadAll(file); err != nil || !bytes.Equal(got, content(0)) {
		t.Errorf("what was open = %q, %v", got, err)
	}

	p = newPictures(t, 20)
	f = p.open(t, p.dir, 30)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range 200 {
				i := rand.IntN(len(p.names))
				file, err := f.Get(t.Context(), p.names[i])
				if err != nil {
					t.Errorf("picture %d: %v", i, err)
					return
				}
				if got, err := io.ReadAll(file); err != nil || !bytes.Equal(got, content(i)) {
					t.Errorf("picture %d = %q, %v", i, got, err)
				}
				file.Close()
			}
		})
	}
	readers.Wait()
	for range 4 { // files that were being opened then may be removed now
		p.show(t, f, rand.IntN(len(p.names)))
	}
	p.show(t, f, 0, 1, 2, 3)
	if got := p.there(t); got != "1 2 3" {
		t.Errorf("the cache has %s", got)
	}
}

// Files that an earlier process put into the folder count, the oldest first. A file that is not in
// the Store is never removed.
func TestABoundedCacheRemembersWhatItHasAndLosesNothing(t *testing.T) {
	t.Parallel()

	p := newPictures(t, 4)
	before := p.open(t, p.dir, 0)
	for i := range 3 {
		p.show(t, before, i)
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(filepath.Join(p.dir, p.names[i]), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.remote.Delete(t.Context(), "media/"+p.names[0]); err != nil {
		t.Fatal(err)
	}
	p.show(t, p.open(t, p.dir, 20), 3)
	if got := p.there(t); got != "0 2 3" {
		t.Errorf("the cache has %s, want the only copy and the last two", got)
	}

	alone, err := blob.Open(t.TempDir(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = alone.Close() })
	if err := alone.Bound(1); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if _, err := alone.Put(t.Context(), content(i), "svg"); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := alone.List(t.Context()); err != nil || len(list) != 3 {
		t.Errorf("a folder that is no cache has %d files, %v", len(list), err)
	}
}

// asked is a Store that counts the Stat calls for each file, and does not answer those for one of
// them.
type asked struct {
	*blob.Folder
	silent string

	mu    sync.Mutex
	times map[string]int
}

func (a *asked) Stat(ctx context.Context, key string) (blob.Object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.times[key]++; key == a.silent {
		return blob.Object{}, errors.New("no answer")
	}
	return a.Folder.Stat(ctx, key)
}

// The bound applies to the files found at the start: the oldest are removed, and so are those that
// a crash left partially written, but none that may still be written. The Store is asked about each
// file once, however many readers there are. If it does not answer about one, that file stays, and
// the others are still removed.
func TestABoundedCacheIsTrimmedAtTheStart(t *testing.T) {
	t.Parallel()

	p := newPictures(t, 12)
	before := p.open(t, p.dir, 0)
	for i := range 8 {
		p.show(t, before, i)
		at := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(filepath.Join(p.dir, p.names[i]), at, at); err != nil {
			t.Fatal(err)
		}
	}
	old, young := filepath.Join(p.dir, ".tmp-old"), filepath.Join(p.dir, ".tmp-young")
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	remote := &asked{Folder: p.remote, silent: "media/" + p.names[0], times: make(map[string]int)}
	f, err := blob.Open(p.dir, remote, "media/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := f.Bound(40); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the leftover of a crash is still there: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("the file that is being written is gone: %v", err)
	}
	f.Trim(t.Context()) // ends at the first file, which moves behind the others
	var readers sync.WaitGroup
	for i := 8; i < 12; i++ {
		readers.Go(func() { p.show(t, f, i) })
	}
	readers.Wait()
	f.Trim(t.Context())
	if got := p.there(t); got != "8 9 10 11" && !strings.HasPrefix(got, "0 ") {
		t.Errorf("the cache has %s", got)
	} else if n := len(strings.Fields(got)); n != 4 {
		t.Errorf("the cache has %d files: %s", n, got)
	}
	remote.mu.Lock()
	defer remote.mu.Unlock()
	for key, n := range remote.times {
		if n > 1 && key != remote.silent {
			t.Errorf("asked %d times about %s", n, key)
		}
	}
}

// Two processes with one folder may remove files that the other has just fetched.
func TestTwoBoundedCachesShareAFolder(t *testing.T) {
	t.Parallel()

	p := newPictures(t, 3)
	var readers sync.WaitGroup
	for range 2 {
		f := p.open(t, p.dir, 1)
		for range 2 {
			readers.Go(func() {
				for range 500 {
					p.show(t, f, rand.IntN(len(p.names)))
				}
			})
		}
	}
	readers.Wait()
}

package blob

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// evictAtOnce is the most files that are removed when one is added.
	evictAtOnce = 16
	// leftoverAfter is the age at which a partially written file counts as left over from a crash.
	leftoverAfter = time.Hour
)

// cache limits the folder of Files that are kept in a remote Store: it removes the least recently
// used ones. A file that is open stays readable. It counts what this process put there and what it
// found at its start.
//
// A nil cache has no limit.
type cache struct {
	limit  int64 // bytes
	root   *os.Root
	remote Store
	prefix string

	mu     sync.Mutex
	size   int64
	recent *list.List // of *cached; the most recently used is first
	files  map[string]*list.Element
	wanted map[string]int // calls that are about to open a file, which must stay

	trimming sync.Mutex // held by the goroutine that removes files
}

type cached struct {
	name   string
	size   int64
	remote bool // it is known to be in the Store
}

// Bound limits the folder to about that many bytes, if it is a cache. A single file may exceed it.
// Call it before the Files are used, and Trim afterwards.
func (f *Files) Bound(limit int64) error {
	if f.remote == nil || limit <= 0 {
		return nil
	}
	if err := f.removeLeftovers(time.Now().Add(-leftoverAfter)); err != nil {
		return err
	}
	there, err := f.listLocal()
	if err != nil {
		return err
	}
	slices.SortFunc(there, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	c := &cache{
		limit: limit, root: f.root, remote: f.remote, prefix: f.prefix,
		recent: list.New(), files: make(map[string]*list.Element), wanted: make(map[string]int),
	}
	for _, info := range there {
		c.insert(&cached{name: info.Name(), size: info.Size()})
	}
	f.cache = c
	return nil
}

// removeLeftovers removes files that crashed processes were writing before a time.
func (f *Files) removeLeftovers(before time.Time) error {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return fmt.Errorf("blob: %w", err)
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), tmpPrefix) || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && info.ModTime().Before(before) {
			_ = f.root.Remove(entry.Name()) // else at the next start
		}
	}
	return nil
}

// Trim removes files until the folder is within the limit. It asks the Store about each file that
// an earlier process put there, so it may take a while. What it cannot remove is removed when
// others are added.
func (f *Files) Trim(ctx context.Context) {
	if f.cache != nil {
		f.cache.trim(ctx, math.MaxInt)
	}
}

// want keeps a file from being removed until the returned function is called.
func (c *cache) want(name string) (done func()) {
	if c == nil {
		return func() {}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted[name]++
	if e := c.files[name]; e != nil {
		c.recent.MoveToFront(e)
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.wanted[name]--; c.wanted[name] == 0 {
			delete(c.wanted, name)
		}
	}
}

// added counts a file that is in the Store and was put into the folder, and evicts a few others if
// necessary, so that the caller does not wait long. Later calls retry what cannot be removed now.
func (c *cache) added(ctx context.Context, name string, size int64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	c.insert(&cached{name: name, size: size, remote: true})
	c.mu.Unlock()
	c.trim(ctx, evictAtOnce)
}

// trim removes files until the folder is within the limit. If another goroutine is doing so, it
// returns: two would only ask the Store about the same files.
func (c *cache) trim(ctx context.Context, atMost int) {
	if !c.trimming.TryLock() {
		return
	}
	defer c.trimming.Unlock()
	for range atMost {
		victim := c.victim()
		if victim == nil || !c.evict(ctx, victim) {
			return
		}
	}
}

// insert counts a file as the most recently used. The caller holds mu, or has the only reference.
func (c *cache) insert(file *cached) {
	c.drop(file.name)
	c.files[file.name] = c.recent.PushFront(file)
	c.size += file.size
}

// drop forgets a file. The caller holds mu.
func (c *cache) drop(name string) {
	if e := c.files[name]; e != nil {
		c.size -= e.Value.(*cached).size //nolint:forcetypeassert // nothing else is in the list
		c.recent.Remove(e)
		delete(c.files, name)
	}
}

// removed forgets a file that was removed.
func (c *cache) removed(name string) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(name)
}

// victim returns the file to remove next, or nil if none has to be removed, or can be.
func (c *cache) victim() *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size <= c.limit {
		return nil
	}
	for e := c.recent.Back(); e != c.recent.Front(); e = e.Prev() {
		if file := e.Value.(*cached); c.wanted[file.name] == 0 { //nolint:forcetypeassert // nothing else is in the list
			return file
		}
	}
	return nil
}

// evict removes a file from the folder, unless it was requested meanwhile, and reports whether to
// continue with others. A file that is not in the Store stays and is no longer counted: it may be
// the only copy.
func (c *cache) evict(ctx context.Context, victim *cached) bool {
	if !victim.remote {
		_, err := c.remote.Stat(ctx, c.prefix+victim.name)
		if errors.Is(err, fs.ErrNotExist) {
			c.removed(victim.name)
			return true
		} else if err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.postpone(victim.name)
			return false
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wanted[victim.name] > 0 {
		return true
	}
	if err := c.root.Remove(victim.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.postpone(victim.name) // some systems do not remove open files
		return false
	}
	c.drop(victim.name)
	return true
}

// postpone moves a file to the front, so that others are evicted first. The caller holds mu.
func (c *cache) postpone(name string) {
	if e := c.files[name]; e != nil {
		c.recent.MoveToFront(e)
	}
}

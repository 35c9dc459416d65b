package node

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"stoa/internal/run/child"
)

// boot is what Node.js runs: it loads the host program with V8's code cache.
//
//go:embed boot.cjs
var boot string

// warmAfter is how long after the first start the code cache is made: not while the
// first plugins start.
const warmAfter = time.Second

// cacheLife is how long a kept cache is left there without being used.
const cacheLife = 30 * 24 * time.Hour

// codeCache writes V8's compiled form of the host program, once, in the background, unless an
// earlier run of stoa has kept it. Processes that start before it is there compile for themselves.
type codeCache struct {
	stop context.CancelFunc
	done sync.WaitGroup

	restored bool // it was made by an earlier run, or by another Runtime
}

// makeCodeCache begins to write the cache to files. The arguments must be those of
// the processes that use it: V8 refuses a cache that was made with others.
func makeCodeCache(cfg Config, files *hostFiles) *codeCache {
	ctx, stop := context.WithCancel(context.Background())
	c := &codeCache{stop: stop, restored: files.restoreCache()}
	if c.restored {
		return c
	}
	c.done.Go(func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(warmAfter):
		}
		if _, err := os.Stat(files.cache); err == nil {
			return // made by another Runtime
		}
		cache, err := writeCodeCache(ctx, cfg, files)
		if err != nil {
			if ctx.Err() == nil {
				cfg.Log.Warn("plugins start slower than they could: no code cache of their host", slog.Any("err", err))
			}
			return
		}
		if err := files.keepCache(cache); err != nil {
			cfg.Log.Warn("the first plugins start slower next time: the code cache of their host cannot be kept",
				slog.Any("err", err))
		}
	})
	return c
}

// close stops making the cache, if that still goes on.
func (c *codeCache) close() {
	c.stop()
	c.done.Wait()
}

// cacheLimit is how long Node.js may take to make the cache, for which nothing waits.
const cacheLimit = 5 * time.Minute

func writeCodeCache(ctx context.Context, cfg Config, files *hostFiles) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, cacheLimit)
	defer cancel()
	cmd := files.machine.Command(ctx, cfg.MemoryMiB, files.boot)
	cmd.Env = append(cmd.Env, "STOA_WARM=1")
	cache, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	if len(cache) == 0 {
		return nil, errors.New("it is empty")
	}
	return cache, replaceFile(files.cache, cache)
}

// keptName returns the name of the file that keeps the cache for the next run. It identifies the
// program, the Node.js that made the cache and the options of that: V8 refuses any other cache.
func keptName(cfg Config, machine *child.Machine, script []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s%d %s", machine.ID(cfg.MemoryMiB), len(script), boot)
	h.Write(script)
	return "host-" + hex.EncodeToString(h.Sum(nil)[:12]) + ".cache"
}

// restoreCache puts the cache that an earlier run kept where processes look for it, and reports
// whether there is one. V8 does not check what is in it, so a damaged one is not taken.
func (f *hostFiles) restoreCache() bool {
	if _, err := os.Stat(f.cache); err == nil {
		return true // another Runtime of this process did
	}
	kept, err := os.ReadFile(f.kept)
	if err != nil || len(kept) <= sha256.Size {
		return false
	}
	sum, cache := kept[:sha256.Size], kept[sha256.Size:]
	if want := sha256.Sum256(cache); !bytes.Equal(sum, want[:]) {
		return false
	}
	now := time.Now()
	_ = os.Chtimes(f.kept, now, now) // it is in use
	return replaceFile(f.cache, cache) == nil
}

// keepCache writes the hash of the cache, and then the cache, to a file for the next run. It removes
// caches that no run has used for long, and files that a killed run left unfinished.
func (f *hostFiles) keepCache(cache []byte) error {
	if f.kept == "" {
		return nil
	}
	dir := filepath.Dir(f.kept)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		ours := strings.HasPrefix(entry.Name(), "host-") || strings.HasPrefix(entry.Name(), temporaryPrefix)
		if err == nil && ours && time.Since(info.ModTime()) > cacheLife {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
	sum := sha256.Sum256(cache)
	return replaceFile(f.kept, append(sum[:], cache...))
}

package node

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// boot is what Node.js runs: it loads the host program, with V8's code cache.
//
//go:embed boot.cjs
var boot []byte

// warmAfter is when the code cache is made: not while the first plugins start.
const warmAfter = time.Second

// codeCache makes V8's compiled form of the host program, once, in the background.
// Processes that start before it is there compile for themselves.
type codeCache struct {
	stop context.CancelFunc
	done sync.WaitGroup
}

// makeCodeCache begins to write the cache to files. The arguments must be those of
// the processes that use it: V8 refuses a cache that was made with others.
func makeCodeCache(cfg Config, files *hostFiles) *codeCache {
	ctx, stop := context.WithCancel(context.Background())
	c := &codeCache{stop: stop}
	c.done.Go(func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(warmAfter):
		}
		if err := writeCodeCache(ctx, cfg, files); err != nil && ctx.Err() == nil {
			cfg.Log.Warn("plugins start slower than they could: no code cache of their host", slog.Any("err", err))
		}
	})
	return c
}

// close ends the making of the cache, if it still goes on.
func (c *codeCache) close() {
	c.stop()
	c.done.Wait()
}

func writeCodeCache(ctx context.Context, cfg Config, files *hostFiles) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, files.node.path, //nolint:gosec // the configured Node.js
		append(memoryArgs(cfg.MemoryMiB), files.boot)...)
	cmd.Env, cmd.Dir = []string{"STOA_WARM=1", "NODE_ENV=production", "TZ=UTC"}, files.dir
	cmd.SysProcAttr = sandboxAttributes()
	cache, err := cmd.Output()
	if err != nil {
		return err
	}
	if len(cache) == 0 {
		return errors.New("it is empty")
	}
	temporary := files.cache + ".tmp"
	if err := os.WriteFile(temporary, cache, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, files.cache)
}

// writeBoot writes what Node.js runs first beside the host program.
func (f *hostFiles) writeBoot() error {
	f.boot, f.cache = filepath.Join(f.dir, "boot.cjs"), filepath.Join(f.dir, "host.cache")
	return os.WriteFile(f.boot, boot, 0o600)
}

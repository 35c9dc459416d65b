package node

import (
	"context"
	_ "embed"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"
)

// boot is what Node.js runs: it loads the host program with V8's code cache.
//
//go:embed boot.cjs
var boot string

// warmAfter is how long after the first start the code cache is made: not while the
// first plugins start.
const warmAfter = time.Second

// codeCache writes V8's compiled form of the host program, once, in the background.
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
		if _, err := os.Stat(files.cache); err == nil {
			return // made by another Runtime
		}
		if err := writeCodeCache(ctx, cfg, files); err != nil && ctx.Err() == nil {
			cfg.Log.Warn("plugins start slower than they could: no code cache of their host", slog.Any("err", err))
		}
	})
	return c
}

// close stops making the cache, if that still goes on.
func (c *codeCache) close() {
	c.stop()
	c.done.Wait()
}

func writeCodeCache(ctx context.Context, cfg Config, files *hostFiles) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := files.machine.Command(ctx, cfg.MemoryMiB, files.boot)
	cmd.Env = append(cmd.Env, "STOA_WARM=1")
	cache, err := cmd.Output()
	if err != nil {
		return err
	}
	if len(cache) == 0 {
		return errors.New("it is empty")
	}
	temporary, err := os.CreateTemp(files.machine.Dir, ".cache-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name()) // a no-op once renamed
	_, err = temporary.Write(cache)
	if err := errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), files.cache)
}

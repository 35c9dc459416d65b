package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Item is an object to move.
type Item struct {
	Key    string
	SHA256 string // of its content, in hex
}

// Moved is what Move did.
type Moved struct {
	Copied  int   // objects
	Bytes   int64 // in them
	Present int   // objects that were already there
	// Missing are the keys of objects that do not exist, or whose content does not match.
	Missing []string
}

// movesAtOnce is how many objects are copied at the same time.
const movesAtOnce = 8

// Move copies objects from one store to another, except those that are already there, so it may be
// repeated after an interruption. It checks the hash of each. Missing and altered objects are
// reported, and do not stop the others. scratch is a folder for temporary files.
func Move(ctx context.Context, from, to Store, items []Item, scratch string) (Moved, error) {
	var (
		mu   sync.Mutex
		done Moved
	)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(movesAtOnce)
	for _, item := range items {
		group.Go(func() error {
			size, copied, err := moveOne(ctx, from, to, item, scratch)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrAltered):
				done.Missing = append(done.Missing, item.Key)
				return nil
			case err != nil:
				return fmt.Errorf("%s: %w", item.Key, err)
			case copied:
				done.Copied++
				done.Bytes += size
			default:
				done.Present++
			}
			return nil
		})
	}
	err := group.Wait()
	slices.Sort(done.Missing)
	return done, err
}

// moveOne copies an object unless it is already there.
func moveOne(ctx context.Context, from, to Store, item Item, scratch string) (size int64, copied bool, err error) {
	there, err := to.Stat(ctx, item.Key)
	if err == nil && there.SHA256 == item.SHA256 {
		return 0, false, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, false, err
	}
	tmp, err := os.CreateTemp(scratch, tmpPrefix)
	if err != nil {
		return 0, false, err
	}
	defer func() { err = errors.Join(err, tmp.Close(), os.Remove(tmp.Name())) }()
	if size, err = Copy(ctx, from, item.Key, item.SHA256, tmp); err != nil {
		return 0, false, err
	}
	if _, err = tmp.Seek(0, io.SeekStart); err != nil {
		return 0, false, err
	}
	return size, true, to.Put(ctx, item.Key, tmp, size, item.SHA256)
}

package blob

import (
	"context"

	"golang.org/x/sync/singleflight"
)

// Flights makes callers that need the same file share one download. The zero value is ready.
type Flights struct{ group singleflight.Group }

// Do calls fetch, unless a call for the same key is running: then it waits for that one. A caller
// whose ctx ends stops waiting; the download continues for the others, within the time limits of
// the Store.
func (f *Flights) Do(ctx context.Context, key string, fetch func(context.Context) error) error {
	done := f.group.DoChan(key, func() (any, error) { return nil, fetch(context.WithoutCancel(ctx)) })
	select {
	case result := <-done:
		return result.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

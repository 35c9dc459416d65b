// Package bodies limits the memory that request bodies take while they arrive. All requests of a
// process share one Budget. A body is counted as it grows, not by its announced length: announcing
// costs a client nothing.
//
// A body for which the Budget has no room is refused at once. Bodies do not wait for each other:
// each may need more room, and then none would get it.
package bodies

import (
	"sync/atomic"
	"time"

	"stoa/internal/base/errs"
)

// ErrBusy means that the bodies of all requests together use the whole Budget.
var ErrBusy = errs.New(errs.Busy, "UPLOADS_BUSY",
	"The server is receiving as many request bodies as it has memory for. Try again shortly.")

// retry is when a refused client may try again.
const retry = time.Second

// small is the largest piece that may use the whole budget. Larger pieces may use three quarters of
// it: slow uploads leave room for ordinary requests.
const small = 64 << 10

// Budget counts the bytes that bodies take. A nil Budget has no limit. It is safe for concurrent
// use.
type Budget struct {
	most int64
	used atomic.Int64
}

// NewBudget returns a Budget of most bytes.
func NewBudget(most int64) *Budget { return &Budget{most: most} }

// Used returns how many bytes are taken.
func (b *Budget) Used() int64 { return b.used.Load() }

// Take takes n bytes, or returns ErrBusy. The caller returns them with Give.
func (b *Budget) Take(n int64) error {
	if b == nil {
		return nil
	}
	most := b.most
	if n > small {
		most -= most / 4
	}
	if b.used.Add(n) > most {
		b.used.Add(-n)
		return ErrBusy.After(retry)
	}
	return nil
}

// Give returns n bytes.
func (b *Budget) Give(n int64) {
	if b != nil {
		b.used.Add(-n)
	}
}

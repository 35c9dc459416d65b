package gateway

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// clientBody reads the request body from the client's connection, and limits its size, its
// duration and its rate.
//
// A transport may go on reading after it has an answer, and may close the body at any time.
// If it did so while the server finishes the request, net/http could read the rest of the body
// as the next request. So only the server closes the body, and detach ends all reading before
// the handler returns.
type clientBody struct {
	body  io.Reader
	rc    *http.ResponseController
	until time.Time // the deadline of the whole body

	mu       sync.Mutex // held during a Read
	left     int64
	pace     pace
	detached atomic.Bool
	ended    atomic.Bool // the body was read to its end
}

// drain is how long the server goes on receiving a body that is no longer wanted, so that the
// client gets to see the answer.
const drain = time.Second

// Read implements io.Reader. It returns an *http.MaxBytesError for one byte too many.
func (b *clientBody) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.detached.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	begin := time.Now()
	deadline := begin.Add(b.pace.allowed())
	if deadline.After(b.until) {
		deadline = b.until
	}
	_ = b.rc.SetReadDeadline(deadline) // fails only without a connection
	if b.detached.Load() {             // meanwhile: the line above may have replaced detach's deadline
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.body.Read(p)
	b.pace.count(n, time.Since(begin))
	if int64(n) > b.left {
		n, err = int(b.left), &http.MaxBytesError{Limit: maxBody}
	}
	b.left -= int64(n)
	if errors.Is(err, io.EOF) {
		b.ended.Store(true)
		// From now on the server reads from the connection to notice when the client
		// leaves. It must not run into this deadline.
		_ = b.rc.SetReadDeadline(time.Time{})
	}
	return n, err
}

// detach interrupts a waiting Read, if any, and makes all later ones fail.
//
// A body that was read to its end has no deadline, and gets none: by then the server reads
// from the connection, and would mistake an expired deadline for a client that left, for all
// later requests on the connection too.
func (b *clientBody) detach() {
	b.detached.Store(true)
	if !b.mu.TryLock() {
		_ = b.rc.SetReadDeadline(time.Unix(1, 0)) // interrupts the waiting Read
		b.mu.Lock()
		if b.ended.Load() {
			_ = b.rc.SetReadDeadline(time.Time{})
		}
	}
	defer b.mu.Unlock()
	if !b.ended.Load() {
		_ = b.rc.SetReadDeadline(time.Now().Add(drain))
	}
}

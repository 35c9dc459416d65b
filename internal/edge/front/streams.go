package front

import (
	"net/http"
	"sync"
	"time"
)

// idleWorker is how long a goroutine of Streams waits for another request.
const idleWorker = 10 * time.Second

// Streams runs h on goroutines that have served requests before, if a request came over HTTP/2.
//
// net/http starts a goroutine for each stream. Its stack begins with a few KiB and is copied twice
// until it holds what a call needs, a tenth of the call's processor time. A goroutine that has served
// a request has such a stack.
func Streams(h http.Handler) http.Handler {
	requests := make(chan *request)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			h.ServeHTTP(w, r)
			return
		}
		one := pooledRequests.Get().(*request) //nolint:forcetypeassert // nothing else is put there
		one.w, one.r = w, r
		select {
		case requests <- one:
		default:
			go work(h, requests, one)
		}
		p := <-one.served
		one.w, one.r = nil, nil
		pooledRequests.Put(one)
		if p != nil {
			panic(p) // the server ends the stream
		}
	})
}

// request is one that waits to be served.
type request struct {
	w http.ResponseWriter
	r *http.Request
	// served gets what the handler panicked with, nil if it did not.
	served chan any
}

var pooledRequests = sync.Pool{New: func() any { return &request{served: make(chan any, 1)} }}

// work serves one, and then others until none has come for a while.
func work(h http.Handler, requests <-chan *request, one *request) {
	idle := time.NewTimer(idleWorker)
	defer idle.Stop()
	for {
		one.served <- serve(h, one)
		idle.Reset(idleWorker)
		select {
		case one = <-requests:
		case <-idle.C:
			return
		}
	}
}

// serve calls the handler and returns what it panicked with.
func serve(h http.Handler, one *request) (p any) {
	defer func() { p = recover() }()
	h.ServeHTTP(one.w, one.r)
	return nil
}

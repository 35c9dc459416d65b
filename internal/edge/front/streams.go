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
	s := &streams{handler: h, requests: make(chan *request)}
	s.spare.New = func() any { return &request{served: make(chan any, 1)} }
	return s
}

type streams struct {
	handler  http.Handler
	requests chan *request // for goroutines that have served others
	spare    sync.Pool     // of requests
}

// request is one that waits to be served.
type request struct {
	w http.ResponseWriter
	r *http.Request
	// served gets what the handler panicked with, nil if it did not.
	served chan any
}

// ServeHTTP implements http.Handler.
func (s *streams) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.ProtoMajor != 2 {
		s.handler.ServeHTTP(w, r)
		return
	}
	one := s.spare.Get().(*request) //nolint:forcetypeassert // nothing else is put there
	one.w, one.r = w, r
	select {
	case s.requests <- one:
	default:
		go s.work(one)
	}
	p := <-one.served
	one.w, one.r = nil, nil
	s.spare.Put(one)
	if p != nil {
		panic(p) // the server ends the stream
	}
}

// work serves one, and then others until none has come for a while.
func (s *streams) work(one *request) {
	idle := time.NewTimer(idleWorker)
	defer idle.Stop()
	for {
		one.served <- s.serve(one)
		idle.Reset(idleWorker)
		select {
		case one = <-s.requests:
		case <-idle.C:
			return
		}
	}
}

// serve calls the handler and returns what it panicked with.
func (s *streams) serve(one *request) (p any) {
	defer func() { p = recover() }()
	s.handler.ServeHTTP(one.w, one.r)
	return nil
}

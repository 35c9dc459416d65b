package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"stoa/internal/edge/front"
)

// servers are the HTTP servers of one process, started and stopped together.
type servers struct {
	log        *slog.Logger
	delay      time.Duration // from beforeStop until no more connections are accepted
	grace      time.Duration // for running requests
	beforeStop func()
	drain      func()                      // when no more connections are accepted
	lost       <-chan error                // gives an error when the process can serve no longer
	finish     func(context.Context) error // returns when all requests that the front serves have ended, or cuts them off

	running []*http.Server
	failed  chan error
}

// lastAnswers is for how long at least requests are served after beforeStop: connections that are
// in use end with an answer then, and only those that nobody has used for so long are closed.
const lastAnswers = 500 * time.Millisecond

// start serves h on ln until stop.
func (s *servers) start(ctx context.Context, ln net.Listener, h http.Handler) {
	if s.failed == nil {
		s.failed = make(chan error, 2)
	}
	srv := &http.Server{ //nolint:gosec // front.Setup sets the limits
		Handler: h,
		// OPTIONS * is answered like any other address that does not exist.
		DisableGeneralOptionsHandler: true,
		// Running requests outlive the signal that asks the server to stop.
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	front.Setup(srv)
	srv.RegisterOnShutdown(s.drain)
	s.running = append(s.running, srv)
	go func() {
		if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- err
		}
	}()
}

// wait returns when ctx is done and every running request has ended, or when a
// server fails or the process is lost.
func (s *servers) wait(ctx context.Context) error {
	select {
	case err := <-s.failed:
		return errors.Join(err, s.stop(ctx))
	case err := <-s.lost:
		return errors.Join(err, s.stop(ctx))
	case <-ctx.Done():
		s.log.InfoContext(ctx, "stopping; press again to stop at once")
		notify(ctx, s.log, notifyStopping)
		s.beforeStop()
		time.Sleep(max(s.delay, lastAnswers))
		return s.stop(ctx)
	}
}

// stop ends the servers. Requests that outlast the grace are cut off.
func (s *servers) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.grace)
	defer cancel()
	var all error
	for _, srv := range s.running {
		if err := srv.Shutdown(ctx); err != nil {
			s.log.WarnContext(ctx, "requests cut off: they did not end in time", slog.Any("err", err))
			all = errors.Join(all, srv.Close())
		}
	}
	if err := s.finish(ctx); err != nil {
		s.log.WarnContext(ctx, "requests cut off: they did not end in time", slog.Any("err", err))
	}
	return all
}

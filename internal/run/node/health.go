package node

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"stoa/internal/run/relay"
)

// watchHealth asks a ready process at regular times how it is, until the child is
// gone. A plugin that is not well is shown as such and left alone: what it lacks may
// be outside of it, and a restart would not help. One that does not answer at all
// blocks its event loop, which child.Watch notices.
func (p *process) watchHealth() {
	tick := time.NewTicker(p.rt.cfg.HealthEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.child.Exited():
			return
		case <-p.ending:
			return
		case <-tick.C:
		}
		problem := p.ask()
		p.mu.Lock()
		changed := (problem == "") == p.unwell
		if changed {
			p.unwell, p.since = problem != "", time.Now()
		}
		p.mu.Unlock()
		switch {
		case changed && problem != "":
			p.log.Warn("plugin is unhealthy: " + problem)
		case changed:
			p.log.Info("plugin is healthy again")
		}
	}
}

// healthTimeout is how long a plugin may take to say how it is.
const healthTimeout = 5 * time.Second

// ask returns what is wrong with the process, or "".
func (p *process) ask() string {
	ctx, cancel := context.WithTimeout(p.rt.alive, healthTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		return err.Error() // cannot be: the address is fixed
	}
	r.Host = "stoa"
	seen := &healthAnswer{header: make(http.Header)}
	call := relay.NewCall(seen, r)
	defer call.End()
	if _, err := p.forward(call, "/health", p.secret); err != nil {
		return "GET /health gets no answer"
	}
	if seen.status != http.StatusOK && seen.status != http.StatusNotFound { // a plugin need not say
		return fmt.Sprintf("GET /health answers %d", seen.status)
	}
	return ""
}

// healthAnswer is the http.ResponseWriter of a question: only the status counts.
type healthAnswer struct {
	header http.Header
	status int
}

func (a *healthAnswer) Header() http.Header         { return a.header }
func (a *healthAnswer) Write(b []byte) (int, error) { return io.Discard.Write(b) }

func (a *healthAnswer) WriteHeader(status int) {
	if a.status < http.StatusOK {
		a.status = status
	}
}

// FlushError lets an answer without a known length through.
func (a *healthAnswer) FlushError() error { return nil }

package node

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"stoa/internal/run/child"
)

// liveShared is live for an instance that shares a process. The caller has taken a
// place among those that start, which started gives back.
func (p *process) liveShared(started, ready func()) error {
	begin := time.Now()
	s := p.rt.join(p)
	m, err := s.admit(p)
	if errors.Is(err, errGoneBefore) { // it died of something else: one more try
		s.leave()
		s = p.rt.join(p)
		m, err = s.admit(p)
	}
	defer s.leave()
	started()
	switch {
	case errors.Is(err, child.ErrAskedToEnd):
		return nil
	case err != nil:
		return err
	}
	ready()
	s.watching.Do(func() {
		close(s.proven)
		s.rt.watch(s.child, s.secret, s.busy)
	})
	p.isReady(begin)
	return s.serve(m)
}

// errGoneBefore means that a shared process ended before a new member was in it.
var errGoneBefore = errors.New("the process that was to be shared had ended")

// admit makes p a member and returns when it is ready. The errors are those of
// process.awaitReady, and errGoneBefore.
func (s *sharedProcess) admit(p *process) (*member, error) {
	timer := time.NewTimer(p.rt.startTimeout(p.in) + p.rt.startMargin)
	defer timer.Stop()
	late := p.rt.tooLate(p.in)
	select {
	case <-s.launched:
	case <-p.ending:
		return nil, child.ErrAskedToEnd
	case <-timer.C:
		return nil, late
	}
	if s.err != nil {
		return nil, asStartError(s.err)
	}
	m := s.enter(p)
	err := s.send(map[string]any{
		"add": m.name, "config": configOf(p.in), "secret": p.secret, "installationId": p.in.Instance.ID,
	})
	if err != nil {
		s.forget(m)
		return nil, s.refused(err)
	}
	select {
	case err = <-m.added:
		if err == nil {
			return m, nil
		}
		err = &startError{reasonLoadFailed, err}
	case <-s.child.Exited():
		err = s.neverReady()
	case <-timer.C:
		err = late
	case <-p.ending:
		err = child.ErrAskedToEnd
	}
	s.abandon(m)
	return nil, err
}

// abandon ends a member that did not get ready, and waits a moment for its last words.
func (s *sharedProcess) abandon(m *member) {
	defer s.forget(m)
	s.drop(m)
	select {
	case <-m.silent:
	case <-s.child.Exited():
	case <-time.After(time.Second):
	}
}

// refused returns why a member could not be added: the order did not arrive.
func (s *sharedProcess) refused(cause error) error {
	select {
	case <-s.child.Exited():
		if s.isProven() {
			return errGoneBefore
		}
		return s.neverReady()
	case <-time.After(time.Second):
		return asStartError(fmt.Errorf("node: the process takes no orders: %w", cause))
	}
}

// neverReady returns why a member did not start when its process ended meanwhile. This
// counts as a failure to load, which delays the next attempt, even if another member
// may be to blame: if this one is, it would end all the others again at once.
func (s *sharedProcess) neverReady() error {
	if fatal := s.output.Fatal(); fatal != nil {
		return &startError{reasonLoadFailed, fatal}
	}
	return &startError{reasonLoadFailed, fmt.Errorf("the process ended while the plugin was loaded: %w", s.child.Exit())}
}

func (s *sharedProcess) isProven() bool {
	select {
	case <-s.proven:
		return true
	default:
		return false
	}
}

// serve waits until a ready member is gone. The error is nil if it was asked to end.
func (s *sharedProcess) serve(m *member) error {
	defer s.forget(m)
	go m.watchHealth()
	select {
	case <-s.child.Exited():
		return s.child.Err()
	case <-m.ending:
	}
	if err := s.send(map[string]any{"remove": m.name}); err != nil {
		s.child.Kill() // it takes no orders any more
	}
	timer := time.NewTimer(s.rt.cfg.Grace)
	defer timer.Stop()
	select {
	case <-m.silent:
	case <-s.child.Exited():
	case <-timer.C:
		m.log.Warn("plugin cut off: it did not end in time", slog.Int("pid", s.child.PID()))
		s.drop(m)
	}
	return nil
}

// drop ends a member at once, with its connections.
func (s *sharedProcess) drop(m *member) {
	if s.send(map[string]any{"drop": m.name}) != nil {
		s.child.Kill()
	}
}

func (s *sharedProcess) busy() bool {
	for _, m := range s.all() {
		if m.owner.busy(m.process) {
			return true
		}
	}
	return false
}

// report passes a report of the host program to the member that it names.
func (s *sharedProcess) report(line []byte) {
	var report struct{ Name string }
	if json.Unmarshal(line, &report) != nil {
		return
	}
	if m := s.member(report.Name); m != nil {
		select {
		case m.added <- child.ParseReport(line, s.redact):
		default: // a second report of the same member
		}
	}
}

package node

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// liveShared is live for an instance that shares a process. The caller has taken a
// place among those that start, which started gives back.
func (p *process) liveShared(started, ready func()) error {
	begun := time.Now()
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
	case errors.Is(err, errAskedToEnd):
		return nil
	case err != nil:
		return err
	}
	ready()
	s.watching.Do(func() {
		close(s.proven)
		go s.attend()
	})
	p.isReady(s.child, begun)
	return s.serve(m)
}

// errGoneBefore means that a shared process ended before a new member was in it.
var errGoneBefore = errors.New("the process that was to be shared had ended")

// admit makes p a member and returns when it is ready. The errors are those of
// child.awaitReady, and errGoneBefore.
func (s *sharedProcess) admit(p *process) (*member, error) {
	timer := time.NewTimer(p.rt.startTimeout(p.in) + startMargin)
	defer timer.Stop()
	late := p.rt.tooLate(p.in)
	select {
	case <-s.launched:
	case <-p.ending:
		return nil, errAskedToEnd
	case <-timer.C:
		return nil, late
	}
	if s.err != nil {
		return nil, asStartError(s.err)
	}
	m := s.enter(p)
	err := s.send(map[string]any{"add": m.name, "config": configOf(p.in), "secret": p.secret})
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
	case <-s.child.exited:
		err = s.neverReady()
	case <-timer.C:
		err = late
	case <-p.ending:
		err = errAskedToEnd
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
	case <-s.child.exited:
	case <-time.After(time.Second):
	}
}

// refused returns why a member could not be added: the order did not arrive.
func (s *sharedProcess) refused(cause error) error {
	select {
	case <-s.child.exited:
		if s.isProven() {
			return errGoneBefore
		}
		return s.neverReady()
	case <-time.After(time.Second):
		return asStartError(fmt.Errorf("node: the process takes no orders: %w", cause))
	}
}

// neverReady returns why a member did not start, whose process ended meanwhile. Even
// if another member is to blame, it counts as a failure to load: were it to blame,
// it would end all others again at once.
func (s *sharedProcess) neverReady() error {
	if told := s.output.told; told != nil {
		return &startError{reasonLoadFailed, told}
	}
	return &startError{reasonLoadFailed, fmt.Errorf("the process ended while the plugin was loaded: %w", s.child.exitErr)}
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
	go m.watchHealth(s.child)
	select {
	case <-s.child.exited:
		err := s.whyGone()
		m.greedy.Store(errors.Is(err, errMemory)) // the kernel may have been first
		return err
	case <-m.ending:
	}
	if err := s.send(map[string]any{"remove": m.name}); err != nil {
		s.child.kill() // it takes no orders any more
	}
	timer := time.NewTimer(s.rt.cfg.Grace)
	defer timer.Stop()
	select {
	case <-m.silent:
	case <-s.child.exited:
	case <-timer.C:
		m.log.Warn("plugin cut off: it did not end in time", slog.Int("pid", s.child.pid))
		s.drop(m)
	}
	return nil
}

// drop ends a member at once, with its connections.
func (s *sharedProcess) drop(m *member) {
	if s.send(map[string]any{"drop": m.name}) != nil {
		s.child.kill()
	}
}

// attend looks after the process once a member is ready, until it is gone.
func (s *sharedProcess) attend() {
	stalled, greedy := s.rt.watch(s.child, watched{
		log: s.log, socket: s.socket, secret: s.secret, heapMiB: s.rt.heapMiB(s.in), busy: s.busy,
	})
	var err error
	select {
	case <-s.child.exited:
		return
	case <-stalled:
		err = fmt.Errorf("%w for more than %s", errStalled, s.rt.cfg.Stall)
	case err = <-greedy:
	}
	for _, m := range s.all() { // before their running calls break
		m.stalled.Store(errors.Is(err, errStalled))
		m.greedy.Store(errors.Is(err, errMemory))
	}
	s.mu.Lock()
	s.cause = err
	s.mu.Unlock()
	s.child.kill()
}

func (s *sharedProcess) busy() bool {
	for _, m := range s.all() {
		if m.owner.busy(m.process) {
			return true
		}
	}
	return false
}

// readReports reads what the host program tells of its members, and its beats in
// between.
func (s *sharedProcess) readReports() {
	r := bufio.NewReaderSize(s.child.report, reportLimit)
	for {
		b, err := r.ReadByte()
		switch {
		case err != nil:
			return
		case b != '{':
			s.child.heart.beats.Add(1)
			continue
		}
		_ = r.UnreadByte()
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		var report struct{ Name string }
		if json.Unmarshal(line, &report) != nil {
			continue
		}
		if m := s.member(report.Name); m != nil {
			select {
			case m.added <- parseReport(line, s.redact):
			default: // it says so twice
			}
		}
	}
}

package themeapp

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/extension/theme"
	"stoa/internal/run/child"
	"stoa/internal/testkit/proctest"
	"stoa/internal/testkit/waittest"
)

// source is a Source that a test changes.
type source struct {
	mu     sync.Mutex
	active []theme.App
	dead   map[string]bool
}

func (s *source) set(active []theme.App, dead ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active, s.dead = active, make(map[string]bool)
	for _, key := range dead {
		s.dead[key] = true
	}
}

func (s *source) ActiveApps(context.Context) ([]theme.App, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active, nil
}

func (s *source) LiveApps(_ context.Context, apps []theme.App) (map[string]bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	live := make(map[string]bool)
	for _, a := range apps {
		live[a.Key()] = !s.dead[a.Key()]
	}
	return live, nil
}

func (k *kit) pid(a theme.App) int {
	k.Runtime.mu.Lock()
	s := k.apps[a.Key()]
	k.Runtime.mu.Unlock()
	if s == nil {
		return 0
	}
	s.mu.Lock()
	p := s.current
	s.mu.Unlock()
	if p == nil {
		return 0
	}
	<-p.started
	if p.child == nil {
		return 0
	}
	return p.child.PID()
}

// The active app runs without being called, and again after it has ended; one that was
// uninstalled or is not needed any more ends.
func TestFollowKeepsTheActiveAppAndEndsOthers(t *testing.T) {
	t.Parallel()

	k := newKit(t, func(cfg *Config, _ *child.Config) { cfg.Idle = time.Hour })
	one := k.install(t, "one", map[string]string{"server.js": hello})
	var s source
	s.set([]theme.App{one})
	ctx, cancel := context.WithCancel(t.Context())
	var following sync.WaitGroup
	following.Go(func() { k.Follow(ctx, &s) })
	defer following.Wait()
	defer cancel()
	waittest.True(t, "it runs", func() bool { return k.pid(one) > 0 })
	first := k.pid(one)
	_ = k.get(t, "/exit")
	waittest.True(t, "it runs again", func() bool { p := k.pid(one); return p > 0 && p != first })
	s.set(nil)
	if got := k.get(t, "/x"); got != "/x" {
		t.Errorf("an app that is not active answers %s", got)
	}
	last := k.pid(one)
	s.set(nil, one.Key())
	waittest.True(t, "it ends", func() bool { return k.pid(one) == 0 && !proctest.Alive(last) })
}

func TestAnIdleAppEndsUnlessItIsActive(t *testing.T) {
	t.Parallel()

	k := newKit(t, func(cfg *Config, _ *child.Config) { cfg.Idle = time.Millisecond })
	active := k.install(t, "active", map[string]string{"server.js": hello})
	other := k.install(t, "other", map[string]string{"server.js": hello})
	if err := k.Prepare(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	var s source
	s.set([]theme.App{active})
	was := k.pid(other)
	if err := k.look(t.Context(), &s); err != nil {
		t.Fatal(err)
	}
	waittest.True(t, "the other ends", func() bool { return !proctest.Alive(was) })
	waittest.True(t, "the active one runs", func() bool { return k.pid(active) > 0 })
	runs := k.pid(active)
	for range 5 {
		if err := k.look(t.Context(), &s); err != nil {
			t.Fatal(err)
		}
	}
	if k.pid(active) != runs || !proctest.Alive(runs) {
		t.Error("the active one ended")
	}
}

// An app that fails again and again is not started at every call.
func TestFailuresDelayTheNextStart(t *testing.T) {
	t.Parallel()

	k := newKit(t, nil)
	a := k.install(t, "broken", map[string]string{"server.js": "throw new Error('broken')"})
	s := k.app(a)
	var asked time.Time
	for n := range 3 {
		asked = time.Now()
		s.mu.Lock()
		s.until = time.Time{}
		s.mu.Unlock()
		if got := k.get(t, "/"); !strings.Contains(got, "THEME_APP_UNREACHABLE") {
			t.Fatal(got)
		}
		waittest.True(t, "the failure to count", func() bool { // which it does a moment after the answer
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.failures == n+1
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if delay := s.until.Sub(asked); delay < delays[2] || !strings.Contains(fmt.Sprint(s.cause), "broken") {
		t.Errorf("next %s after the third failure, want %s; %v", delay, delays[2], s.cause)
	}
}

package node

import (
	"errors"
	"testing"
	"time"

	"stoa/internal/extension/plugin"
	"stoa/internal/testkit/waittest"
)

// remembers reports whether the Runtime knows an installation.
func (f *fixture) remembers(in plugin.Installed) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.installations[in.Instance.ID] != nil
}

func TestAnInstallationThatIsGoneIsForgotten(t *testing.T) {
	t.Parallel()
	live := &fakeLive{live: map[string]plugin.Revision{}, gone: map[string]bool{}}
	f := newFixture(t, func(c *options) {
		c.Live, c.LiveEvery, c.ForgetAfter = live, 10*time.Millisecond, time.Millisecond
	})
	start := func(slug string) plugin.Installed {
		in := f.install(t, slug, withRoutes("console.log('hello')"))
		live.set(func() { live.live[in.Instance.ID] = in.Revision() })
		f.get(t, in, "/health")
		return in
	}
	runs, disabled, deleted, later := start("runs"), start("disabled"), start("deleted"), start("later")
	hello := func(in plugin.Installed) bool {
		entries, _ := f.Logs(in.Instance.ID, 0)
		return len(entries) > 0
	}
	live.set(func() { // without an answer, nothing is forgotten
		live.err = errors.New("no database")
		delete(live.live, disabled.Instance.ID)
		delete(live.live, deleted.Instance.ID)
		live.gone[deleted.Instance.ID] = true
	})
	f.Refresh()
	if !f.remembers(deleted) {
		t.Error("forgotten although the database did not answer")
	}
	live.set(func() { live.err = nil })
	waittest.True(t, "the deleted instance to be forgotten", func() bool { return !f.remembers(deleted) })
	waittest.True(t, "the disabled instance to end", func() bool {
		return f.Status(disabled.Instance.ID).State == Stopped
	})
	f.Refresh()
	// Another one that goes shows that the look after the disabled one ended has passed.
	live.set(func() { delete(live.live, later.Instance.ID); live.gone[later.Instance.ID] = true })
	f.Refresh()
	waittest.True(t, "the last one to be forgotten", func() bool { return !f.remembers(later) })
	for _, in := range []plugin.Installed{runs, disabled} {
		if !f.remembers(in) || !hello(in) {
			t.Errorf("%s is forgotten", in.Instance.ID)
		}
	}

	// A call that found the instance before it was deleted.
	s := &installation{rt: f.Runtime, id: deleted.Instance.ID}
	p, _, err := s.claim(&deleted, false)
	if err != nil {
		t.Fatal(err)
	}
	if !f.remembers(deleted) {
		t.Error("an installation with a process is unknown")
	}
	s.release(p)
	f.Refresh()
	waittest.True(t, "it to be forgotten again", func() bool { return !f.remembers(deleted) })
}

// onUninstall is delivered when the instance is gone, and whoever develops the plugin reads its log.
func TestTheLogOfAnInstanceThatIsGoneStaysForAWhile(t *testing.T) {
	t.Parallel()
	live := &fakeLive{live: map[string]plugin.Revision{}, gone: map[string]bool{}}
	f := newFixture(t, func(c *options) { c.Live, c.LiveEvery = live, 10*time.Millisecond })
	in := f.install(t, "leaves", withRoutes("console.log('bye')"))
	live.set(func() { live.live[in.Instance.ID] = in.Revision() })
	f.get(t, in, "/health")
	live.set(func() { delete(live.live, in.Instance.ID); live.gone[in.Instance.ID] = true })
	f.Refresh()
	waittest.True(t, "its process to end", func() bool { return f.Status(in.Instance.ID).State == Stopped })
	if f.forgetGone([]string{in.Instance.ID}) || !f.remembers(in) {
		t.Error("it is forgotten with its last process")
	}
}

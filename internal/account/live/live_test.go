package live_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/account/live"
)

func TestASessionIsAnsweredFromMemoryWhileThereIsALease(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		if _, ok := p.Get("s"); ok {
			t.Error("something was remembered at first")
		}
		p.warm(t, "s", "v")
		asked := d.questions()
		for range 1000 {
			p.Get("s")
		}
		if now := d.questions(); now != asked {
			t.Errorf("the database was asked %d times", now-asked)
		}
		for range 20 { // it lasts while it is used
			time.Sleep(500 * time.Millisecond)
			synctest.Wait()
			if _, ok := p.Get("s"); !ok {
				t.Fatal("the lease was not renewed")
			}
		}
	})
}

func TestAnUnusedMemoryAsksNothing(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		time.Sleep(time.Hour)
		p.warm(t, "s", "v")
		time.Sleep(time.Minute)
		asked := d.questions()
		time.Sleep(time.Hour)
		if now := d.questions(); now != asked || len(d.names()) > 0 {
			t.Errorf("asked %d times, readers %q", now-asked, d.names())
		}
		p.wantForgotten(t, "s")
	})
}

func TestTheProcessThatEndsASessionForgetsItBeforeItAnswers(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		p.warm(t, "s", "v")
		p.warm(t, "other", "v")
		d.revoke("s", "u")
		if took := p.settled(t); took > 0 {
			t.Errorf("alone, it waited %v", took)
		}
		p.wantForgotten(t, "s")
		if _, ok := p.Get("other"); !ok {
			t.Error("another session was forgotten")
		}
		d.revoke("", "u")
		p.Settle(t.Context())
		p.wantForgotten(t, "other")
		p.warm(t, "other", "w") // read again, it is remembered
	})
}

// The database said that it has ended before the row that says so was taken.
func TestASessionThatTurnedOutToHaveEndedIsForgotten(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		p.warm(t, "s", "v")
		p.warm(t, "other", "v")
		p.Forget("s")
		p.wantForgotten(t, "s")
		if _, ok := p.Get("other"); !ok {
			t.Error("another session was forgotten")
		}
	})
}

func TestNoProcessAcceptsAnEndedSessionAfterTheAnswer(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		a, b := start(t, d, "a"), start(t, d, "b")
		for range 50 {
			a.warm(t, "s", "v")
			b.warm(t, "s", "v")
			d.revoke("s", "u")
			if took := a.settled(t); took > 400*time.Millisecond {
				t.Errorf("it waited %v, though b lives", took)
			}
			a.wantForgotten(t, "s")
			b.wantForgotten(t, "s")
			time.Sleep(37 * time.Millisecond)
		}
	})
}

func TestAHaltedProcessIsWaitedForUntilItsLeaseHasEnded(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		a, b := start(t, d, "a"), start(t, d, "b")
		a.warm(t, "s", "v")
		b.warm(t, "s", "v")
		b.halt()
		d.revoke("s", "u")
		if took := a.settled(t); took != live.Lease {
			t.Errorf("it waited %v, want %v", took, live.Lease)
		}
		b.wantForgotten(t, "s") // as if it went on in the middle of a request
		if got := d.names(); fmt.Sprint(got) != "[a]" {
			t.Errorf("readers: %q", got)
		}
		d.revoke("t", "u")
		if took := a.settled(t); took > 0 {
			t.Errorf("the next one waited %v again", took)
		}
		b.resume()
		b.warm(t, "s", "w") // it registers again
		if got := d.names(); fmt.Sprint(got) != "[a b]" {
			t.Errorf("readers: %q", got)
		}
		b.halt()
		d.revoke("s", "u")
		if took := a.settled(t); took != live.Lease {
			t.Errorf("after it came back, it is waited for %v", took)
		}
		b.wantForgotten(t, "s")
		b.resume()
	})
}

// A process took rows and renewed its lease, but was removed before it could say so.
func TestALeaseThatNobodyWaitsForIsNotGiven(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		b := start(t, d, "b")
		b.warm(t, "s", "v")
		d.revoke("t", "u")
		_ = d.locked(func() { d.evict = true })
		time.Sleep(299 * time.Millisecond) // until just before it renews
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		_ = d.locked(func() { d.evict = false })
		b.wantForgotten(t, "s")
	})
}

func TestWhatWasReadBeforeARowWasTakenIsNotKept(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		p.warm(t, "x", "v")
		mark := p.Mark()
		// The session is read here.
		d.revoke("s", "u")
		p.Settle(t.Context())
		p.Put(mark, "s", "u", "v")
		p.wantForgotten(t, "s")
		p.warm(t, "s", "v")
	})
}

func TestWithoutADatabaseTheLeaseEnds(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		p.warm(t, "s", "v")
		_ = d.locked(func() { d.away = true })
		if took := p.settled(t); took != live.Lease {
			t.Errorf("it waited %v, want %v", took, live.Lease)
		}
		p.wantForgotten(t, "s")
	})
}

func TestALeaseLastsNoLongerThanItSays(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		p.warm(t, "s", "v")
		p.halt()
		time.Sleep(live.Lease - 300*time.Millisecond - time.Nanosecond)
		if _, ok := p.Get("s"); !ok {
			t.Error("the lease ended early")
		}
		time.Sleep(300*time.Millisecond + time.Nanosecond)
		p.wantForgotten(t, "s")
		p.resume()
	})
}

// Rows that are no longer kept may have named anything.
func TestAGapInTheRowsForgetsEverything(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		p.warm(t, "s", "v")
		_ = d.locked(func() { d.kept = 2 })
		for i := range 3 {
			d.revoke(fmt.Sprint(i), "other")
		}
		p.Settle(t.Context())
		p.wantForgotten(t, "s")
		p.warm(t, "s", "v")
		for i := range 2 { // at the limit, nothing is missing
			d.revoke(fmt.Sprint(i), "other")
		}
		p.Settle(t.Context())
		if _, ok := p.Get("s"); !ok {
			t.Error("a session was forgotten though no row was missing")
		}
	})
}

func TestManyChangedUsersTakeBoundedMemory(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		_ = d.locked(func() { d.kept = 100_000 })
		p.warm(t, "s", "v")
		for i := range 20_000 {
			d.revoke("", fmt.Sprint("u", i))
			if i%500 == 0 {
				p.Settle(t.Context())
			}
		}
		p.Settle(t.Context())
		d.revoke("s", "u")
		p.Settle(t.Context())
		p.wantForgotten(t, "s")
	})
}

func TestWithoutAClockNothingIsRemembered(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		p.broken = true
		p.Get("s")
		synctest.Wait()
		p.Put(p.Mark(), "s", "u", "v")
		p.wantForgotten(t, "s")
		if got := d.names(); len(got) > 0 {
			t.Errorf("readers: %q", got)
		}
	})
}

func TestAProcessThatMustNotRememberAsksTheDatabase(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		d.refuse = true
		p := start(t, d, "a")
		for range 5 {
			p.Get("s")
			synctest.Wait()
			p.Put(p.Mark(), "s", "u", "v")
			p.wantForgotten(t, "s")
			time.Sleep(300 * time.Millisecond)
		}
	})
}

// Processes read, end sessions and forget at the same time. None may accept a session after whoever
// ended it has answered.
func TestRacesOfReadersAndRevocations(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		var mu sync.Mutex
		current, answered := map[string]int{}, map[string]int{}
		read := func(session string) string {
			mu.Lock()
			defer mu.Unlock()
			return fmt.Sprint(current[session])
		}
		processes := []*process{start(t, d, "a"), start(t, d, "b"), start(t, d, "c")}
		var all sync.WaitGroup
		for i, p := range processes {
			for w := range 4 {
				all.Go(func() {
					for n := range 300 {
						session := fmt.Sprint("s", (n+w)%3)
						mu.Lock()
						least := answered[session]
						mu.Unlock()
						got, ok := p.Get(session)
						if !ok {
							mark := p.Mark()
							got = read(session)
							time.Sleep(time.Duration(n%7) * time.Millisecond)
							p.Put(mark, session, "u", got)
							continue
						}
						if have := 0; func() bool { _, _ = fmt.Sscan(got, &have); return have < least }() {
							t.Errorf("process %d accepted %s of version %s, after version %d was answered", i, session, got, least)
							return
						}
						time.Sleep(time.Millisecond)
					}
				})
			}
			all.Go(func() {
				for n := range 20 {
					session := fmt.Sprint("s", (n+i)%3)
					time.Sleep(time.Duration(17+i*13+n) * time.Millisecond)
					mu.Lock()
					current[session]++
					version := current[session]
					if n%2 == 0 {
						d.revoke(session, "u")
					} else {
						d.revoke("", "u")
					}
					mu.Unlock()
					p.Settle(t.Context())
					mu.Lock()
					answered[session] = max(answered[session], version)
					mu.Unlock()
				}
			})
		}
		all.Wait()
	})
}

// A restored database may count as far as before, with other rows.
func TestAProcessThatRegistersAgainHasForgottenEverything(t *testing.T) {
	run(t, func(t *testing.T, d *database) {
		p := start(t, d, "a")
		p.warm(t, "s", "v")
		_ = d.locked(func() { clear(d.readers) }) // restored, and the session is not in it
		time.Sleep(live.Lease)
		synctest.Wait()
		p.Get("s") // asks for a lease
		synctest.Wait()
		p.wantForgotten(t, "s")
		p.warm(t, "s", "w")
	})
}

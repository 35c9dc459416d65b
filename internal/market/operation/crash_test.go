package operation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/market/operation"
	"stoa/internal/market/terms"
	"stoa/internal/testkit"
	"stoa/internal/trust/audit"
)

// mortal is a Store whose process dies at a write: before it, or right after it. From then on nothing is written.
type mortal struct {
	operation.Store

	left  atomic.Int64 // writes until it dies; below zero it is dead
	after bool
}

var errDead = errors.New("the process was killed")

func (m *mortal) Keep(ctx context.Context, o operation.Stored, lease string, goesOn bool, entries ...audit.Entry) error {
	left := m.left.Add(-1)
	if left < 0 && (left < -1 || !m.after) {
		return errDead
	}
	if err := m.Store.Keep(ctx, o, lease, goesOn, entries...); err != nil {
		return err
	}
	if left < 0 {
		return errDead
	}
	return nil
}

func (m *mortal) Renew(ctx context.Context, id, lease string, until time.Time) (bool, error) {
	if m.left.Load() < 0 {
		return false, errDead
	}
	return m.Store.Renew(ctx, id, lease, until)
}

// killed has the process of s die at a write. revive starts another one.
func (s *stage) killed(t *testing.T, at int, after bool) (revive func()) {
	t.Helper()
	if err := s.Operations.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	m := &mortal{Store: s.Operations.Store, after: after}
	m.left.Store(int64(at))
	s.Operations.Store = m
	return func() { m.left.Store(1 << 30) }
}

// Wherever a process is killed, a purchase and a trial go on with the same order, seat and trial, and end well.
func TestAProcessThatIsKilled(t *testing.T) {
	t.Parallel()

	const writes = 8 // more than there are
	for at := range writes {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("purchase, write %d, %t", at, after), func(t *testing.T) {
				t.Parallel()

				s := newStage(t, true)
				var paid atomic.Bool
				paid.Store(true)
				s.sells(&paid)
				revive := s.killed(t, at, after)
				s.goesOn(t, s.settled(t, s.buy(t)), revive)
			})
			t.Run(fmt.Sprintf("trial, write %d, %t", at, after), func(t *testing.T) {
				t.Parallel()

				s := newStage(t, true)
				var trials atomic.Value // the only one
				s.m.Serve(terms.Prefix+"trials", func(w http.ResponseWriter, r *http.Request) {
					once := r.Header.Get("Idempotency-Key")
					if was := trials.Load(); was != nil && was != once {
						w.WriteHeader(http.StatusConflict)
						_ = json.NewEncoder(w).Encode(object{"error": "TRIAL_USED", "message": "x"})
						return
					}
					trials.Store(once)
					w.WriteHeader(http.StatusCreated)
					_ = json.NewEncoder(w).Encode(object{"licenseKey": goodKey})
				})
				revive := s.killed(t, at, after)
				_ = s.DoUnchecked(t, testkit.Post(s.admin.Access, marketsPath+s.market+"/trials",
					object{"productSlug": "tool", "tierId": "pro", "email": "ada@example.com", "grants": []string{}}))
				list, _, err := s.Operations.List(t.Context(), 1, 0)
				if err != nil || len(list) != 1 {
					t.Fatalf("%v, %v", list, err)
				}
				s.goesOn(t, s.operation(t, list[0].ID), revive)
			})
		}
	}
}

// goesOn starts another process, whose operation must end well.
func (s *stage) goesOn(t *testing.T, op testkit.Response, revive func()) {
	t.Helper()
	if err := s.Operations.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	revive()
	for range 3 {
		s.again(t, lastPause)
	}
	op = s.operation(t, op.Text(t, "data.operationId"))
	if op.Text(t, "data.state") != "done" || s.version(t, "tool") != "1.0.0" || s.licenses.seats != 1 || s.licenses.released != 0 {
		t.Errorf("%d seats, %d released: %s", s.licenses.seats, s.licenses.released, op.Body)
	}
	list := s.Do(t, testkit.Get(s.admin.Access, "/api/v1/admin/audit?action=market."+op.Text(t, "data.kind")))
	if entries, _ := list.Get(t, "data.items").([]any); len(entries) != 1 {
		t.Errorf("recorded %d times", len(entries))
	}
}

// Whoever began a purchase may be gone when it is paid. The license stays, and somebody else goes on with it.
func TestRightsAreLookedUpAgain(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	var paid atomic.Bool
	s.sells(&paid)
	boss, first := s.admin, s.Admin(t, "first")
	s.admin = first
	op := s.settled(t, s.buy(t))
	id := op.Text(t, "data.operationId")
	s.admin = boss
	if res := s.Do(t, testkit.Patch(boss.Access, "/api/v1/admin/users/"+first.UserID, object{"role": "USER"})); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	paid.Store(true)
	s.again(t, lastPause)
	op = s.operation(t, id)
	wantSteps(t, op, "paid", "activated", "FORBIDDEN")
	if s.version(t, "tool") != "" || s.licenses.released != 0 {
		t.Error("it is installed, or its seat is free")
	}
	wantSteps(t, s.settled(t, s.install(t, "tool", "", "storage:read")), "activated", "downloaded", "verified", "installed", "running")
	if s.licenses.seats != 1 {
		t.Errorf("%d seats", s.licenses.seats)
	}
}

// A key that somebody brought for an install that fails gets its seat back, unless the package is there.
func TestAFailedInstallFreesItsSeat(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	s.serveBytes([]byte("something else"))
	wantLast(t, s.settled(t, s.install(t, "tool", goodKey)), "MARKET_UNTRUSTED")
	if s.licenses.released != 1 {
		t.Errorf("released %d times", s.licenses.released)
	}
	s.m.Serve(packagePath, nil)
	s.m.Publish()
	op := s.settled(t, s.install(t, "tool", goodKey))
	wantSteps(t, op, "activated", "downloaded", "verified", "installed", "running")
	s.offer(t, true, plugin(t, acme, "other", "2.0.0", "storage:read", "events:publish"), "2.0.0")
	op = s.settled(t, s.install(t, "tool", goodKey))
	if op.Text(t, "data.error.code") != "MARKET_UNTRUSTED" || s.licenses.released != 1 {
		t.Errorf("released %d times: %s", s.licenses.released, op.Body)
	}
}

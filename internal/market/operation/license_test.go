package operation_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/operation"
	"stoa/internal/market/remote"
	"stoa/internal/market/terms"
	"stoa/internal/testkit"
	"stoa/internal/testkit/tuftest"
	"stoa/internal/testkit/waittest"
)

// asleep are licenses whose first activation stands still until it is woken.
type asleep struct {
	*licenses

	began, woken chan struct{}
	count        atomic.Int64
}

func (a *asleep) Activate(ctx context.Context, of entitlement.Subject, key string) (entitlement.License, error) {
	l, err := a.licenses.Activate(ctx, of, key)
	if a.count.Add(1) == 1 {
		close(a.began)
		select {
		case <-a.woken:
		case <-ctx.Done():
			return l, ctx.Err()
		}
	}
	return l, err
}

// A worker that stands still for longer than its lease lasts has lost the operation: another one ends it. Whatever the
// first one does when it wakes up, nothing fails, and no seat is given back.
func TestAWorkerThatWakesUpTooLate(t *testing.T) {
	t.Parallel()

	for name, served := range map[string]http.HandlerFunc{
		"and goes on": nil,
		"and is refused": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"error":"LICENSE_REFUSED","message":"x","details":{"reason":"revoked"}}`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
				s := newStage(t, true, options...)
				if err := s.Operations.Idle(t.Context()); err != nil {
					t.Fatal(err)
				}
				o := s.Operations
				second := &operation.Service{
					Store: o.Store, Markets: o.Markets, Licenses: s.licenses, Installer: o.Installer,
					Plugins: o.Plugins, Catalog: o.Catalog, Releases: o.Releases, Box: o.Box, Rights: o.Rights,
					PublicURL: o.PublicURL, PlatformID: o.PlatformID, Log: o.Log, Now: o.Now,
				}
				asleep := &asleep{licenses: s.licenses, began: make(chan struct{}), woken: make(chan struct{})}
				o.Licenses = asleep
				res := s.install(t, "tool", goodKey, "storage:read")
				waittest.Next(t, "the first worker's activation", asleep.began)
				second.Start(t.Context())
				defer second.Close()
				// Another worker of the first process may be the one that takes it. The sleeper renews its lease
				// in real time, and may do so just after the clock has moved.
				waittest.True(t, "another worker has ended the operation", func() bool {
					s.Clock.Advance(31 * time.Second)
					if err := second.Idle(t.Context()); err != nil {
						t.Fatal(err)
					}
					return s.operation(t, res.Text(t, "data.operationId")).Text(t, "data.state") == "done"
				})
				s.m.Serve(packagePath, served)
				close(asleep.woken)
				op := s.settled(t, res)
				wantSteps(t, op, "activated", "downloaded", "verified", "installed", "running")
				if s.licenses.released != 0 || len(s.licenses.active) != 1 || s.version(t, "tool") != "1.0.0" {
					t.Errorf("%d seats were given back, kept %v", s.licenses.released, s.licenses.active)
				}
			})
		})
	}
}

// A key of one market is never sent to another, whatever slug that one gives its package.
func TestAKeyIsForItsMarketAlone(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		s := newStage(t, true, options...)
		var paid atomic.Bool
		paid.Store(true)
		s.sells(&paid)
		s.serveBytes([]byte("x"))
		s.settled(t, s.buy(t)) // its key is kept, and nothing is installed
		if len(s.licenses.active) != 1 {
			t.Fatalf("kept: %v", s.licenses.active)
		}
		other := &stage{m: tuftest.New(t, "Evil", testkit.T0.UTC), buyer: s.buyer, licenses: s.licenses}
		other.offer(t, true, plugin(t, acme, "tool", "1.0.0", "storage:read", "events:publish"), "1.0.0")
		asked := other.sells(new(atomic.Bool))
		m, err := s.Markets.Add(t.Context(), other.m.URL, other.m.Fingerprint())
		if err != nil {
			t.Fatal(err)
		}
		s.market = m.ID
		other.buy(t)
		if in := <-asked; in["licenseKey"] != nil {
			t.Errorf("the other market was sent %v", in)
		}
		want(t, other.install(t, "tool", "", "storage:read"), http.StatusForbidden, "LICENSE_REFUSED")
	})
}

// refusing are licenses whose activation fails.
type refusing struct {
	*licenses

	err    error
	broken error // of Key, once there is one
}

func (r *refusing) Key(ctx context.Context, of entitlement.Subject) (string, bool, error) {
	key, held, err := r.licenses.Key(ctx, of)
	if held && r.broken != nil {
		return "", false, r.broken
	}
	return key, held, err
}

func (r *refusing) Activate(ctx context.Context, of entitlement.Subject, key string) (entitlement.License, error) {
	if r.err != nil {
		return entitlement.License{}, r.err
	}
	return r.licenses.Activate(ctx, of, key)
}

// Once somebody paid, nothing that becomes of the market ends the purchase, and what is right again goes on.
func TestWhatWasPaidForIsNotLost(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		spoil, mend func(t *testing.T, s *stage, r *refusing)
		steps       []string
	}{
		"untrusted before the activation": {
			func(_ *testing.T, _ *stage, r *refusing) { r.err = remote.NotAsAMarket("its timestamp cannot be read") },
			func(_ *testing.T, _ *stage, r *refusing) { r.err = nil },
			[]string{"paid"},
		},
		"a package that does not fit": {
			func(_ *testing.T, s *stage, _ *refusing) { s.serveBytes([]byte("something else")) },
			func(_ *testing.T, s *stage, _ *refusing) { s.m.Serve(packagePath, nil); s.m.Publish() },
			[]string{"paid", "activated"},
		},
		"a seat that is taken for now": {
			func(_ *testing.T, _ *stage, r *refusing) {
				r.err = operation.ErrLicense.With("reason", "not_activated")
			},
			func(_ *testing.T, _ *stage, r *refusing) { r.err = nil },
			[]string{"paid"},
		},
		"an answer that refuses and is not signed": {
			func(_ *testing.T, s *stage, _ *refusing) {
				s.serve(packagePath, http.StatusForbidden, object{"error": "LICENSE_REFUSED", "message": "x"})
			},
			func(_ *testing.T, s *stage, _ *refusing) { s.m.Serve(packagePath, nil) },
			[]string{"paid", "activated"},
		},
		"a claim that finds nothing": {
			func(_ *testing.T, s *stage, _ *refusing) {
				s.serve(claim, http.StatusNotFound, object{"error": "NOT_FOUND", "message": "x"})
			},
			func(_ *testing.T, s *stage, _ *refusing) {
				var paid atomic.Bool
				paid.Store(true)
				s.sells(&paid)
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := newStage(t, true)
			var paid atomic.Bool
			s.sells(&paid)
			r := &refusing{licenses: s.licenses}
			op := s.settled(t, s.buy(t))
			s.Operations.Licenses = r
			paid.Store(true)
			tt.spoil(t, s, r)
			for range 3 {
				s.again(t, lastPause)
			}
			op = s.operation(t, op.Text(t, "data.operationId"))
			wantSteps(t, op, tt.steps...)
			if op.Text(t, "data.state") != "pending" {
				t.Errorf("%s", op.Body)
			}
			tt.mend(t, s, r)
			s.again(t, lastPause)
			op = s.operation(t, op.Text(t, "data.operationId"))
			if op.Text(t, "data.state") != "done" || s.version(t, "tool") == "" || s.licenses.seats != 1 {
				t.Errorf("%s", op.Body)
			}
		})
	}
}

// What stands in the way here ends a purchase. Its key is kept, and an install goes on.
func TestAConflictHereKeepsTheKey(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	var paid atomic.Bool
	s.sells(&paid)
	op := s.settled(t, s.buy(t))
	if res := s.Install(t, s.admin.Access, "plugin", unsigned(t, "tool", "0.5.0")); res.Status != http.StatusCreated {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	paid.Store(true)
	s.again(t, lastPause)
	wantSteps(t, s.operation(t, op.Text(t, "data.operationId")), "paid", "CONFLICT")
	if s.licenses.seats != 0 {
		t.Error("a seat was taken, and the license rules over what came from elsewhere")
	}
	if res := s.Do(t, testkit.Delete(s.admin.Access, "/api/v1/admin/plugins/tool?purge=true")); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	s.settled(t, s.install(t, "tool", "", "storage:read"))
	if s.version(t, "tool") != "1.0.0" || s.licenses.seats != 1 {
		t.Error("the key was lost")
	}
}

// What this stoa does not take ends a purchase, since no other download helps. Its key stays, for what the market
// offers next.
func TestWhatCannotBeTakenEndsAPurchase(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		archive []byte
		steps   []string
	}{
		"too large": {make([]byte, 50<<20+1), []string{"paid", "activated", "PAYLOAD_TOO_LARGE"}},
		"not to be read": {
			acme.Sign(t, testkit.ExternalPlugin(t, "tool", object{"version": "1.1.0", "schemaVersion": 2})),
			[]string{"paid", "activated", "downloaded", "INVALID_MANIFEST"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := newStage(t, true)
			var paid atomic.Bool
			s.sells(&paid)
			op := s.settled(t, s.buy(t))
			s.offer(t, true, tt.archive, "1.1.0")
			paid.Store(true)
			s.again(t, lastPause)
			wantSteps(t, s.operation(t, op.Text(t, "data.operationId")), tt.steps...)
			s.offer(t, true, plugin(t, acme, "tool", "1.2.0", "storage:read", "events:publish"), "1.2.0")
			s.again(t, lastPause)
			if op := s.settled(t, s.install(t, "tool", "")); op.Text(t, "data.state") != "done" || s.licenses.seats != 1 {
				t.Errorf("%d seats: %s", s.licenses.seats, op.Body)
			}
		})
	}
}

// A step that is reached again is no progress: an operation that fails after it waits longer and longer.
func TestADownloadIsNotRepeatedEveryFewSeconds(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	var paid atomic.Bool
	paid.Store(true)
	s.sells(&paid)
	archive := plugin(t, acme, "tool", "1.1.0", "storage:read", "events:publish")
	s.offer(t, true, archive, "1.1.0")
	var downloads atomic.Int32
	s.m.Serve(terms.PackagePath+"tool/1.1.0", func(w http.ResponseWriter, _ *http.Request) {
		downloads.Add(1)
		_, _ = w.Write(archive)
	})
	s.Operations.Licenses = &refusing{licenses: s.licenses, broken: errors.New("the database is away")}
	wantSteps(t, s.settled(t, s.buy(t)), "paid", "activated", "downloaded", "verified")
	for range 60 {
		s.again(t, 2*time.Second)
	}
	if n := downloads.Load(); n < 2 || n > 7 { // after 2, 4, 8, 16, 32 and 60 s
		t.Errorf("%d downloads in two minutes", n)
	}
}

// A trial takes no license's place; of a license that is one, the market says that it was used.
func TestATrialReplacesNoLicense(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	of := entitlement.Subject{Kind: extension.Plugin, Slug: "tool", Market: s.market, Product: "tool"}
	if _, err := s.licenses.Activate(t.Context(), of, goodKey); err != nil {
		t.Fatal(err)
	}
	trial := object{"productSlug": "tool", "tierId": "pro", "email": "ada@example.com", "grants": []string{}}
	want(t, s.post(t, "trials", trial), http.StatusConflict, "CONFLICT")
	s.licenses.trial = true
	s.serve(terms.Prefix+"trials", http.StatusConflict, object{"error": "TRIAL_USED", "message": "x"})
	want(t, s.post(t, "trials", trial), http.StatusConflict, "TRIAL_USED")
}

// What answers to a trial in place of the market is no answer: the trial may have begun, and is asked for again.
func TestASpoiltAnswerToATrial(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	s.m.Serve(terms.Prefix+"trials", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte("<h1>Welcome</h1>"))
	})
	trial := object{"productSlug": "tool", "tierId": "pro", "email": "ada@example.com", "grants": []string{}}
	op := s.settled(t, s.post(t, "trials", trial))
	if op.Text(t, "data.state") != "pending" || op.Text(t, "data.waiting.code") == "" {
		t.Errorf("%s", op.Body)
	}
	s.serve(terms.Prefix+"trials", http.StatusCreated, object{"licenseKey": goodKey})
	s.again(t, lastPause)
	wantSteps(t, s.operation(t, op.Text(t, "data.operationId")), "activated", "downloaded", "verified", "installed", "running")
}

// Another key may be entered while an update waits: the update goes on with it.
func TestAnUpdateTakesTheKeyOfNow(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	s.settled(t, s.install(t, "tool", goodKey))
	s.offer(t, true, plugin(t, acme, "tool", "1.1.0", "storage:read", "events:publish"), "1.1.0")
	s.licenses.away = true
	op := s.post(t, "products/tool/install", object{"grants": []string{}})
	if op.Status == http.StatusAccepted {
		t.Fatalf("%s", op.Body) // it asks before it begins
	}
	s.licenses.away = false
	s.serve(terms.PackagePath+"tool/1.1.0", http.StatusInternalServerError, object{"error": "INTERNAL_ERROR", "message": "x"})
	op = s.settled(t, s.install(t, "tool", ""))
	of := entitlement.Subject{Kind: extension.Plugin, Slug: "tool", Market: s.market, Product: "tool"}
	s.licenses.active[of] = "STOA-NEWER"
	s.m.Serve(terms.PackagePath+"tool/1.1.0", nil)
	s.again(t, lastPause)
	if got := s.operation(t, op.Text(t, "data.operationId")); got.Text(t, "data.state") != "done" || s.licenses.active[of] != "STOA-NEWER" {
		t.Errorf("key %s: %s", s.licenses.active[of], got.Body)
	}
}

// What became free has no license any more.
func TestWhatBecomesFreeLosesItsLicense(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	s.settled(t, s.install(t, "tool", goodKey))
	s.offer(t, false, plugin(t, acme, "tool", "1.1.0", "storage:read", "events:publish"), "1.1.0")
	if op := s.settled(t, s.install(t, "tool", "")); op.Text(t, "data.state") != "done" || len(s.licenses.active) != 0 {
		t.Errorf("%v: %s", s.licenses.active, op.Body)
	}
}

// A failed install with a key that was kept before does not give its seat back.
func TestAFailedInstallLeavesAKeptKey(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	of := entitlement.Subject{Kind: extension.Plugin, Slug: "tool", Market: s.market, Product: "tool"}
	if _, err := s.licenses.Activate(t.Context(), of, goodKey); err != nil {
		t.Fatal(err)
	}
	s.serve(terms.PackagePath+"tool/1.0.0", http.StatusNotFound, object{"error": "NOT_FOUND", "message": "x"})
	wantLast(t, s.settled(t, s.install(t, "tool", goodKey)), "NOT_FOUND")
	if s.licenses.released != 0 {
		t.Error("the seat of what was bought was given back")
	}
}

package operation_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/extension"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/terms"
	"stoa/internal/testkit"
	"stoa/internal/testkit/tuftest"
)

func (b *buyer) end(t *testing.T, id string) testkit.Response {
	t.Helper()
	return b.Do(t, testkit.Delete(b.admin.Access, "/api/v1/admin/market-operations/"+id))
}

// Whoever buys a product that is being bought is shown that purchase: two payments would be one license too many.
func TestAProductIsBoughtOnceAtATime(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		s := newStage(t, true, options...)
		var paid atomic.Bool
		asked := s.sells(&paid)
		first := s.settled(t, s.buy(t)).Text(t, "data.operationId")
		for len(asked) > 0 {
			<-asked
		}
		second := s.buy(t)
		want(t, second, http.StatusConflict, "CONFLICT")
		if second.Text(t, "error.details.operationId") != first || len(asked) != 0 {
			t.Errorf("%s, asked %d times", second.Body, len(asked))
		}
		s.again(t, 2*time.Hour) // the payment is on its way: the market still says so
		want(t, s.buy(t), http.StatusConflict, "CONFLICT")
		if res := s.end(t, first); res.Status != http.StatusOK || res.Text(t, "data.state") != "failed" {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		log := s.Do(t, testkit.Get(s.admin.Access, "/api/v1/admin/audit?action=market.end"))
		if items, _ := log.Get(t, "data.items").([]any); len(items) != 1 || items[0].(object)["details"].(object)["operation"] != first {
			t.Errorf("%s", log.Body)
		}
		paid.Store(true)
		wantSteps(t, s.settled(t, s.buy(t)), "paid", "activated", "downloaded", "verified", "installed", "running")
	})
}

// A market stays while a purchase there is not over: else whoever pays gets nothing.
func TestAMarketStaysUntilPurchasesAreOver(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	s.sells(new(atomic.Bool))
	id := s.settled(t, s.buy(t)).Text(t, "data.operationId")
	remove := testkit.Delete(s.admin.Access, marketsPath+s.market)
	want(t, s.Do(t, remove), http.StatusConflict, "CONFLICT")
	s.end(t, id)
	if res := s.Do(t, remove); res.Status >= 300 {
		t.Errorf("%d %s", res.Status, res.Body)
	}
}

// A pending operation says why it waits; one that only waits for its payment says nothing.
func TestWaitingIsExplained(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	var paid atomic.Bool
	s.sells(&paid)
	id := s.settled(t, s.buy(t)).Text(t, "data.operationId")
	waits := func(code string) {
		t.Helper()
		op := s.operation(t, id)
		if op.Text(t, "data.state") != "pending" || op.Text(t, "data.waiting.code") != code {
			t.Errorf("want %q: %s", code, op.Body)
		}
	}
	waits("")
	s.m.Stop()
	s.again(t, lastPause)
	waits("MARKET_UNREACHABLE")
	s.m.Start()
	s.again(t, lastPause)
	waits("")
	paid.Store(true)
	s.licenses.away = true
	s.again(t, lastPause)
	waits("MARKET_UNREACHABLE")
	s.licenses.away = false
	s.again(t, lastPause)
	if op := s.operation(t, id); op.Text(t, "data.state") != "done" || op.Get(t, "data.waiting") != nil {
		t.Errorf("%s", op.Body)
	}
}

// The end of a purchase that may have been paid sends nobody to pay again.
func TestEndsOfPurchasesSayWhatToDo(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		status        int
		code          string
		state, member string
		says          string
	}{
		{http.StatusGone, "HANDOFF_EXPIRED", "failed", "error", "If it was paid, install the product with the license key of the receipt"},
		{http.StatusNotFound, "NOT_FOUND", "pending", "waiting", "The market does not know this purchase any more"},
	} {
		s := newStage(t, true)
		s.sells(new(atomic.Bool))
		s.serve(claim, tt.status, object{"error": tt.code, "message": "x"})
		op := s.settled(t, s.buy(t))
		said := op.Text(t, "data."+tt.member+".message")
		if op.Text(t, "data.state") != tt.state || op.Text(t, "data."+tt.member+".code") != tt.code || !strings.Contains(said, tt.says) {
			t.Errorf("%d: %s", tt.status, op.Body)
		}
	}
}

// A market that says "not paid yet" without end is not asked without end.
func TestAPurchaseThatIsNeverPaidEnds(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	s.sells(new(atomic.Bool))
	id := s.settled(t, s.buy(t)).Text(t, "data.operationId")
	s.again(t, 14*24*time.Hour)
	if op, err := s.Operations.Get(t.Context(), id); err != nil || op.State != "pending" {
		t.Fatalf("%+v, %v", op, err)
	}
	s.again(t, time.Hour+time.Minute)
	op, err := s.Operations.Get(t.Context(), id)
	if err != nil || op.Failure == nil || op.Failure.Code != "HANDOFF_EXPIRED" {
		t.Errorf("%+v, %v", op, err)
	}
}

// What waits without end can be ended, unless it is over, or is at work at that moment. The seat of a key that somebody
// brought is given back; a key that was bought stays, and the next install goes on with it.
func TestOperationsAreEnded(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		s := newStage(t, true, options...)
		var paid atomic.Bool
		s.sells(&paid)
		archive := terms.PackagePath + "tool/1.0.0"
		s.serve(archive, http.StatusInternalServerError, object{"error": "INTERNAL_ERROR", "message": "x"})
		op := s.settled(t, s.install(t, "tool", goodKey))
		wantSteps(t, op, "activated")
		id := op.Text(t, "data.operationId")
		now := s.Clock.Now()
		if _, ok, err := s.Operations.Store.Take(t.Context(), id, "another", now, now.Add(time.Minute)); !ok || err != nil {
			t.Fatal(ok, err)
		}
		want(t, s.end(t, id), http.StatusConflict, "CONFLICT")
		s.Operations.Close()             // or it would go on with what is due again
		s.Clock.Advance(2 * time.Minute) // the process that had it is gone
		ended := s.end(t, id)
		s.Operations.Start(t.Context())
		if ended.Status != http.StatusOK || ended.Text(t, "data.error.code") != "CONFLICT" || s.licenses.released != 1 {
			t.Errorf("released %d: %s", s.licenses.released, ended.Body)
		}
		want(t, s.end(t, id), http.StatusConflict, "CONFLICT") // it is over
		want(t, s.end(t, "none"), http.StatusNotFound, "NOT_FOUND")
		paid.Store(true)
		op = s.settled(t, s.buy(t))
		wantSteps(t, op, "paid", "activated")
		if res := s.end(t, op.Text(t, "data.operationId")); res.Status != http.StatusOK || s.licenses.released != 1 {
			t.Errorf("released %d: %s", s.licenses.released, res.Body)
		}
		s.m.Serve(archive, nil)
		s.licenses.active = make(map[entitlement.Subject]string) // in ten days nobody has installed it
		if op := s.settled(t, s.install(t, "tool", "", "storage:read")); op.Text(t, "data.state") != "done" {
			t.Errorf("%s", op.Body)
		}
	})
}

// Operations are deleted a year after they were over, and with them the names of who began them.
func TestOldOperationsAreSwept(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		s := newStage(t, false, options...)
		over := s.settled(t, s.install(t, "tool", "")).Text(t, "data.operationId")
		for _, tt := range []struct {
			after time.Duration
			gone  bool
		}{{365 * 24 * time.Hour, false}, {time.Second, true}} {
			s.Clock.Advance(tt.after)
			if err := s.Operations.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Operations.Get(t.Context(), over); (err != nil) != tt.gone {
				t.Errorf("after %s: %v", tt.after, err)
			}
		}
	})
}

// What an install would refuse for sure is refused before somebody pays.
func TestWhatCannotBeInstalledIsNotSold(t *testing.T) {
	t.Parallel()

	s := newStage(t, true)
	asked := s.sells(new(atomic.Bool))
	app := func(kind extension.Kind, archive []byte) {
		custom := tuftest.Custom("tool", "2.0.0", testkit.T0)
		custom.Kind, custom.Permissions, custom.Paid = kind, []string{}, true
		custom.Publisher.Key = base64.StdEncoding.EncodeToString(acme.Public())
		s.m.Carry("tool", custom, archive)
		s.m.Publish()
		if _, err := s.Markets.Check(t.Context(), s.market); err != nil {
			t.Fatal(err)
		}
	}
	buy := func() testkit.Response {
		return s.post(t, "purchases", object{"productSlug": "tool", "tierId": "pro", "grants": []string{}})
	}
	app(extension.Plugin, make([]byte, 50<<20+1))
	want(t, buy(), http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE")

	if res := s.Install(t, s.admin.Access, "theme-shop", testkit.ThemePack(t, "tool", "1.0.0", nil, nil)); res.Status != http.StatusCreated {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	app(extension.ThemeAppShop, []byte("x"))
	res := buy()
	want(t, res, http.StatusConflict, "CONFLICT")
	if res.Text(t, "error.details.kind") != "theme-shop" {
		t.Errorf("%s", res.Body)
	}

	oscar := s.Register(t, "oscar")
	s.Do(t, testkit.Patch(s.admin.Access, "/api/v1/admin/users/"+oscar.UserID, `{"role":"OPERATOR"}`))
	s.admin = s.Login(t, "oscar")
	for _, kind := range []extension.Kind{extension.ThemeAppAdmin, extension.Bundle} {
		app(kind, []byte("x"))
		want(t, buy(), http.StatusForbidden, "FORBIDDEN")
	}
	if len(asked) != 0 {
		t.Errorf("the market was asked %d times", len(asked))
	}
}

package httpapi_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"stoa/internal/data/idempotency"
	"stoa/internal/shop/payment"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/waittest"
)

// mustExec runs statements on the database itself.
func mustExec(tb testing.TB, db *sql.DB, statements ...string) {
	tb.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(tb.Context(), s); err != nil {
			tb.Fatalf("%s: %v", s, err)
		}
	}
}

// failing makes an operation ("UPDATE OF answer_sealed", "INSERT") on a table
// fail until heal is called.
func failing(tb testing.TB, db *sql.DB, operation, table string) (heal func()) {
	tb.Helper()
	if _, err := db.ExecContext(tb.Context(), `SELECT sqlite_version()`); err == nil {
		mustExec(tb, db,
			fmt.Sprintf(`CREATE TRIGGER broken BEFORE %s ON %s BEGIN SELECT RAISE(ABORT, 'broken'); END`, operation,
				table))
		return func() { mustExec(tb, db, `DROP TRIGGER broken`) }
	}
	mustExec(tb, db,
		`CREATE OR REPLACE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS
			$$ BEGIN RAISE EXCEPTION 'broken'; END $$`,
		fmt.Sprintf(`CREATE TRIGGER broken BEFORE %s ON %s FOR EACH ROW EXECUTE FUNCTION broken()`, operation, table))
	return func() { mustExec(tb, db, `DROP TRIGGER broken ON `+table) }
}

// effects counts what the requests of onceEach leave behind.
var effects = map[string]string{
	"purchase": `SELECT count(*) FROM orders WHERE tier_id = 'monthly'`,
	"license":  `SELECT count(*) FROM licenses WHERE tier_id = 'monthly'`,
	"activate": `SELECT count(*) FROM license_instances`,
	"install":  `SELECT count(*) FROM plugin_packages WHERE slug = 'hello'`,
	"instance": `SELECT count(*) FROM plugin_instances WHERE instance_key = 'eu'`,
	"audit":    `SELECT count(*) FROM audit_log WHERE target_id LIKE '%hello%' AND action = 'plugin.install'`,
}

// onceEach returns a request for each route that honors keys, by name.
func onceEach(t *testing.T, a *testkit.App) map[string]testkit.Request {
	t.Helper()
	a.ImportCatalog(t)
	admin, _ := a.InstallPay(t)
	return map[string]testkit.Request{
		"purchase": testkit.Purchase("", "monthly"),
		"activate": activation(a.BuyKey(t, "", "once"), "a.example"),
		"install":  installation(admin, testkit.ExternalPlugin(t, "hello", nil)),
		"instance": testkit.Post(admin, testkit.PayInstances, map[string]any{
			"instanceKey": "eu", "config": testkit.PayConfig(),
		}),
	}
}

func wantOneOfEach(tb testing.TB, db *sql.DB) {
	tb.Helper()
	for what, query := range effects {
		if n := dbtest.Count(tb, db, query); n != 1 {
			tb.Errorf("%s: %d, want 1", what, n)
		}
	}
}

// Two replicas get the same request with the same key many times at once.
func TestOneKeyHasOneEffectHoweverManyReplicasRaceForIt(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		for name, req := range onceEach(t, a) {
			var (
				wg      sync.WaitGroup
				mu      sync.Mutex
				answers = map[string]int{}
				replays int
			)
			for i := range 12 {
				wg.Go(func() {
					res := []*testkit.App{a, b}[i%2].Do(t, under("k", req))
					if res.Status == http.StatusConflict &&
						strings.Contains(string(res.Body), "IDEMPOTENCY_IN_PROGRESS") {
						return
					}
					mu.Lock()
					defer mu.Unlock()
					answers[fmt.Sprint(res.Status, string(res.Body))]++
					if res.Header.Get("Idempotency-Replayed") != "" {
						replays++
					}
				})
			}
			wg.Wait()
			total := 0
			for _, n := range answers {
				total += n
			}
			if len(answers) != 1 || replays != total-1 {
				t.Errorf("%s: %d replays of the answers %v, want one answer, not replayed once", name, replays, answers)
			}
			if res := b.Do(t, under("k", req)); answers[fmt.Sprint(res.Status, string(res.Body))] == 0 {
				t.Errorf("%s, later: %d %s", name, res.Status, res.Body)
			}
		}
		wantOneOfEach(t, db)
	})
}

// The effect is in the database and its answer is not, as kill -9 leaves them
// at the worst moment. A retry waits for the lease to end, finds the effect,
// and answers as the first attempt would have.
func TestACrashBetweenEffectAndAnswerLeavesOneEffect(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		requests, lost := onceEach(t, a), map[string]testkit.Response{}
		heal := failing(t, db, "UPDATE OF answer_sealed", "idempotency_keys")
		for name, req := range requests {
			lost[name] = a.Do(t, under("k", req))
			inProgress := b.Do(t, under("k", req))
			if inProgress.Status != http.StatusConflict || inProgress.Header.Get("Retry-After") != "1" {
				t.Errorf("%s within the lease = %d %s, want 409 with Retry-After", name, inProgress.Status,
					inProgress.Body)
			}
		}
		heal()
		b.Clock.Advance(idempotency.Lease)
		for name, req := range requests {
			retry := b.Do(t, under("k", req))
			wantAnew(t, retry, lost[name].Status)
			if got, want := string(retry.Body), string(lost[name].Body); got != want {
				t.Errorf("%s: the retry's answer is\n%s\nwant\n%s", name, got, want)
			}
			if retry.Header.Get("Location") != lost[name].Header.Get("Location") {
				t.Errorf("%s: Location %q, want %q", name, retry.Header.Get("Location"),
					lost[name].Header.Get("Location"))
			}
			wantReplay(t, retry, a.Do(t, under("k", req)))
		}
		wantOneOfEach(t, db)
	})
}

// After an internal failure it is unknown whether the effect happened. The retry need not wait, and must
// be the same request.
func TestAFailureIsTriedAgainAndStandsForItsRequest(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, db *sql.DB) {
		a.ImportCatalog(t)
		heal := failing(t, db, "INSERT", "orders")
		for _, replica := range []*testkit.App{a, b} {
			testkit.WantFlatError(t, replica.Do(t, under("k", testkit.Purchase("", "once"))),
				http.StatusInternalServerError, "INTERNAL_ERROR")
		}
		testkit.WantFlatError(t, b.Do(t, under("k", testkit.Purchase("", "monthly"))), http.StatusUnprocessableEntity,
			"IDEMPOTENCY_KEY_REUSED")
		heal()
		first := b.Do(t, under("k", testkit.Purchase("", "once")))
		wantAnew(t, first, http.StatusOK)
		wantReplay(t, first, a.Do(t, under("k", testkit.Purchase("", "once"))))
	})
}

// troubled is a bank whose first answer is decided by the test.
type troubled struct {
	testkit.Bank

	first func(ctx context.Context) error
}

func (b *troubled) Begin(ctx context.Context, c payment.Charge) (payment.Checkout, error) {
	page, err := b.Bank.Begin(ctx, c)
	if len(b.Charges()) == 1 {
		err = b.first(ctx)
	}
	return page, err
}

// wantOneOrder checks that the bank was asked twice, for one order.
func (b *troubled) wantOneOrder(tb testing.TB, id string) {
	tb.Helper()
	if asked := b.Charges(); len(asked) != 2 || asked[0].OrderID != id || asked[1].OrderID != id {
		tb.Errorf("the bank was asked for %v, want the order %s twice", asked, id)
	}
}

// A payment that could not begin is begun by the next attempt, for the same
// order.
func TestARetryPaysTheOrderThatIsThere(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		b := &troubled{first: func(context.Context) error { return errors.New("closed at the moment") }}
		a.Orders.Payments = b
		testkit.WantFlatError(t, a.Do(t, under("k", testkit.Purchase("", "once"))), http.StatusBadGateway,
			"PURCHASE_FAILED")
		paid := a.Do(t, under("k", testkit.Purchase("", "once")))
		wantAnew(t, paid, http.StatusOK)
		b.wantOneOrder(t, paid.Text(t, "orderId"))
		if paid.Text(t, "paymentUrl") != "https://bank.example/pay/"+paid.Text(t, "orderId") {
			t.Errorf("answer %s, want the page of its order", paid.Body)
		}
		wantReplay(t, paid, a.Do(t, under("k", testkit.Purchase("", "once"))))
	})
}

func TestARequestThatIsStillRunningIsNotRunTwice(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		a.ImportCatalog(t)
		arrived, goOn := make(chan struct{}), make(chan struct{})
		slow := &troubled{first: func(context.Context) error {
			close(arrived)
			<-goOn
			return nil
		}}
		a.Orders.Payments, b.Orders.Payments = slow, slow
		first := make(chan testkit.Response, 1)
		go func() {
			defer close(first)
			first <- a.Do(t, under("k", testkit.Purchase("", "once")))
		}()
		select {
		case <-arrived:
		case res := <-first:
			t.Fatalf("the bank was not asked: %d %s", res.Status, res.Body)
		}
		for _, replica := range []*testkit.App{a, b} {
			res := replica.Do(t, under("k", testkit.Purchase("", "once")))
			testkit.WantFlatError(t, res, http.StatusConflict, "IDEMPOTENCY_IN_PROGRESS")
			if res.Header.Get("Retry-After") != "1" {
				t.Errorf("Retry-After = %q, want 1", res.Header.Get("Retry-After"))
			}
			testkit.WantFlatError(t, replica.Do(t, under("k", testkit.Purchase("", "monthly"))),
				http.StatusUnprocessableEntity, "IDEMPOTENCY_KEY_REUSED")
		}
		close(goOn)
		res := <-first
		wantAnew(t, res, http.StatusOK)
		wantReplay(t, res, b.Do(t, under("k", testkit.Purchase("", "once"))))
	})
}

// Neither a handler that panics nor a client that leaves keeps its key claimed:
// the next attempt runs at once, for the same order.
func TestAPanicOrALostClientLeavesNothingRunning(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	for name, fail := range map[string]func(ctx context.Context, leave func()) error{
		"panic": func(context.Context, func()) error { panic("boom") },
		"lost client": func(ctx context.Context, leave func()) error {
			leave()
			<-ctx.Done() // the server has noticed
			return ctx.Err()
		},
	} {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		b := &troubled{first: func(ctx context.Context) error { return fail(ctx, leave) }}
		a.Orders.Payments = b
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.URL+testkit.Products+"/mail-pack/purchase",
			strings.NewReader(`{"paymentMethod":"card","tierId":"once"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Idempotency-Key", name)
		if res, err := a.Client.Do(req); err == nil {
			_ = res.Body.Close()
		}
		var res testkit.Response
		waittest.True(t, "the end of the first attempt", func() bool { // the server may be a moment behind the client
			res = a.Do(t, under(name, testkit.Purchase("", "once")))
			return res.Status != http.StatusConflict
		})
		wantAnew(t, res, http.StatusOK)
		b.wantOneOrder(t, res.Text(t, "orderId"))
	}
}

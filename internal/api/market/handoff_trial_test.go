package market_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit"
)

func TestATrialOfAnotherStoaIsOnePerHostAndMailbox(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newMarket(t, options...)
		m.offerTrials(t)
		key := m.tried(t, "b.example.org", "ada@example.com")
		res := m.Activate(t, key, "b.example.org")
		if res.Status != http.StatusOK || res.Get(t, "trial") != true {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}
		wantRefusal(t, m.Do(t, try("b.example.org", "eve@example.com")), http.StatusConflict, "TRIAL_USED")
		wantRefusal(t, m.Do(t, try("c.example.org", "ADA@example.com")), http.StatusConflict, "TRIAL_USED")
		// What a trial of the shop took counts too, and what another stoa took counts in the shop.
		wantRefusal(t, m.Do(t, testkit.Post("", testkit.Products+"/mail-pack/trial",
			map[string]any{"tierId": "once", "email": "ada@example.com"})), http.StatusConflict, "TRIAL_USED")
		own := m.Send(t, testkit.Products+"/mail-pack/trial", map[string]any{"tierId": "once", "email": "bob@example.com"})
		if res := m.Activate(t, own.Text(t, "licenseKey"), "d.example.org:8443"); res.Status != http.StatusOK {
			t.Fatalf("activate = %s", res.Body)
		}
		wantRefusal(t, m.Do(t, try("d.example.org", "dan@example.com")), http.StatusConflict, "TRIAL_USED")
		if res := m.Activate(t, m.tried(t, "e.example.org", "dan@example.com"), "e.example.org"); res.Status != http.StatusOK {
			t.Errorf("nothing is left of a trial that was refused: %d %s", res.Status, res.Body)
		}
		for i, host := range []string{"localhost", "localhost", "b.test", "b.test"} {
			m.tried(t, host, fmt.Sprintf("dev%d@example.com", i))
		}
	})
}

func TestWhatATrialOfAnotherStoaMayBe(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	m.offerTrials(t)
	for _, tt := range []struct {
		name    string
		changes map[string]any
		status  int
		code    string
	}{
		{"no host", map[string]any{"instance": ""}, 400, "VALIDATION_ERROR"},
		{"a host with a port", map[string]any{"instance": "b.example.org:1"}, 400, "VALIDATION_ERROR"},
		{"no address", map[string]any{"email": ""}, 400, "VALIDATION_ERROR"},
		{"two addresses", map[string]any{"email": "a@example.com, b@example.com"}, 400, "VALIDATION_ERROR"},
		{"no such product", map[string]any{"productSlug": "nope"}, 404, "NOT_FOUND"},
		{"no such tier", map[string]any{"tierId": "gold"}, 404, "NOT_FOUND"},
		{"a tier that cannot be tried", map[string]any{"tierId": "free"}, 400, "PURCHASE_FAILED"},
	} {
		req := try("b.example.org", "ada@example.com")
		body := req.Body.(map[string]any)
		for name, value := range tt.changes {
			body[name] = value
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			wantRefusal(t, m.Do(t, req), tt.status, tt.code)
		})
	}
}

// One trial and one mail, although it is asked for twice.
func TestATrialOfAnotherStoaMayBeRepeated(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	m.offerTrials(t)
	req := try("b.example.org", "ada@example.com")
	req.Header = http.Header{"Idempotency-Key": {`"one"`}}
	first, again := m.Do(t, req), m.Do(t, req)
	if first.Status != http.StatusCreated || string(again.Body) != string(first.Body) {
		t.Errorf("%d %s, then %d %s", first.Status, first.Body, again.Status, again.Body)
	}
	mails := m.Mails(t)
	if len(mails) != 1 || !strings.Contains(mails[0].Text, first.Text(t, "licenseKey")) {
		t.Errorf("mails = %v", mails)
	}
}

// A trial that is bought keeps its key: nothing is installed anew.
func TestATrialOfAnotherStoaIsBoughtInPlace(t *testing.T) {
	t.Parallel()

	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		m := newStripeMarket(t, options...)
		m.offerTrials(t)
		key := m.tried(t, "b.example.org", "ada@example.com")
		if res := m.Activate(t, key, "b.example.org"); res.Status != http.StatusOK {
			t.Fatal(string(res.Body))
		}
		id := m.begin(t, "once", map[string]any{"licenseKey": strings.ToLower(key)})
		wantRefusal(t, m.Send(t, handoffs, wish("free", map[string]any{"productSlug": "bare", "tierId": "only", "licenseKey": key})),
			http.StatusBadRequest, "VALIDATION_ERROR")
		sale := m.ordered(t, "once", id)
		wantStatus(t, m.claim(t, id), http.StatusAccepted, "")
		m.MustDeliver(t, sale.Paid())
		if res := m.claim(t, id); res.Text(t, "licenseKey") != key {
			t.Errorf("claim = %d %s, want the key of the trial", res.Status, res.Body)
		}
		if res := m.Verify(t, "mail-pack", key, "b.example.org"); res.Get(t, "valid") != true || res.Get(t, "trial") != nil {
			t.Errorf("verify = %s", res.Body)
		}
		// It was bought: another handoff for it is none.
		wantRefusal(t, m.Send(t, handoffs, wish("once", map[string]any{"licenseKey": key})), http.StatusBadRequest, "VALIDATION_ERROR")
	})
}

func TestOnlyTheOwnerBuysTheTrialOfAHandoff(t *testing.T) {
	t.Parallel()

	m := newMarket(t)
	m.offerTrials(t)
	ada, eve := m.Register(t, "ada").Access, m.Register(t, "eve").Access
	trial := m.Do(t, testkit.Post(ada, testkit.Products+"/mail-pack/trial", map[string]any{"tierId": "once"}))
	id := m.begin(t, "once", map[string]any{"licenseKey": trial.Text(t, "licenseKey")})
	wantRefusal(t, m.Do(t, order(eve, "once", id)), http.StatusBadRequest, "PURCHASE_FAILED")
	wantState(t, m, id, "open until "+at(m, time.Hour))
	if res := m.Do(t, order(ada, "once", id)); res.Status != http.StatusOK || res.Text(t, "licenseKey") != "" {
		t.Errorf("purchase = %d %s", res.Status, res.Body)
	}
}

// Of buyers at once, on two processes, one buys; the others leave nothing.
func TestParallelBuyersOfAHandoff(t *testing.T) {
	t.Parallel()

	eachReplicas(t, func(t *testing.T, a, b market, db *sql.DB) {
		a.offerTrials(t)
		key := a.tried(t, "b.example.org", "ada@example.com")
		for name, changes := range map[string]map[string]any{"a new license": nil, "a trial": {"licenseKey": key}} {
			id := a.begin(t, "once", changes)
			const buyers = 8
			statuses := make([]int, buyers)
			var wg sync.WaitGroup
			for i := range buyers {
				m := []market{a, b}[i%2]
				wg.Go(func() { statuses[i] = m.Do(t, order("", "once", id)).Status })
			}
			wg.Wait()
			count := map[int]int{}
			for _, status := range statuses {
				count[status]++
			}
			if count[200] != 1 || count[409] != buyers-1 {
				t.Errorf("%s: answers %v", name, count)
			}
			var orders, licenses int
			if err := db.QueryRowContext(t.Context(), `SELECT count(*), count(DISTINCT license_id) FROM orders WHERE id IN
				(SELECT order_id FROM market_handoffs) AND NOT trial`).Scan(&orders, &licenses); err != nil {
				t.Fatal(err)
			}
			if res := b.claim(t, id); res.Status != http.StatusOK {
				t.Errorf("%s: claim = %d %s", name, res.Status, res.Body)
			}
		}
		var all int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM orders WHERE NOT trial`).Scan(&all); err != nil || all != 2 {
			t.Errorf("%d orders (%v), want 2", all, err)
		}
	})
}

// Two hosts and two mailboxes, tried from all sides at once: no more than two trials, and none waits for ever.
func TestParallelTrialsOfOtherStoas(t *testing.T) {
	t.Parallel()

	eachReplicas(t, func(t *testing.T, a, b market, db *sql.DB) {
		a.offerTrials(t)
		var wg sync.WaitGroup
		for i := range 12 {
			m := []market{a, b}[i%2]
			req := try([]string{"b.example.org", "c.example.org"}[i/2%2], []string{"ada@example.com", "eve@example.com"}[i/4%2])
			wg.Go(func() {
				if res := m.Do(t, req); res.Status != http.StatusCreated && res.Status != http.StatusConflict {
					t.Errorf("trial = %d %s", res.Status, res.Body)
				}
			})
		}
		wg.Wait()
		var trials, hosts, mailboxes int
		if err := db.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM licenses WHERE trial),
			(SELECT count(*) FROM once_keys WHERE kind = 'trial-host'), (SELECT count(*) FROM once_keys WHERE kind = 'trial')`).
			Scan(&trials, &hosts, &mailboxes); err != nil || trials < 1 || trials > 2 || hosts != trials || mailboxes != trials {
			t.Errorf("%d trials of %d hosts and %d mailboxes, %v", trials, hosts, mailboxes, err)
		}
	})
}

// Nothing that opens a license, or claims one, is in a row.
func TestARowOfAHandoffHasNoSecret(t *testing.T) {
	t.Parallel()

	eachReplicas(t, func(t *testing.T, m, _ market, db *sql.DB) {
		m.offerTrials(t)
		key := m.tried(t, "b.example.org", "ada@example.com")
		id := m.begin(t, "once", map[string]any{"licenseKey": key})
		m.ordered(t, "once", id)
		m.claim(t, id)
		text, _ := secret(1)
		var row [9]string
		if err := db.QueryRowContext(t.Context(), `SELECT id, product_id, tier_id, license_id, instance, platform_id, return_url,
			secret_hash, order_id FROM market_handoffs`).Scan(&row[0], &row[1], &row[2], &row[3], &row[4], &row[5], &row[6], &row[7], &row[8]); err != nil {
			t.Fatal(err)
		}
		for _, value := range row {
			if strings.Contains(value, key) || strings.Contains(value, text) {
				t.Errorf("the row has %s", value)
			}
		}
	})
}

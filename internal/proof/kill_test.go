package proof

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/trust/seal"
)

const (
	kills  = 8 // on each engine
	buyers = 8
)

// Buyers purchase and activate through two processes over one database, while one or
// both processes are killed (kill -9) and restarted at random moments. Afterwards the
// database has everything that was answered and nothing half done, and a purchase that
// was repeated with its Idempotency-Key is one order.
func TestWhatWasAnsweredSurvivesAKill(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it kills processes and starts them again")

	onBothEngines(t, func(t *testing.T, c *cluster) {
		seed := newSeed(t)
		var (
			wg   sync.WaitGroup
			kept = ledger{purchases: make(map[string]bought)}
			stop atomic.Bool // clients finish what they have begun
		)
		for i := range buyers {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			wg.Go(func() {
				for !stop.Load() {
					if err := kept.customer(t.Context(), c, rng); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		killAndStart(t, c, rand.New(rand.NewPCG(seed, buyers)), amount(t, kills))
		stop.Store(true)
		wg.Wait()
		t.Logf("%d kills; %d purchases and %d activations were answered; %d purchases and %d activations were not",
			amount(t, kills), len(kept.purchases), len(kept.activations), len(kept.open), kept.unanswered-len(kept.open))
		if !short() && (len(kept.activations) < kills || len(kept.open) == 0) {
			t.Error("the kills did not meet the requests")
		}
		made := c.number(t, `SELECT count(*) FROM orders`)
		t.Logf("%d of the purchases without an answer had happened", made-len(kept.purchases))
		c.checkBooks(t)
		if err := kept.settle(t.Context(), c); err != nil {
			t.Error(err)
		}
		kept.check(t, c)
		c.checkBooks(t)
	})
}

// killAndStart kills and starts processes, n times.
func killAndStart(t *testing.T, c *cluster, rng *rand.Rand, n int) {
	t.Helper()
	for range n {
		// Just long enough for requests to be under way.
		<-time.After(20*time.Millisecond + time.Duration(rng.Int64N(int64(250*time.Millisecond))))
		victims := c.processes
		if one := rng.IntN(3); one < 2 {
			victims = victims[one : one+1]
		}
		for _, p := range victims {
			p.kill()
		}
		for _, p := range victims {
			if err := p.start(); err != nil {
				t.Error(err)
				return
			}
		}
	}
}

// ledger is what clients know from their answers.
type ledger struct {
	mu          sync.Mutex
	purchases   map[string]bought // by Idempotency-Key
	open        []string          // keys of purchases without an answer
	activations []activation
	unanswered  int
}

type activation struct {
	key, instance string
}

// customer buys a license and activates it for a few instances. It leaves a purchase
// without an answer open, because no retry can run before its lease has ended.
func (l *ledger) customer(ctx context.Context, c *cluster, rng *rand.Rand) error {
	idempotencyKey := fmt.Sprintf("%016x", rng.Uint64())
	b, err := c.processes[rng.IntN(len(c.processes))].buyOnce(ctx, idempotencyKey)
	l.mu.Lock()
	switch {
	case err == nil:
		l.purchases[idempotencyKey] = b
	case !errors.Is(err, errOdd):
		l.open = append(l.open, idempotencyKey)
		l.unanswered++
	}
	l.mu.Unlock()
	if err != nil {
		if errors.Is(err, errOdd) {
			return fmt.Errorf("purchase: %w", err)
		}
		return pause(ctx)
	}
	for i := range 1 + rng.IntN(3) {
		if err := l.activate(ctx, c, rng, b.LicenseKey, instance(i)); err != nil {
			return err
		}
	}
	return nil
}

// buyOnce purchases with an Idempotency-Key.
func (p *process) buyOnce(ctx context.Context, key string) (bought, error) {
	return p.buy(ctx, "seats-3", http.Header{"Idempotency-Key": {key}})
}

// activate sends an activation to one process after another until one answers.
func (l *ledger) activate(ctx context.Context, c *cluster, rng *rand.Rand, key, instance string) error {
	for {
		o, err := c.processes[rng.IntN(len(c.processes))].activate(ctx, key, instance)
		switch {
		case err == nil && o.verdict != granted:
			return fmt.Errorf("%w: activate = %s", errOdd, o.verdict)
		case err == nil:
			l.mu.Lock()
			l.activations = append(l.activations, activation{key, instance})
			l.mu.Unlock()
			return nil
		case errors.Is(err, errOdd):
			return err
		}
		l.mu.Lock()
		l.unanswered++
		l.mu.Unlock()
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// pause gives a killed process time to restart.
func pause(ctx context.Context) error {
	select {
	case <-time.After(5 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle repeats each purchase without an answer until it has one.
func (l *ledger) settle(ctx context.Context, c *cluster) error {
	for i, key := range l.open {
		for {
			b, err := c.processes[i%len(c.processes)].buyOnce(ctx, key)
			if err == nil {
				l.purchases[key] = b
				break
			}
			if !strings.Contains(err.Error(), "IDEMPOTENCY_IN_PROGRESS") {
				return err
			}
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// check fails the test unless every answer is true, and each purchase is one order,
// however often it was sent.
func (l *ledger) check(tb testing.TB, c *cluster) {
	tb.Helper()
	if n := c.number(tb, `SELECT count(*) FROM orders`); n != len(l.purchases) {
		tb.Errorf("%d purchases, each with an Idempotency-Key, are %d orders", len(l.purchases), n)
	}
	l.checkPurchases(tb, c)
	for i, a := range l.activations {
		if o, err := c.processes[i%2].verify(tb.Context(), a.key, a.instance); err != nil || o.verdict != granted {
			tb.Errorf("the activation of %s was answered, but now verify = %v, %v", a.instance, o, err)
		}
	}
}

// checkPurchases fails the test unless every purchase that was answered is a paid order
// with its license.
func (l *ledger) checkPurchases(tb testing.TB, c *cluster) {
	tb.Helper()
	keys := masterKeys(tb)
	for _, b := range l.purchases {
		key, err := license.ParseKey(b.LicenseKey)
		if err != nil {
			tb.Fatal(err)
		}
		var status string
		var paid bool
		err = c.db.QueryRowContext(tb.Context(), `
			SELECT o.status, l.paid FROM orders o JOIN licenses l ON l.id = o.license_id
			WHERE o.id = $1 AND l.key_hash = $2`, b.OrderID, keys.Hash(key)).Scan(&status, &paid)
		if err != nil || status != string(order.Paid) || !paid {
			tb.Errorf("order %s was answered, but is now %s, its license paid: %t, %v", b.OrderID, status, paid, err)
		}
	}
}

// checkBooks fails the test if anything in the database is half done.
func (c *cluster) checkBooks(tb testing.TB) {
	tb.Helper()
	for what, query := range map[string]string{
		"orders without a license": `SELECT count(*) FROM orders o WHERE NOT EXISTS (SELECT ` +
			`1 FROM licenses l WHERE l.id = o.license_id)`,
		"licenses without an order": `SELECT count(*) FROM licenses l WHERE NOT EXISTS ` +
			`(SELECT 1 FROM orders o WHERE o.license_id = l.id)`,
		"orders that disagree with their license about payment": `SELECT count(*) FROM orders o JOIN licenses l ON l.id = ` +
			`o.license_id WHERE (o.status = 'paid') <> l.paid`,
		"orders whose license is another's": `SELECT count(*) FROM orders o JOIN licenses l ON l.id = ` +
			`o.license_id WHERE o.product_id <> l.product_id OR o.tier_id <> l.tier_id OR o.user_id <> l.user_id`,
		"paid orders whose receipt is not to be mailed": `SELECT count(*) FROM orders o WHERE o.status = 'paid' ` +
			`AND NOT EXISTS (SELECT 1 FROM receipts r WHERE r.order_id = o.id)`,
		"instances without a license": `SELECT count(*) FROM license_instances i WHERE NOT ` +
			`EXISTS (SELECT 1 FROM licenses l WHERE l.id = i.license_id)`,
		"licenses that miscount their instances": `SELECT count(*) FROM licenses l WHERE instances + ` +
			`development_instances <> (SELECT count(*) FROM license_instances i WHERE i.license_id = l.id)`,
		"licenses with more instances than they allow": `SELECT count(*) FROM licenses l WHERE max_instances < ` +
			`(SELECT count(*) FROM license_instances i WHERE i.license_id = l.id)`,
	} {
		if n := c.number(tb, query); n != 0 {
			tb.Errorf("there are %d %s", n, what)
		}
	}
	downloads, paid := c.number(tb, `SELECT download_count FROM products WHERE slug = 'app'`),
		c.number(tb, `SELECT count(*) FROM orders WHERE status = 'paid'`)
	if downloads != downloadBase+paid {
		tb.Errorf("downloadCount = %d, want %d and one for each of %d paid orders", downloads, downloadBase, paid)
	}
	c.checkKeys(tb)
}

// checkKeys fails the test unless every license has its key, both sealed for its owner
// and hashed for look-ups.
func (c *cluster) checkKeys(tb testing.TB) {
	tb.Helper()
	keys := masterKeys(tb)
	rows, err := c.db.QueryContext(tb.Context(), `SELECT id, key_hash, key_sealed FROM licenses`)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id, hash, sealed string
		if err := rows.Scan(&id, &hash, &sealed); err != nil {
			tb.Fatal(err)
		}
		if key, err := keys.Open(license.License{ID: id, KeySealed: sealed}); err != nil || keys.Hash(key) != hash {
			tb.Errorf("license %s has no key: %v", id, err)
		}
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
}

// masterKeys returns the Vault for the license keys of every cluster.
func masterKeys(tb testing.TB) *license.Vault {
	tb.Helper()
	master, err := seal.ParseKey(testkit.MasterKey)
	if err != nil {
		tb.Fatal(err)
	}
	return license.NewVault(seal.NewKeys(master))
}

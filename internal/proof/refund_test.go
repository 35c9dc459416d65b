package proof

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/testkit/needtest"
)

// Administrators give back an order of 90 in parts of 1, through two processes that are killed (kill -9) and started
// again meanwhile. Exactly 90 parts go back, those that were answered among them, and each has its row, its entry in
// the audit log and its mail.
func TestNoKillGivesAPartBackTwiceOrHalf(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it kills processes and starts them again")

	const parts, racers = 90, 4
	onBothEngines(t, func(t *testing.T, c *cluster) {
		admin := c.processes[0].signIn(t, "/auth/login", map[string]string{"email": adminEmail, "password": adminPassword})
		order := c.processes[0].mustBuy(t, "many", "").OrderID
		seed := newSeed(t)
		var (
			wg                sync.WaitGroup
			given, unanswered atomic.Int32
			over              atomic.Bool
		)
		for i := range racers {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			wg.Go(func() {
				for !over.Load() {
					a, err := c.processes[rng.IntN(2)].call(t.Context(), http.MethodPost, "/api/v1/admin/orders/"+order+"/refund",
						bearer(admin), map[string]any{"amount": 1})
					switch {
					case err != nil: // it was killed
						unanswered.Add(1)
					case a.status == http.StatusOK:
						given.Add(1)
					case a.status == http.StatusBadRequest && strings.Contains(string(a.body), "VALIDATION_ERROR"):
						over.Store(true) // nothing is left
					default:
						t.Error(odd(a))
						return
					}
					if pause(t.Context()) != nil {
						return
					}
				}
			})
		}
		killAndStart(t, c, rand.New(rand.NewPCG(seed, racers)), amount(t, kills))
		wg.Wait()
		t.Logf("%d parts were answered, %d requests were not", given.Load(), unanswered.Load())
		if n := int(given.Load()); n > parts || n+int(unanswered.Load()) < parts {
			t.Errorf("%d parts were answered, %d requests were not, and %d went back", n, unanswered.Load(), parts)
		}
		for what, query := range map[string]string{
			"refunds":          `SELECT count(*) FROM refunds WHERE minor = 100`,
			"their sum":        `SELECT CAST(sum(minor) AS BIGINT) / 100 FROM refunds`,
			"the payment":      `SELECT CAST(sum(refunded_minor) AS BIGINT) / 100 FROM payments`,
			"entries":          `SELECT count(*) FROM audit_log WHERE action = 'order.refund'`,
			"mails":            `SELECT count(*) FROM refund_notices WHERE minor = 100`,
			"the last of them": fmt.Sprintf(`SELECT %d * count(*) FROM refund_notices WHERE whole`, parts),
			"orders": fmt.Sprintf(`SELECT %d * count(*) FROM orders o JOIN licenses l ON l.id = o.license_id
				WHERE o.status = 'refunded' AND l.revoked_at_ms IS NOT NULL`, parts),
		} {
			if n := c.number(t, query); n != parts {
				t.Errorf("%s: %d, want %d", what, n, parts)
			}
		}
		if n := c.number(t, `SELECT count(*) FROM refunds_due`); n != 0 {
			t.Errorf("%d refunds are due", n)
		}
	})
}

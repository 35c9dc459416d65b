package proof

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/testkit/needtest"
)

// Buyers race for a code that 100 orders may use, through two processes that are killed (kill -9) and started
// again meanwhile. Exactly 100 orders use it, those that were answered among them.
func TestNoRaceUsesACodeOnceTooOften(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it buys ten thousand times")

	const limit, racers = 100, 16
	onBothEngines(t, func(t *testing.T, c *cluster) {
		if _, err := c.db.ExecContext(t.Context(), `
			INSERT INTO discounts (id, code, percent, amount_minor, currency, products_json, tiers_json, duration, max_uses,
				active, version, created_at_ms, updated_at_ms)
			VALUES ('d1', 'RACE', 2000, 0, '', '[]', '[]', 'once', $1, $2, 1, 1, 1)`, limit, true); err != nil {
			t.Fatal(err)
		}
		seed := newSeed(t)
		attempts := int64(amount(t, 10_000))
		var (
			wg                       sync.WaitGroup
			answered                 atomic.Int64
			bought, refused, unknown atomic.Int32
		)
		for i := range racers {
			rng := rand.New(rand.NewPCG(seed, uint64(i)))
			wg.Go(func() {
				for answered.Load() < attempts {
					a, err := c.processes[rng.IntN(2)].call(t.Context(), http.MethodPost, app+"/purchase", nil, map[string]any{
						"tierId": "many", "paymentMethod": "card", "discountCode": "race",
					})
					switch {
					case err != nil: // it was killed
						unknown.Add(1)
						if pause(t.Context()) != nil {
							return
						}
					case a.status == http.StatusOK:
						answered.Add(1)
						bought.Add(1)
					case usedUp(a):
						answered.Add(1)
						refused.Add(1)
					default:
						t.Error(odd(a))
						return
					}
				}
			})
		}
		killAndStart(t, c, rand.New(rand.NewPCG(seed, racers)), amount(t, kills))
		wg.Wait()
		t.Logf("%d answers: %d bought, %d refused; %d without an answer", answered.Load(), bought.Load(), refused.Load(), unknown.Load())
		uses := c.number(t, `SELECT uses FROM discounts`)
		rows := c.number(t, `SELECT count(*) FROM discount_uses`)
		orders := c.number(t, `SELECT count(*) FROM orders WHERE discount_code = 'RACE' AND status = 'paid' AND amount_minor = 7200`)
		if uses != limit || rows != limit || orders != limit {
			t.Errorf("the code has %d uses, %d rows and %d orders, want %d", uses, rows, orders, limit)
		}
		if n := int(bought.Load()); n > limit || n+int(unknown.Load()) < limit {
			t.Errorf("%d purchases were answered, %d had no answer, and %d happened", n, unknown.Load(), limit)
		}
	})
}

// usedUp reports whether a purchase was refused because its code is used up.
func usedUp(a answer) bool {
	var body struct {
		Error   string
		Details struct{ Reason string }
	}
	_ = json.Unmarshal(a.body, &body)
	return a.status == http.StatusBadRequest && body.Error == "DISCOUNT_REFUSED" && body.Details.Reason == "used_up"
}

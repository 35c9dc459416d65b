package proof

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/waittest"
)

// stall makes a process hang while it stores the answer to a request with an
// Idempotency-Key, until goOn is called. The process must be killed before that, and after untilHangs
// has returned: PostgreSQL would go on with what it was sent. SQLite is a part of the process.
func (c *cluster) stall(t *testing.T) (untilHangs, goOn func()) {
	t.Helper()
	exec := func(statements ...string) {
		t.Helper()
		for _, s := range statements {
			if _, err := c.db.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
	if c.engine == postgres {
		exec(`CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$`,
			`CREATE TRIGGER stall BEFORE UPDATE OF answer_sealed ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION stall()`)
		const asleep = ` FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
		untilHangs = func() {
			waittest.True(t, "a server process that sleeps", func() bool {
				return c.number(t, `SELECT count(*)`+asleep) == 1
			})
		}
		return untilHangs, func() { // the server process does not notice that its client has gone
			exec(`SELECT pg_terminate_backend(pid)`+asleep, `DROP TRIGGER stall ON idempotency_keys`)
		}
	}
	exec(`CREATE VIEW forever AS
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000) SELECT count(*) AS c FROM n`,
		`CREATE TRIGGER stall BEFORE UPDATE OF answer_sealed ON idempotency_keys BEGIN SELECT c FROM forever; END`)
	return func() {}, func() { exec(`DROP TRIGGER stall`, `DROP VIEW forever`) }
}

// A process is killed (kill -9) after it has stored a purchase, but not yet the answer.
// When the lease has ended, the other process answers the same request with that
// purchase, and does not make another one.
func TestARetryAfterAKillBetweenEffectAndAnswerFindsTheEffect(t *testing.T) {
	t.Parallel()
	needtest.Long(t, "it kills processes and starts them again")

	for _, engine := range []string{sqlite, postgres} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()

			c := newCluster(t, engine, 2)
			victim, other := c.processes[0], c.processes[1]
			buy := func(ctx context.Context, p *process) (answer, error) {
				return p.call(ctx, http.MethodPost, app+"/purchase", http.Header{"Idempotency-Key": {"k"}},
					map[string]any{
						"tierId": "seats-1", "paymentMethod": "card",
						"billingInfo": map[string]string{"email": "ada@example.com"},
					})
			}
			untilHangs, goOn := c.stall(t)
			answered := make(chan error, 1)
			go func() {
				_, err := buy(t.Context(), victim)
				answered <- err
			}()
			waittest.True(t, "the order", func() bool { return c.number(t, `SELECT count(*) FROM orders`) == 1 })
			untilHangs()
			victim.kill()
			if err := <-answered; err == nil {
				t.Error("the killed process answered")
			}
			goOn()

			var a answer
			started, refused := time.Now(), 0
			waittest.True(t, "an answer", func() bool {
				var err error
				if a, err = buy(t.Context(), other); err != nil {
					t.Fatal(err)
				}
				if a.status == http.StatusConflict {
					refused++
				}
				return a.status != http.StatusConflict
			})
			t.Logf("answered %v after the kill; until then told %d times that it is in progress",
				time.Since(started).Round(time.Millisecond), refused)
			var b bought
			if err := json.Unmarshal(a.body, &b); err != nil || a.status != http.StatusOK ||
				a.header.Get("Idempotency-Replayed") != "" || refused == 0 {
				t.Errorf("answer %d %s, %v", a.status, a.body, err)
			}
			if n := c.number(t, `SELECT count(*) FROM orders WHERE id = '`+b.OrderID+`'`); n != 1 {
				t.Errorf("there is no order %s", b.OrderID)
			}
			if o, err := other.activate(t.Context(), b.LicenseKey, "a.example"); err != nil || o.verdict != granted {
				t.Errorf("activate = %v, %v", o, err)
			}
			if err := victim.start(); err != nil {
				t.Fatal(err)
			}
			again, err := buy(t.Context(), victim)
			if err != nil || string(again.body) != string(a.body) || again.header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("the restarted process answered %d %s, %v; want a replay of %s", again.status, again.body, err, a.body)
			}
			if n := c.number(t, `SELECT count(*) FROM orders`); n != 1 {
				t.Errorf("%d orders, want 1", n)
			}
			c.checkBooks(t)
			if lines := other.lastLines(); strings.Contains(lines, b.LicenseKey) {
				t.Error("the key is in the log")
			}
		})
	}
}

package operation_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// Two stoas: the buyer pays on A, and the package runs on B with the license that B claimed.
func TestAPurchaseBetweenTwoStoas(t *testing.T) {
	t.Parallel()

	p := newPair(t)
	p.publish(t, "mail-pack", plugin(t, acme, "courier", "1.0.0", "storage:read"))
	bought := p.post(t, "purchases", object{"productSlug": "mail-pack", "tierId": "once", "grants": []string{"storage:read"}})
	op := p.settled(t, bought)
	_, handoff, ok := strings.Cut(bought.Text(t, "data.checkoutUrl"), "/checkout/mail-pack/once?handoff=")
	if !ok || op.Text(t, "data.state") != "pending" {
		t.Fatalf("%s %s", bought.Body, op.Body)
	}
	paid := p.a.Do(t, testkit.Post("", testkit.Products+"/mail-pack/purchase",
		object{"tierId": "once", "paymentMethod": "card", "handoffId": handoff}))
	if paid.Status != http.StatusOK || paid.Text(t, "licenseKey") != "" {
		t.Fatalf("%d %s", paid.Status, paid.Body)
	}
	p.Clock.Advance(2 * time.Second)
	if err := p.Operations.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	op = p.operation(t, op.Text(t, "data.operationId"))
	wantSteps(t, op, "paid", "activated", "downloaded", "verified", "installed", "running")
}

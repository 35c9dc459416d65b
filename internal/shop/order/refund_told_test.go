package order_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

// audited returns the amounts that the audit log names for an action, the oldest first.
func (s *shop) audited(t *testing.T, action audit.Action) (amounts []string) {
	t.Helper()
	list, _, err := store.NewAudit(s.db).ListEntries(t.Context(), audit.Query{Action: string(action), Sort: "at", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		amounts = append(amounts, fmt.Sprint(e.Details["amount"], " ", e.Details["currency"]))
	}
	return amounts
}

// The audit log says what was given back each time: the rest, all periods, with the tax that came on top.
func TestTheAuditLogSaysWhatWasGivenBack(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		tier  string
		paid  func(order.Order) payment.Event
		parts []order.RefundRequest
		want  []string
	}{
		"all":           {"once", paid, []order.RefundRequest{{}}, []string{"49.9 EUR"}},
		"with its tax":  {"once", billed, []order.RefundRequest{{}}, []string{"59.38 EUR"}},
		"a rest":        {"once", paid, []order.RefundRequest{part("49.89"), {}}, []string{"49.89 EUR", "0.01 EUR"}},
		"the last part": {"once", paid, []order.RefundRequest{part("49.89"), part("0.01")}, []string{"49.89 EUR", "0.01 EUR"}},
		"all periods":   {"monthly", paid, []order.RefundRequest{part("1"), {}}, []string{"1 EUR", "98.8 EUR"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := openShop(t)
			o := s.buy(t, tt.tier)
			s.tell(t, tt.paid(o))
			if tt.tier == "monthly" {
				s.tell(t, period(o, 2))
			}
			for _, req := range tt.parts {
				if _, err := s.Refund(admin(t), o.ID, req); err != nil {
					t.Fatal(err)
				}
				s.clock.Advance(time.Second)
			}
			if diff := cmp.Diff(tt.want, s.audited(t, audit.OrderRefund)); diff != "" {
				t.Errorf("amounts (-want +got):\n%s", diff)
			}
		})
	}
}

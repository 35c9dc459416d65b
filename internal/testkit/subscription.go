package testkit

import (
	"fmt"
	"net/http"
	"time"

	"stoa/internal/testkit/stripetest"
)

// Subscribed is an event of the payment page of a sale of the tier monthly.
func (s Sale) Subscribed(id, kind, status string) []byte {
	return stripetest.Event(id+s.OrderID, kind, T0.Add(time.Minute), map[string]any{
		"id": "cs_" + s.OrderID, "metadata": map[string]any{"orderId": s.OrderID}, "payment_status": status,
		"amount_total": 500, "currency": "eur", "payment_intent": nil,
		"invoice": "in_1" + s.OrderID, "subscription": "sub_" + s.OrderID,
	})
}

// Invoice is an event of an invoice of the subscription.
func (s Sale) Invoice(kind, id, reason, status string, at time.Time) []byte {
	return stripetest.Event("evt_"+id+reason+kind+s.OrderID, kind, at, map[string]any{
		"id": id + s.OrderID, "billing_reason": reason, "status": status, "amount_paid": 500, "currency": "eur",
		"parent": s.invoiceParent(),
	})
}

// Period is the paid invoice of the nth month of the subscription. Stripe counts months
// from the creation of the subscription, some seconds before the payment.
func (s Sale) Period(n int) []byte {
	first := T0.Add(50 * time.Second)
	start, end := first.AddDate(0, n-1, 0), first.AddDate(0, n, 0)
	return stripetest.Event(fmt.Sprint("evt_in_", n, s.OrderID), "invoice.paid", start, map[string]any{
		"id": fmt.Sprint("in_", n, s.OrderID), "billing_reason": "subscription_cycle",
		"status": "paid", "amount_paid": 500, "currency": "eur",
		"period_end": start.Unix(),
		"lines": map[string]any{
			"data": []any{map[string]any{"period": map[string]any{"start": start.Unix(), "end": end.Unix()}}},
		},
		"parent": s.invoiceParent(),
	})
}

func (s Sale) invoiceParent() map[string]any {
	return map[string]any{"subscription_details": map[string]any{
		"metadata": map[string]any{"orderId": s.OrderID}, "subscription": "sub_" + s.OrderID,
	}}
}

// FirstCharge is the event of a refund of the first payment of a subscription.
func (s Sale) FirstCharge() []byte {
	return stripetest.Event("evt_refund_"+s.OrderID, "charge.refunded", T0.Add(time.Hour), map[string]any{
		"id": "ch_1", "metadata": map[string]any{}, "payment_intent": "pi_1",
		"amount": 500, "amount_refunded": 500, "refunded": true, "currency": "eur",
	})
}

// Subscription answers as Stripe does about a subscription with those invoices, newest
// first, and about the first charge of its order.
func (s Sale) Subscription(invoices ...string) func(stripetest.Request) *stripetest.Answer {
	list := func(path string, data ...any) *stripetest.Answer {
		return &stripetest.Answer{Body: map[string]any{"object": "list", "url": path, "has_more": false, "data": data}}
	}
	return func(r stripetest.Request) *stripetest.Answer {
		switch {
		case r.Path == "/v1/invoices":
			var all []any
			for _, id := range invoices {
				all = append(all, map[string]any{"id": id + s.OrderID, "object": "invoice"})
			}
			return list(r.Path, all...)
		case r.Path == "/v1/invoice_payments" && r.Form.Get("invoice") != "":
			return list(r.Path, map[string]any{
				"id":      "inpay_1",
				"payment": map[string]any{"type": "payment_intent", "payment_intent": "pi_of_" + r.Form.Get("invoice")},
			})
		case r.Path == "/v1/invoice_payments":
			parent := s.invoiceParent()
			parent["type"] = "subscription_details"
			return list(r.Path, map[string]any{"id": "inpay_1", "invoice": map[string]any{
				"id": "in_1" + s.OrderID, "billing_reason": "subscription_create", "parent": parent,
			}})
		}
		return StripePages(r)
	}
}

// Ends returns how often Stripe was asked to end the subscription.
func (s Sale) Ends(srv *stripetest.Server) (n int) {
	for _, r := range srv.Requests("/v1/subscriptions/sub_" + s.OrderID) {
		if r.Method == http.MethodDelete {
			n++
		}
	}
	return n
}

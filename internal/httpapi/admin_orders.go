package httpapi

import (
	"context"
	"net/http"

	"stoa/internal/market"
)

// managedOrderJSON is an order as administrators see it: what its owner sees, and
// how it is paid.
type managedOrderJSON struct {
	orderInfo

	PaidAt      timestamp   `json:"paidAt,omitzero"`
	RefundedAt  timestamp   `json:"refundedAt,omitzero"`
	CancelledAt timestamp   `json:"cancelledAt,omitzero"`
	Payment     paymentJSON `json:"payment"`
}

// paymentJSON is what the payment provider calls the parts of a payment.
type paymentJSON struct {
	Provider     string `json:"provider,omitempty"`
	URL          string `json:"url,omitempty"`
	Session      string `json:"sessionId,omitempty"`
	Payment      string `json:"paymentId,omitempty"`
	Invoice      string `json:"invoiceId,omitempty"`
	Subscription string `json:"subscriptionId,omitempty"`

	EndedAt timestamp `json:"subscriptionEndedAt,omitzero"`
}

func newManagedOrderJSON(o market.OwnedOrder) managedOrderJSON {
	out := managedOrderJSON{
		orderInfo: toOrderInfo(o),
		PaidAt:    timestamp(o.PaidAt), RefundedAt: timestamp(o.RefundedAt), CancelledAt: timestamp(o.CancelledAt),
		Payment: paymentJSON{
			Provider: o.Provider, Session: o.Payment.Session, Payment: o.Payment.Payment, Invoice: o.Payment.Invoice, Subscription: o.Payment.Subscription,
			EndedAt: timestamp(o.EndedAt),
		},
	}
	if o.Status() == market.OrderPending {
		out.Payment.URL = o.PaymentURL
	}
	return out
}

// findOrders serves GET /api/v1/admin/orders.
func (s *Server) findOrders(w http.ResponseWriter, r *http.Request) error {
	var faults issues
	p, query := readPage(r, &faults), r.URL.Query()
	q := market.OrderQuery{
		Status: market.OrderStatus(query.Get("status")), Product: query.Get("product"), UserID: query.Get("user"), Email: query.Get("email"),
		Offset: p.offset(), Limit: p.Limit,
	}
	faults.merge(q.Issues())
	if err := faults.err(); err != nil {
		return err
	}
	found, total, err := s.Market.FindOrders(r.Context(), q)
	if err != nil {
		return err
	}
	noStore(w)
	writeList(w, p, found, total, newManagedOrderJSON)
	return nil
}

// getOrder serves GET /api/v1/admin/orders/{id}.
func (s *Server) getOrder(w http.ResponseWriter, r *http.Request) error {
	return answerOrder(w, r, s.Market.Order)
}

// refundOrder serves POST /api/v1/admin/orders/{id}/refund.
func (s *Server) refundOrder(w http.ResponseWriter, r *http.Request) error {
	return answerOrder(w, r, s.Market.RefundOrder)
}

// cancelOrder serves POST /api/v1/admin/orders/{id}/cancel.
func (s *Server) cancelOrder(w http.ResponseWriter, r *http.Request) error {
	return answerOrder(w, r, s.Market.CancelOrder)
}

// answerOrder answers with the order that do returns for the id in the path.
func answerOrder(w http.ResponseWriter, r *http.Request, do func(ctx context.Context, id string) (market.OwnedOrder, error)) error {
	o, err := do(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	noStore(w)
	writeData(w, http.StatusOK, newManagedOrderJSON(o))
	return nil
}

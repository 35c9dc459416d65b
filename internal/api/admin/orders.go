package admin

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/data/idempotency"
	"stoa/internal/shop/order"
)

// managedOrder is an order as administrators see it: as its owner sees it, with its payment.
type managedOrder struct {
	wire.Order

	TierName    string        `json:"tierName"`
	UserEmail   string        `json:"userEmail,omitempty"`
	PaidAt      web.Timestamp `json:"paidAt,omitzero"`
	RefundedAt  web.Timestamp `json:"refundedAt,omitzero"`
	CancelledAt web.Timestamp `json:"cancelledAt,omitzero"`
	Payment     payment       `json:"payment"`

	Refunds []refund `json:"refunds,omitempty"`
}

// refund is what was given back of an order at one time.
type refund struct {
	At         web.Timestamp `json:"at"`
	Amount     json.Number   `json:"amount"`
	Reason     string        `json:"reason,omitempty"`
	By         string        `json:"by,omitempty"`
	CreditNote string        `json:"creditNote,omitempty"`
}

// payment holds the payment provider's ids of a payment's parts.
type payment struct {
	Provider     string `json:"provider,omitempty"`
	URL          string `json:"url,omitempty"`
	Session      string `json:"sessionId,omitempty"`
	Payment      string `json:"paymentId,omitempty"`
	Invoice      string `json:"invoiceId,omitempty"`
	Subscription string `json:"subscriptionId,omitempty"`

	EndedAt web.Timestamp `json:"subscriptionEndedAt,omitzero"`
}

func newManagedOrder(o order.Listed) managedOrder {
	out := managedOrder{
		Order: wire.NewOrder(o), TierName: o.TierName, UserEmail: o.UserEmail,
		PaidAt: web.Timestamp(o.PaidAt), RefundedAt: web.Timestamp(o.RefundedAt),
		CancelledAt: web.Timestamp(o.CancelledAt),
		Payment: payment{
			Provider: o.Provider, Session: o.Payment.Session, Payment: o.Payment.Payment, Invoice: o.Payment.Invoice,
			Subscription: o.Payment.Subscription, EndedAt: web.Timestamp(o.EndedAt),
		},
	}
	for _, r := range o.Refunds {
		out.Refunds = append(out.Refunds, refund{web.Timestamp(r.At), r.Amount.Amount(), r.Reason, r.By, r.CreditNote})
	}
	if o.Status() == order.Pending {
		out.Payment.URL = o.PaymentURL
	}
	return out
}

// orderFilters are the parameters that select orders.
var orderFilters = []string{"q", "status", "product", "user", "email", "from", "to"}

// orderQuery reads which orders a request wants, of those that the caller may find.
func orderQuery(r *http.Request, faults *errs.Issues) order.Query {
	v := r.URL.Query()
	return order.Query{
		Search: v.Get("q"),
		Masked: !seesPeople(r.Context()), NoTails: !seesTails(r.Context()), NoFormer: !seesFormer(r.Context()),
		Status:  order.Status(v.Get("status")),
		Product: v.Get("product"), UserID: v.Get("user"), Email: v.Get("email"),
		From: web.ReadTime(r, "from", faults), To: web.ReadTime(r, "to", faults),
	}
}

// ListOrders serves GET /api/v1/admin/orders.
func (h *Handlers) ListOrders(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, append(orderFilters, "sort")...)
	p, q := web.ReadPage(r, &faults), orderQuery(r, &faults)
	q.Sort, q.Limit, q.Offset = r.URL.Query().Get("sort"), p.Limit, p.Offset()
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	found, total, err := h.Orders.Find(r.Context(), q)
	if err != nil {
		return err
	}
	web.NoStore(w)
	wire.MarkPayments(w, h.Orders)
	web.WriteList(w, p, found, total, former(r.Context(), newManagedOrder))
	return nil
}

// GetOrder serves GET /api/v1/admin/orders/{id}.
func (h *Handlers) GetOrder(w http.ResponseWriter, r *http.Request) error {
	return h.answerOrder(w, r, h.Orders.Get)
}

// RefundOrder serves POST /api/v1/admin/orders/{id}/refund. Without a body it is all that is left.
func (h *Handlers) RefundOrder(w http.ResponseWriter, r *http.Request) error {
	// Strictly: a mistyped amount must not give back everything.
	in, err := web.ReadOptional(w, r, order.RefundRequest.Issues)
	if err != nil {
		return err
	}
	in.ID = idempotency.Seed(r.Context())
	return h.answerOrder(w, r, h.ended(func(ctx context.Context, id string) (order.Listed, error) {
		return h.Orders.Refund(ctx, id, in)
	}))
}

// CancelOrder serves POST /api/v1/admin/orders/{id}/cancel.
func (h *Handlers) CancelOrder(w http.ResponseWriter, r *http.Request) error {
	return h.answerOrder(w, r, h.ended(h.Orders.Cancel))
}

// ended wraps end, which refunds or cancels an order: it logs and counts the change if the order was
// not over before.
func (h *Handlers) ended(end func(ctx context.Context, id string) (order.Listed,
	error),
) func(ctx context.Context, id string) (order.Listed, error) {
	return func(ctx context.Context, id string) (order.Listed, error) {
		before, err := h.Orders.Get(ctx, id)
		if err != nil {
			return order.Listed{}, err
		}
		o, err := end(ctx, id)
		if err == nil && (o.Status() != before.Status() || !o.RefundedAt.Equal(before.RefundedAt)) {
			h.Count("orders", string(o.Status()))
			h.Log.InfoContext(ctx, "order "+string(o.Status()), slog.String("order", o.ID),
				slog.String("product", o.ProductSlug),
				slog.String("amount", o.Amount.Amount().String()), slog.String("currency", o.Amount.Currency))
		}
		return o, err
	}
}

// answerOrder answers with the order that do returns for the id in the path.
func (h *Handlers) answerOrder(
	w http.ResponseWriter, r *http.Request, do func(ctx context.Context, id string) (order.Listed, error),
) error {
	o, err := do(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.NoStore(w)
	wire.MarkPayments(w, h.Orders)
	web.WriteData(w, http.StatusOK, former(r.Context(), newManagedOrder)(o))
	return nil
}

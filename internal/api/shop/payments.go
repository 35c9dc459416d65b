package shop

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/shop/order"
)

// StripeWebhook serves POST /api/marketplace/payments/stripe/webhook, to which Stripe sends events of
// payments. Every event that is signed and was processed is answered with 200, even if it concerns no
// order of stoa: Stripe repeats an event with any other answer for days.
func (h *Handlers) StripeWebhook(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Received bool `json:"received"`
	}

	// The signature covers the bytes, so they must not be interpreted before it was checked.
	payload, err := web.ReadPayload(w, r)
	if err != nil {
		return err
	}
	out, err := h.Orders.HandleWebhook(r.Context(), "stripe", payload, r.Header.Get("Stripe-Signature"))
	switch {
	case errors.Is(err, order.ErrNotSigned):
		h.Count("webhooks", "refused")
		h.forged.add(r.Context(), h.Log, h.Now())
	case err != nil:
		h.Count("webhooks", "failed")
	default:
		h.Count("webhooks", "accepted")
		if out.Status != "" {
			h.Count("orders", string(out.Status))
		}
	}
	if err != nil {
		return err
	}
	attrs := []any{
		slog.String("type", out.Event.Type), slog.String("event", out.Event.ID), slog.String("order", out.OrderID),
	}
	switch {
	case out.Failure != "":
		h.Log.ErrorContext(r.Context(), "payment failure", append(attrs, slog.String("failure", out.Failure))...)
	case out.Warning != "":
		h.Log.WarnContext(r.Context(), "payment needs a look", append(attrs, slog.String("warning", out.Warning))...)
	case out.Done != "":
		h.Log.InfoContext(r.Context(), "payment", append(attrs, slog.String("done", out.Done))...)
	default:
		h.Log.DebugContext(r.Context(), "payment event without effect", attrs...)
	}
	web.WriteJSON(w, http.StatusOK, response{Received: true})
	return nil
}

// forgedEvery is how often unsigned webhooks are logged: strangers must not fill
// the log.
const forgedEvery = time.Minute

// forgeries counts unsigned webhooks. The zero value is ready.
type forgeries struct {
	mu     sync.Mutex
	logged time.Time // zero: never
	count  int       // since then
}

// add counts one and logs the count, unless it did so less than forgedEvery ago.
// The first is logged at once, because the secret may be wrong.
func (f *forgeries) add(ctx context.Context, log *slog.Logger, now time.Time) {
	f.mu.Lock()
	f.count++
	count := f.count
	quiet := !f.logged.IsZero() && now.Sub(f.logged) < forgedEvery
	if !quiet {
		f.logged, f.count = now, 0
	}
	f.mu.Unlock()
	if !quiet {
		log.WarnContext(ctx, "webhooks refused: they are not signed with the configured secret, or too old. "+
			"If they are the provider's, payments go unnoticed: check STOA_STRIPE_WEBHOOK_SECRET and the clock",
			slog.Int("count", count))
	}
}

package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"stoa/internal/market"
)

// stripeWebhook serves POST /api/marketplace/payments/stripe/webhook, where
// Stripe tells what happened to payments. Whatever is signed and was taken is
// answered with 200, also what is not about an order of ours: Stripe repeats for
// days what is not.
func (s *Server) stripeWebhook(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Received bool `json:"received"`
	}

	// The signature is over the bytes, so they are not looked at before.
	payload, err := readAll(http.MaxBytesReader(w, r.Body, maxBody), errBodyTooLarge)
	if err != nil {
		return err
	}
	n, err := s.Market.TakeEvent(r.Context(), "stripe", payload, r.Header.Get("Stripe-Signature"))
	if errors.Is(err, market.ErrNotSigned) {
		s.forged.add(r.Context(), s.Log, s.Now())
	}
	if err != nil {
		return err
	}
	attrs := []any{slog.String("type", n.Event.Type), slog.String("event", n.Event.ID), slog.String("order", n.OrderID)}
	switch {
	case n.Failure != "":
		s.Log.ErrorContext(r.Context(), "payment failure", append(attrs, slog.String("failure", n.Failure))...)
	case n.Warning != "":
		s.Log.WarnContext(r.Context(), "payment needs a look", append(attrs, slog.String("warning", n.Warning))...)
	case n.Done != "":
		s.Log.InfoContext(r.Context(), "payment", append(attrs, slog.String("done", n.Done))...)
	default:
		s.Log.DebugContext(r.Context(), "payment event without effect", attrs...)
	}
	writeJSON(w, http.StatusOK, response{Received: true})
	return nil
}

// forgedEvery is how often webhooks that are not signed are logged: strangers
// must not fill the log.
const forgedEvery = time.Minute

// forgeries counts webhooks that are not signed. The zero value is ready.
type forgeries struct {
	mu     sync.Mutex
	logged time.Time // zero: never
	count  int       // since then
}

// add counts one, and logs how many there were unless it did so not long ago. The
// first tells at once of a wrong secret.
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
		log.WarnContext(ctx, "webhooks refused: they are not signed with the configured secret, or too old. If they are the provider's, payments go unnoticed: check STOA_STRIPE_WEBHOOK_SECRET and the clock",
			slog.Int("count", count))
	}
}

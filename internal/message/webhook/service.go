package webhook

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/base/text"
	"stoa/internal/message/delivery"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/seal"
)

// Service manages webhooks. All fields are required. It is safe for concurrent use.
type Service struct {
	Store      Store
	Deliveries delivery.Log
	Secrets    *seal.Box // seals signing secrets, bound to the webhook's id
	Now        func() time.Time
}

var _ delivery.Subscribers = (*Service)(nil)

// SecretOverlap is how long a secret still signs after it was replaced (contract 7.6).
const SecretOverlap = 24 * time.Hour

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// orNotFound replaces the error of the Store for an unknown webhook.
func orNotFound(err error) error {
	if errs.KindOf(err) == errs.NotFound {
		return ErrNotFound
	}
	return err
}

// Get returns a webhook, or ErrNotFound.
func (s *Service) Get(ctx context.Context, id string) (Webhook, error) {
	if !ids.Plausible(id) {
		return Webhook{}, ErrNotFound
	}
	w, err := s.Store.GetWebhook(ctx, id)
	return w, orNotFound(err)
}

// Query selects webhooks. Empty fields match every webhook.
type Query struct {
	// Search is part of an address or of the name of an event, ignoring case, or an id.
	Search string
	// Sort is one of Sorts; empty means the oldest first.
	Sort string

	Limit, Offset int
}

// Sorts are the orders of lists of webhooks; "-" stands for descending.
var Sorts = []string{"created", "-created", "url", "-url"}

// Issues returns what is wrong with q.
func (q Query) Issues() (is errs.Issues) {
	if !text.Printable(q.Search, text.Short) {
		is.Add("q", errs.CodeOutOfRange, "q must be at most %d printable characters.", text.Short)
	}
	is.OneOf("sort", q.Sort, Sorts...)
	return is
}

// List returns one page of the webhooks that match q, in its order, and how many there are
// on all pages. It returns VALIDATION_ERROR for a query with Issues.
func (s *Service) List(ctx context.Context, q Query) ([]Webhook, int, error) {
	if err := q.Issues().Err(); err != nil {
		return nil, 0, err
	}
	return s.Store.ListWebhooks(ctx, q)
}

// newSecret returns a new secret as operators see it and as the database stores it.
func (s *Service) newSecret(id string) (text, sealed string) {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails (crypto/rand)
	return secretText(key[:]), s.Secrets.Seal(key[:], id)
}

// Create adds a webhook, enabled unless the input says otherwise, and returns it with its
// secret, which is not shown again. The error is VALIDATION_ERROR for what Input.Issues
// finds.
func (s *Service) Create(ctx context.Context, in Input) (w Webhook, secret string, err error) {
	if err := in.Issues(true).Err(); err != nil {
		return Webhook{}, "", err
	}
	w = Webhook{ID: ids.New(), Enabled: true, CreatedAt: s.now()}
	w.UpdatedAt = w.CreatedAt
	in.apply(&w)
	secret, w.Sealed = s.newSecret(w.ID)
	err = s.Store.InTx(ctx, func(st Store) error {
		if err := st.CreateWebhook(ctx, w); err != nil {
			return err
		}
		return s.record(ctx, st, audit.WebhookCreate, w)
	})
	return w, secret, err
}

// record writes a change of w to the audit log. The address may contain a secret, so only the host
// is recorded.
func (s *Service) record(ctx context.Context, st Store, action audit.Action, w Webhook) error {
	return st.Record(ctx, audit.New(ctx, s.Now(), action, audit.Target{Type: "webhook", ID: w.ID}, audit.Details{
		"host": hostOf(w.URL), "events": w.Events, "enabled": w.Enabled,
	}))
}

// change applies fn to a webhook in a transaction that has locked it.
func (s *Service) change(ctx context.Context, id string, action audit.Action, fn func(*Webhook)) (Webhook, error) {
	if !ids.Plausible(id) {
		return Webhook{}, ErrNotFound
	}
	var w Webhook
	err := s.Store.InTx(ctx, func(st Store) (err error) {
		if w, err = st.GetWebhook(ctx, id); err != nil {
			return err
		}
		fn(&w)
		w.UpdatedAt = s.now()
		if err := st.UpdateWebhook(ctx, w); err != nil {
			return err
		}
		return s.record(ctx, st, action, w)
	})
	return w, orNotFound(err)
}

// Change applies the fields that the input has. The error is ErrNotFound, or VALIDATION_ERROR for
// what Input.Issues finds.
func (s *Service) Change(ctx context.Context, id string, in Input) (Webhook, error) {
	if err := in.Issues(false).Err(); err != nil {
		return Webhook{}, err
	}
	return s.change(ctx, id, audit.WebhookUpdate, in.apply)
}

// Delete removes a webhook. Waiting deliveries are not sent. The error is ErrNotFound.
func (s *Service) Delete(ctx context.Context, id string) error {
	w, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	return orNotFound(s.Store.InTx(ctx, func(st Store) error {
		if err := st.DeleteWebhook(ctx, id); err != nil {
			return err
		}
		return s.record(ctx, st, audit.WebhookDelete, w)
	}))
}

// RotateSecret replaces the secret of a webhook and returns the new one. The old one also signs
// until the returned webhook's PreviousUntil. The error is ErrNotFound.
func (s *Service) RotateSecret(ctx context.Context, id string) (w Webhook, secret string, err error) {
	w, err = s.change(ctx, id, audit.WebhookRotate, func(w *Webhook) {
		w.PreviousSealed, w.PreviousUntil = w.Sealed, s.now().Add(SecretOverlap)
		secret, w.Sealed = s.newSecret(id)
	})
	return w, secret, err
}

// Test records the event webhook.test for a webhook and returns the delivery, which is not sent
// yet. The error is ErrNotFound.
func (s *Service) Test(ctx context.Context, id string) (delivery.Listed, error) {
	w, err := s.Get(ctx, id)
	if err != nil {
		return delivery.Listed{}, err
	}
	data, err := json.Marshal(map[string]string{"webhookId": w.ID})
	if err != nil {
		return delivery.Listed{}, err
	}
	d, err := delivery.OfEvent(s.now(), delivery.Webhook, w.ID, event.Published(s.now(), event.WebhookTest, data))
	if err != nil {
		return delivery.Listed{}, err
	}
	return delivery.Listed{Delivery: d}, s.Store.AddDeliveries(ctx, []delivery.Delivery{d})
}

// Subscribed implements delivery.Subscribers.
func (s *Service) Subscribed(ctx context.Context, events []event.Event) ([]delivery.Delivery, error) {
	all, err := s.Store.EnabledWebhooks(ctx)
	if err != nil {
		return nil, err
	}
	var list []delivery.Delivery
	for _, w := range all {
		since := slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool { return e.OccurredAt.Before(w.CreatedAt) })
		own, err := s.deliveriesTo(w, since)
		if err != nil {
			return nil, err
		}
		list = append(list, own...)
	}
	return list, nil
}

// deliveriesTo returns the deliveries to w of those events that it subscribes to.
func (s *Service) deliveriesTo(w Webhook, events []event.Event) (list []delivery.Delivery, err error) {
	for _, e := range events {
		if !e.Type.Matches(w.Events) {
			continue
		}
		d, err := delivery.OfEvent(s.now(), delivery.Webhook, w.ID, e)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, nil
}

// ListDeliveries returns one page of the deliveries to a webhook, newest first, and how
// many there are on all pages. The error is ErrNotFound for an unknown webhook.
func (s *Service) ListDeliveries(
	ctx context.Context, id string, q delivery.Query,
) ([]delivery.Listed, int, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return nil, 0, err
	}
	q.Lane, q.Target = delivery.Webhooks, id
	return s.Deliveries.List(ctx, q)
}

// ReplayDelivery sends a delivery again, whatever its state. The error is ErrNoDelivery.
func (s *Service) ReplayDelivery(ctx context.Context, deliveryID string) (delivery.Listed, error) {
	err := s.Deliveries.Replay(ctx, delivery.Webhooks, deliveryID, s.now())
	if errs.KindOf(err) == errs.NotFound {
		return delivery.Listed{}, ErrNoDelivery
	} else if err != nil {
		return delivery.Listed{}, err
	}
	return s.Deliveries.Find(ctx, delivery.Webhooks, deliveryID)
}

// replayAtOnce is how many events a replay handles in one transaction.
const replayAtOnce = 500

// Replay sends all events since then that a webhook subscribes to, except those that are waiting to
// be sent, and returns their number. The error is ErrNotFound.
func (s *Service) Replay(ctx context.Context, id string, since time.Time) (int, error) {
	w, err := s.Get(ctx, id)
	if err != nil {
		return 0, err
	}
	waiting, err := s.Store.WaitingEvents(ctx, id)
	if err != nil {
		return 0, err
	}
	sent := 0
	for after := int64(0); ; {
		events, last, err := s.Store.EventsSince(ctx, since, after, replayAtOnce)
		if err != nil {
			return sent, err
		}
		after = last
		rest := slices.DeleteFunc(slices.Clone(events), func(e event.Event) bool { return waiting[e.ID] })
		list, err := s.deliveriesTo(w, rest)
		if err != nil {
			return sent, err
		}
		if err := s.Store.AddDeliveries(ctx, list); err != nil {
			return sent, err
		}
		sent += len(list)
		if len(events) < replayAtOnce {
			return sent, nil
		}
	}
}

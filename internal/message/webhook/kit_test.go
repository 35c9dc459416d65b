package webhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/message/delivery"
	"stoa/internal/message/mail"
	"stoa/internal/message/webhook"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/trust/seal"
)

// opened is the time at which the shops of these tests open.
var opened = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// request is what a receiver got.
type request struct {
	url    string
	header http.Header
	body   string
}

// shop has webhooks, and stands for the receivers, the mail server and the administrators.
type shop struct {
	*webhook.Service

	sender *webhook.Sender
	clock  *clocktest.Clock
	store  *store.Webhooks
	outbox *store.Deliveries

	got    []request
	status int
	header http.Header
	answer io.Reader
	refuse error // of the connection
	mails  []mail.Message
}

func openShop(t *testing.T) *shop {
	t.Helper()
	key, err := seal.ParseKey(strings.Repeat("00", 32))
	if err != nil {
		t.Fatal(err)
	}
	db := dbtest.Open(t, dbtest.SQLite(t))
	s := &shop{
		clock: clocktest.New(opened), store: store.NewWebhooks(db), outbox: store.NewDeliveries(db),
		status: http.StatusNoContent,
	}
	s.Service = &webhook.Service{
		Store: s.store, Deliveries: s.outbox, Secrets: seal.NewKeys(key).Box("webhook.secret"), Now: s.clock.Now,
	}
	s.sender = &webhook.Sender{
		Service: s.Service, Transport: s, Agent: "stoa/test", Administrators: s, Poster: s,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	return s
}

// RoundTrip implements http.RoundTripper.
func (s *shop) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, s.refuse); err != nil {
		return nil, err
	}
	s.got = append(s.got, request{r.URL.String(), r.Header, string(body)})
	answer := s.answer
	if answer == nil {
		answer = http.NoBody
	}
	return &http.Response{StatusCode: s.status, Header: s.header, Body: io.NopCloser(answer)}, nil
}

// Admins implements webhook.Administrators.
func (*shop) Admins(context.Context) ([]mail.Reader, error) {
	return []mail.Reader{{Address: "root@example.com"}, {Address: "boss@example.com", Language: "de"}}, nil
}

// Post implements webhook.Poster.
func (s *shop) Post(ctx context.Context, compose mail.Compose) {
	if m, ok, err := compose(ctx); ok && err == nil {
		s.mails = append(s.mails, m)
	}
}

// create adds a webhook and returns its id and its secret.
func (s *shop) create(t *testing.T, events ...string) (id, secret string) {
	t.Helper()
	address := "https://erp.example/in?key=1"
	w, secret, err := s.Create(t.Context(), webhook.Input{URL: &address, Events: &events})
	if err != nil {
		t.Fatal(err)
	}
	return w.ID, secret
}

func (s *shop) get(t *testing.T, id string) webhook.Webhook {
	t.Helper()
	w, err := s.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// publish records an event and returns it.
func (s *shop) publish(t *testing.T, name event.Type) event.Event {
	t.Helper()
	e := event.Published(s.clock.Now(), name, json.RawMessage(`{"orderId":"o1"}`))
	if err := s.store.Publish(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	return e
}

// spread fans out at most 100 events, as if there were no subscribers.
func (s *shop) spread(t *testing.T) {
	t.Helper()
	_, err := s.outbox.FanOut(t.Context(), 100, func([]event.Event) ([]delivery.Delivery, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
}

// to returns the delivery of an event to a webhook.
func (s *shop) to(t *testing.T, id string, e event.Event) delivery.Delivery {
	t.Helper()
	d, err := delivery.OfEvent(s.clock.Now(), delivery.Webhook, id, e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// try sends an event to a webhook and records the outcome. It returns what came of it.
func (s *shop) try(t *testing.T, id string) delivery.Result {
	t.Helper()
	d := s.to(t, id, event.Published(s.clock.Now(), "order.paid", nil))
	r := s.sender.Send(t.Context(), d)
	s.sender.Settled(t.Context(), []delivery.Settled{{
		Delivery: d, Attempt: delivery.Attempt{Number: 1, At: s.clock.Now(), Result: r},
	}})
	return r
}

// deliveries returns the deliveries to a webhook, the newest first.
func (s *shop) deliveries(t *testing.T, id string) []delivery.Listed {
	t.Helper()
	list, _, err := s.ListDeliveries(t.Context(), id, delivery.Query{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

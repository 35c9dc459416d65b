package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/message/delivery"
	"stoa/internal/message/webhook"
	"stoa/internal/store"
)

func testWebhooks(t *testing.T, open Open) {
	db := open(t)
	s, outbox := store.NewWebhooks(db), store.NewDeliveries(db)
	ctx := t.Context()

	w := webhook.Webhook{
		ID: "w1", URL: "https://a.example/x", Events: []string{"order.*"}, Enabled: true, Sealed: "s1",
		CreatedAt: T0, UpdatedAt: T0,
	}
	other := w
	other.ID, other.Enabled, other.CreatedAt = "w2", false, T0.Add(time.Second)
	for _, one := range []webhook.Webhook{other, w} {
		if err := s.CreateWebhook(ctx, one); err != nil {
			t.Fatal(err)
		}
	}
	list, total, err := s.ListWebhooks(ctx, webhook.Query{Limit: 1, Offset: 1})
	if diff := cmp.Diff(list, []webhook.Webhook{other}); diff != "" || total != 2 || err != nil {
		t.Errorf("second page of %d, %v (-got +want):\n%s", total, err, diff)
	}
	list, err = s.EnabledWebhooks(ctx)
	if diff := cmp.Diff(list, []webhook.Webhook{w}); diff != "" || err != nil {
		t.Errorf("EnabledWebhooks: %v (-got +want):\n%s", err, diff)
	}
	w.URL, w.Events, w.Enabled, w.DisabledReason = "https://b.example", []string{"a.b", "c.*"}, false, "gone"
	w.FailingSince, w.Sealed, w.PreviousSealed, w.PreviousUntil = T0, "s2", "s1", T0.Add(time.Hour)
	w.UpdatedAt = T0.Add(time.Minute)
	if err := s.UpdateWebhook(ctx, w); err != nil {
		t.Fatal(err)
	}
	got, err := s.GetWebhook(ctx, "w1")
	if diff := cmp.Diff(got, w); diff != "" || err != nil {
		t.Errorf("GetWebhook: %v (-got +want):\n%s", err, diff)
	}
	if err := s.DeleteWebhook(ctx, "w2"); err != nil {
		t.Error(err)
	}
	_, err = s.GetWebhook(ctx, "w2")
	wantKind(t, err, errs.NotFound)
	wantKind(t, s.UpdateWebhook(ctx, other), errs.NotFound)
	wantKind(t, s.DeleteWebhook(ctx, "w2"), errs.NotFound)

	var all []event.Event
	for i := range 3 {
		all = append(all, event.New(T0.Add(time.Duration(i)*time.Second), event.OrderPaid, event.Names{}))
	}
	if err := s.Publish(ctx, all...); err != nil {
		t.Fatal(err)
	}
	_, err = outbox.FanOut(ctx, 9, func(events []event.Event) ([]delivery.Delivery, error) {
		d, err := delivery.OfEvent(T0, delivery.Webhook, "w1", events[2])
		return []delivery.Delivery{d}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	first, last, err := s.EventsSince(ctx, T0.Add(time.Second), 0, 1)
	if diff := cmp.Diff(first, all[1:2]); diff != "" || err != nil {
		t.Errorf("EventsSince: %v (-got +want):\n%s", err, diff)
	}
	rest, _, err := s.EventsSince(ctx, T0.Add(time.Second), last, 9)
	if diff := cmp.Diff(rest, all[2:]); diff != "" || err != nil {
		t.Errorf("EventsSince, second page: %v (-got +want):\n%s", err, diff)
	}
	waiting, err := s.WaitingEvents(ctx, "w1")
	if diff := cmp.Diff(waiting, map[string]bool{all[2].ID: true}); diff != "" || err != nil {
		t.Errorf("WaitingEvents: %v (-got +want):\n%s", err, diff)
	}
}

package webhook_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/message/delivery"
	"stoa/internal/message/webhook"
)

// An event goes to the webhooks that were there when it happened, are enabled and subscribe to it.
func TestWhoGetsAnEvent(t *testing.T) {
	t.Parallel()

	s, ctx, off := openShop(t), t.Context(), false
	before := s.publish(t, "order.paid")
	s.clock.Advance(time.Second)
	orders, _ := s.create(t, "order.*")
	paid, _ := s.create(t, "order.paid", "license.issued")
	disabled, _ := s.create(t, "order.*")
	if _, err := s.Change(ctx, disabled, webhook.Input{Enabled: &off}); err != nil {
		t.Fatal(err)
	}
	same := s.publish(t, "order.paid") // in the millisecond of the webhooks
	s.clock.Advance(time.Second)
	refunded, issued, user := s.publish(t, "order.refunded"), s.publish(t, "license.issued"), s.publish(t, "user.registered")
	list, err := s.Subscribed(ctx, []event.Event{before, same, refunded, issued, user})
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]string)
	for _, d := range list {
		got[d.Target] = append(got[d.Target], d.EventID)
		if d.Kind != delivery.Webhook || d.State != delivery.Waiting || !d.Due.Equal(s.clock.Now()) {
			t.Errorf("delivery = %+v", d)
		}
	}
	for id, want := range map[string][]string{
		orders: {same.ID, refunded.ID}, paid: {same.ID, issued.ID}, disabled: nil,
	} {
		if !slices.Equal(got[id], want) {
			t.Errorf("%s gets %v, want %v", id, got[id], want)
		}
	}
}

func TestAReplaySendsWhatIsNotWaiting(t *testing.T) {
	t.Parallel()

	s, ctx := openShop(t), t.Context()
	early := s.publish(t, "order.paid")
	s.clock.Advance(time.Hour)
	id, _ := s.create(t, "order.*")
	other, _ := s.create(t, "user.*")
	done, waits := s.publish(t, "order.paid"), s.publish(t, "order.refunded")
	s.publish(t, "user.registered")
	arrived := s.to(t, id, done)
	arrived.State = delivery.Delivered
	s.spread(t)
	if err := s.store.AddDeliveries(ctx, []delivery.Delivery{arrived, s.to(t, id, waits)}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		since time.Time
		want  []string
	}{
		{"since the webhook", opened.Add(time.Hour), []string{done.ID}},
		{"from before it", opened, []string{early.ID}}, // the other one waits now
		{"since later", opened.Add(2 * time.Hour), nil},
	} {
		was := len(s.deliveries(t, id))
		n, err := s.Replay(ctx, id, tt.since)
		if err != nil || n != len(tt.want) {
			t.Errorf("%s: %d, %v, want %d", tt.name, n, err, len(tt.want))
		}
		list := s.deliveries(t, id)
		var got []string
		for _, d := range list[:len(list)-was] {
			got = append(got, d.EventID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if list := s.deliveries(t, other); len(list) != 0 {
		t.Errorf("another webhook gets %v", list)
	}
}

// A replay takes up 500 events at a time.
func TestAReplayOfMoreThanOnePage(t *testing.T) {
	t.Parallel()

	s, ctx := openShop(t), t.Context()
	id, _ := s.create(t, "order.*")
	var all []event.Event
	for range 501 {
		all = append(all, event.Published(opened, "order.paid", json.RawMessage(`{}`)))
	}
	if err := s.store.Publish(ctx, all...); err != nil {
		t.Fatal(err)
	}
	for range 6 { // it takes 100 at a time
		s.spread(t)
	}
	if n, err := s.Replay(ctx, id, opened); err != nil || n != len(all) {
		t.Errorf("%d were replayed, want %d (%v)", n, len(all), err)
	}
}

func TestADeliveryIsReplayedWhateverBecameOfIt(t *testing.T) {
	t.Parallel()

	s, ctx := openShop(t), t.Context()
	id, _ := s.create(t, "order.*")
	for _, state := range []delivery.State{delivery.Delivered, delivery.Dead, delivery.Cancelled, delivery.Waiting} {
		d := s.to(t, id, s.publish(t, "order.paid"))
		d.State, d.Due, d.Attempts, d.Tries = state, opened.Add(time.Hour), 3, 3
		if err := s.store.AddDeliveries(ctx, []delivery.Delivery{d}); err != nil {
			t.Fatal(err)
		}
		again, err := s.ReplayDelivery(ctx, d.ID)
		if err != nil || again.State != delivery.Waiting || !again.Due.Equal(s.clock.Now()) || again.Attempts != 3 ||
			again.Tries != 0 || again.EventID != d.EventID {
			t.Errorf("%s: %+v, %v", state, again, err)
		}
	}
	hook := delivery.New(opened, delivery.Hook, "i1", "install")
	if err := s.store.AddDeliveries(ctx, []delivery.Delivery{hook}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReplayDelivery(ctx, hook.ID); !errors.Is(err, webhook.ErrNoDelivery) {
		t.Errorf("the hook of a plugin is replayed: %v", err)
	}
}

// Operators see a secret once. The database has it sealed, the audit log not at all.
func TestSecretsOfWebhooks(t *testing.T) {
	t.Parallel()

	s, ctx := openShop(t), t.Context()
	id, first := s.create(t, "order.*")
	w, second, err := s.RotateSecret(ctx, id)
	if err != nil || first == second {
		t.Fatalf("rotated from %s to %s, %v", first, second, err)
	}
	stored := w.Sealed + w.PreviousSealed
	for _, e := range audited(t, s) {
		stored += e.details
	}
	for _, secret := range []string{first, second} {
		key, ok := strings.CutPrefix(secret, "whsec_")
		if !ok || len(key) != 44 || strings.Contains(stored, key) {
			t.Errorf("the secret %s is in %s", secret, stored)
		}
	}
	if err := s.Delete(ctx, id); err != nil {
		t.Fatal(err)
	}
	var actions []string
	for _, e := range audited(t, s) {
		actions = append(actions, e.action)
	}
	if got := strings.Join(actions, " "); got != "webhook.delete webhook.secret_rotate webhook.create" {
		t.Errorf("audit log: %s", got)
	}
}

// Package webhooks serves the management of webhooks: the operators' addresses that get events, and the
// deliveries to them. Its rules are those of package webhook.
package webhooks

import (
	"encoding/json"
	"net/http"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
	"stoa/internal/base/errs"
	"stoa/internal/message/delivery"
	"stoa/internal/message/webhook"
)

// Handlers serve the management of webhooks. All fields are required.
type Handlers struct {
	Webhooks *webhook.Service
}

// shown is a webhook on the wire (contract 7.6).
type shown struct {
	ID             string        `json:"id"`
	URL            string        `json:"url"`
	Events         []string      `json:"events"`
	Enabled        bool          `json:"enabled"`
	DisabledReason string        `json:"disabledReason,omitempty"`
	FailingSince   web.Timestamp `json:"failingSince,omitzero"`
	CreatedAt      web.Timestamp `json:"createdAt"`
	UpdatedAt      web.Timestamp `json:"updatedAt"`
}

func show(w webhook.Webhook) shown {
	return shown{
		ID: w.ID, URL: w.URL, Events: web.OrEmpty(w.Events), Enabled: w.Enabled,
		DisabledReason: w.DisabledReason, FailingSince: web.Timestamp(w.FailingSince),
		CreatedAt: web.Timestamp(w.CreatedAt), UpdatedAt: web.Timestamp(w.UpdatedAt),
	}
}

// shownDelivery is a delivery to a webhook.
type shownDelivery struct {
	wire.Delivery

	WebhookID string          `json:"webhookId"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

func showDelivery(d delivery.Listed) shownDelivery {
	return shownDelivery{
		Delivery: wire.NewDelivery(d), WebhookID: d.Target, Type: d.Name, Payload: webhook.Message(d.Delivery),
	}
}

// input is the body of a new webhook or of a change.
type input struct {
	URL     *string   `json:"url"`
	Events  *[]string `json:"events"`
	Enabled *bool     `json:"enabled"`
}

// readInput reads the body of a new webhook or of a change.
func readInput(w http.ResponseWriter, r *http.Request, isNew bool) (webhook.Input, error) {
	in, err := web.ReadInput(w, r, func(in input) errs.Issues { return webhook.Input(in).Issues(isNew) })
	return webhook.Input(in), err
}

// List serves GET /api/v1/admin/webhooks.
func (h *Handlers) List(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.OnlyParams(r, &faults, "q", "sort")
	p, v := web.ReadPage(r, &faults), r.URL.Query()
	q := webhook.Query{Search: v.Get("q"), Sort: v.Get("sort"), Limit: p.Limit, Offset: p.Offset()}
	if err := web.Refusal(faults, q.Issues); err != nil {
		return err
	}
	list, total, err := h.Webhooks.List(r.Context(), q)
	if err != nil {
		return err
	}
	web.WriteList(w, p, list, total, show)
	return nil
}

// Create serves POST /api/v1/admin/webhooks.
func (h *Handlers) Create(w http.ResponseWriter, r *http.Request) error {
	type created struct {
		shown

		Secret string `json:"secret"`
	}

	in, err := readInput(w, r, true)
	if err != nil {
		return err
	}
	hook, secret, err := h.Webhooks.Create(r.Context(), in)
	if err != nil {
		return err
	}
	web.NoStore(w)
	w.Header().Set("Location", r.URL.EscapedPath()+"/"+hook.ID)
	web.WriteData(w, http.StatusCreated, created{show(hook), secret})
	return nil
}

// Get serves GET /api/v1/admin/webhooks/{id}.
func (h *Handlers) Get(w http.ResponseWriter, r *http.Request) error {
	hook, err := h.Webhooks.Get(r.Context(), r.PathValue("id"))
	return write(w, hook, err)
}

// Change serves PATCH /api/v1/admin/webhooks/{id}.
func (h *Handlers) Change(w http.ResponseWriter, r *http.Request) error {
	in, err := readInput(w, r, false)
	if err != nil {
		return err
	}
	hook, err := h.Webhooks.Change(r.Context(), r.PathValue("id"), in)
	return write(w, hook, err)
}

// Delete serves DELETE /api/v1/admin/webhooks/{id}.
func (h *Handlers) Delete(w http.ResponseWriter, r *http.Request) error {
	if err := h.Webhooks.Delete(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	web.WriteDone(w, "The webhook is deleted. What was not delivered yet is not sent.")
	return nil
}

// RotateSecret serves POST /api/v1/admin/webhooks/{id}/secret/rotate.
func (h *Handlers) RotateSecret(w http.ResponseWriter, r *http.Request) error {
	type rotated struct {
		Secret        string        `json:"secret"`
		PreviousUntil web.Timestamp `json:"previousUntil"`
	}

	hook, secret, err := h.Webhooks.RotateSecret(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.NoStore(w)
	web.WriteData(w, http.StatusOK, rotated{secret, web.Timestamp(hook.PreviousUntil)})
	return nil
}

// Test serves POST /api/v1/admin/webhooks/{id}/test.
func (h *Handlers) Test(w http.ResponseWriter, r *http.Request) error {
	d, err := h.Webhooks.Test(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusAccepted, showDelivery(d))
	return nil
}

// Deliveries serves GET /api/v1/admin/webhooks/{id}/deliveries.
func (h *Handlers) Deliveries(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	p := web.ReadPage(r, &faults)
	q := delivery.Query{State: wire.ReadDeliveryState(r, &faults), Limit: p.Limit, Offset: p.Offset()}
	if err := faults.Err(); err != nil {
		return err
	}
	list, total, err := h.Webhooks.ListDeliveries(r.Context(), r.PathValue("id"), q)
	if err != nil {
		return err
	}
	web.WriteList(w, p, list, total, showDelivery)
	return nil
}

// ReplayDelivery serves POST /api/v1/admin/webhooks/deliveries/{deliveryId}/replay.
func (h *Handlers) ReplayDelivery(w http.ResponseWriter, r *http.Request) error {
	d, err := h.Webhooks.ReplayDelivery(r.Context(), r.PathValue("deliveryId"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, showDelivery(d))
	return nil
}

// Replay serves POST /api/v1/admin/webhooks/{id}/replay.
func (h *Handlers) Replay(w http.ResponseWriter, r *http.Request) error {
	since, err := wire.ReadSince(w, r)
	if err != nil {
		return err
	}
	n, err := h.Webhooks.Replay(r.Context(), r.PathValue("id"), since.UTC().Truncate(time.Millisecond))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, wire.Replayed{Replayed: n})
	return nil
}

func write(w http.ResponseWriter, hook webhook.Webhook, err error) error {
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, show(hook))
	return nil
}

// Package webhook owns the addresses of operators that get events (contract 7.6): which
// events each of them gets, the secrets that sign, and the messages themselves, in the
// format of Standard Webhooks 1.0. Package delivery decides when something is sent.
package webhook

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/message/delivery"
	"stoa/internal/trust/audit"
)

// Webhook is an address that receives events.
type Webhook struct {
	ID      string
	URL     string
	Events  []string // patterns, see event.IsPattern, or event.All
	Enabled bool

	// DisabledReason is why stoa has disabled the webhook. Empty otherwise.
	DisabledReason string
	// FailingSince is when the first attempt failed after the last success. Zero while none has
	// failed.
	FailingSince time.Time

	// Sealed and PreviousSealed are the signing secrets. The previous one also signs, until
	// PreviousUntil.
	Sealed, PreviousSealed string
	PreviousUntil          time.Time

	CreatedAt time.Time
	UpdatedAt time.Time
}

// Store is where webhooks live. Package store implements it for SQLite and PostgreSQL;
// its tests hold every sentence here to it.
type Store interface {
	// GetWebhook returns a webhook, or an errs.NotFound error. Inside InTx it stays locked
	// until the end.
	GetWebhook(ctx context.Context, id string) (Webhook, error)

	// ListWebhooks returns one page of the webhooks that match q, in the order of q, and how
	// many there are on all pages.
	ListWebhooks(ctx context.Context, q Query) ([]Webhook, int, error)

	// EnabledWebhooks returns all webhooks that are enabled, oldest first.
	EnabledWebhooks(ctx context.Context) ([]Webhook, error)

	// CreateWebhook adds a webhook. UpdateWebhook replaces everything but its id and the
	// time of its creation, DeleteWebhook removes it; their error is an errs.NotFound if
	// there is none.
	CreateWebhook(ctx context.Context, w Webhook) error
	UpdateWebhook(ctx context.Context, w Webhook) error
	DeleteWebhook(ctx context.Context, id string) error

	// EventsSince returns at most limit events that happened at or after since, in the
	// order in which they were written, beginning after the one with the number after; and
	// the number of the last one.
	EventsSince(ctx context.Context, since time.Time, after int64, limit int) ([]event.Event, int64, error)

	// WaitingEvents returns the ids of the events that wait to be delivered to a receiver.
	WaitingEvents(ctx context.Context, target string) (map[string]bool, error)

	// AddDeliveries adds deliveries. Inside InTx they are part of the transaction.
	AddDeliveries(ctx context.Context, list []delivery.Delivery) error

	// Record appends an entry to the audit log. Inside InTx it is part of the transaction.
	Record(ctx context.Context, e audit.Entry) error

	// InTx runs fn on a Store whose changes are kept if fn returns nil and undone
	// otherwise. fn may run more than once.
	InTx(ctx context.Context, fn func(Store) error) error
}

// Errors returned by Service.
var (
	ErrNotFound   = errs.New(errs.NotFound, "NOT_FOUND", "There is no such webhook.")
	ErrNoDelivery = errs.New(errs.NotFound, "NOT_FOUND", "There is no such delivery.")
)

// Input is a new webhook or a change of one. Nil fields are missing, or keep their value.
type Input struct {
	URL     *string
	Events  *[]string
	Enabled *bool
}

const (
	maxURL    = 2048
	maxEvents = 64
)

// Issues returns what is wrong with the input. A new webhook needs an address and events.
func (in Input) Issues(isNew bool) errs.Issues {
	var faults errs.Issues
	switch {
	case in.URL != nil:
		checkURL(*in.URL, &faults)
	case isNew:
		faults.Add("url", errs.CodeRequired, "url is required.")
	}
	switch {
	case in.Events == nil && isNew:
		faults.Add("events", errs.CodeRequired, "events is required.")
	case in.Events == nil:
	case len(*in.Events) == 0 || len(*in.Events) > maxEvents:
		faults.Add("events", errs.CodeOutOfRange, "Choose at least one type of event, and at most %d.", maxEvents)
	default:
		for i, pattern := range *in.Events {
			if pattern != event.All && !event.IsPattern(pattern) {
				faults.Add(fmt.Sprintf("events[%d]", i), errs.CodeInvalid,
					"must be the type of an event, such as order.paid, the beginning of types, such as order.*, or * for all")
			}
		}
	}
	return faults
}

func checkURL(text string, faults *errs.Issues) {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		faults.Add("url", errs.CodeOutOfRange, "url must have at most %d bytes.", maxURL)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Opaque != "":
		faults.Add("url", errs.CodeInvalid, "url must be an absolute http or https URL.")
	case u.User != nil:
		faults.Add("url", errs.CodeInvalid, "url must not contain credentials: the signature tells who sends.")
	case strings.Contains(text, "#"):
		faults.Add("url", errs.CodeInvalid, "url must not have a fragment.")
	}
}

// apply changes w. Enabling a webhook resets its failures.
func (in Input) apply(w *Webhook) {
	if in.URL != nil {
		w.URL = *in.URL
	}
	if in.Events != nil {
		w.Events = *in.Events
	}
	if in.Enabled != nil {
		if *in.Enabled && !w.Enabled {
			w.DisabledReason, w.FailingSince = "", time.Time{}
		}
		w.Enabled = *in.Enabled
	}
}

// secretPrefix begins secrets of Standard Webhooks. Their key follows in Base64.
const secretPrefix = "whsec_"

// secretText returns a key in the form that operators see.
func secretText(key []byte) string { return secretPrefix + base64.StdEncoding.EncodeToString(key) }

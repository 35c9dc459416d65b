package wire

import (
	"net/http"
	"strings"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/message/delivery"
)

// Delivery holds the fields that all deliveries share.
type Delivery struct {
	ID            string         `json:"id"`
	EventID       string         `json:"eventId,omitempty"`
	State         delivery.State `json:"state"`
	Attempts      []Attempt      `json:"attempts"`
	CreatedAt     web.Timestamp  `json:"createdAt"`
	NextAttemptAt web.Timestamp  `json:"nextAttemptAt,omitzero"`
	FinishedAt    web.Timestamp  `json:"finishedAt,omitzero"`
}

// Attempt is one attempt of a delivery.
type Attempt struct {
	Number     int           `json:"number"`
	At         web.Timestamp `json:"at"`
	DurationMs float64       `json:"durationMs"`
	Status     int           `json:"status,omitempty"`
	Error      string        `json:"error,omitempty"`
	Response   string        `json:"response,omitempty"`

	Headers map[string]string `json:"headers,omitempty"`
}

// NewDelivery returns the JSON form of d.
func NewDelivery(d delivery.Listed) Delivery {
	return Delivery{
		ID: d.ID, EventID: d.EventID, State: d.State, CreatedAt: web.Timestamp(d.CreatedAt),
		NextAttemptAt: web.Timestamp(d.Due), FinishedAt: web.Timestamp(d.FinishedAt),
		Attempts: web.Items(d.History, func(a delivery.Attempt) Attempt {
			return Attempt{
				Number: a.Number, At: web.Timestamp(a.At), DurationMs: float64(a.Duration.Microseconds()) / 1000,
				Status: a.Status, Error: a.Error, Response: a.Response, Headers: headersOf(a),
			}
		}),
	}
}

// headersOf returns the headers that an attempt was answered with, by name.
func headersOf(a delivery.Attempt) map[string]string {
	if a.Headers == "" {
		return nil
	}
	named := make(map[string]string)
	for line := range strings.Lines(a.Headers) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		named[name] = value
	}
	return named
}

// ReadDeliveryState reads the parameter state of a list of deliveries.
func ReadDeliveryState(r *http.Request, faults *errs.Issues) delivery.State {
	switch s := delivery.State(r.URL.Query().Get("state")); s {
	case "", delivery.Waiting, delivery.Delivered, delivery.Dead, delivery.Cancelled:
		return s
	}
	faults.Add("state", errs.CodeUnknownValue, "state must be waiting, delivered, dead or cancelled.")
	return ""
}

// Replayed is the number of deliveries that are sent again.
type Replayed struct {
	Replayed int `json:"replayed"`
}

// ReadSince reads the body {since} of a replay.
func ReadSince(w http.ResponseWriter, r *http.Request) (time.Time, error) {
	type body struct {
		Since string `json:"since"`
	}

	b, err := web.ReadJSON(w, r, func(b body) errs.Issues {
		var faults errs.Issues
		switch _, err := time.Parse(time.RFC3339, b.Since); {
		case b.Since == "":
			faults.Add("since", errs.CodeRequired, "since is required.")
		case err != nil:
			faults.Add("since", errs.CodeInvalid, "since must be a time such as 2026-01-31T12:00:00Z.")
		}
		return faults
	})
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, b.Since)
}

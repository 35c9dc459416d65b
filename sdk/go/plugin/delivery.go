package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Hook is a lifecycle hook of an instance.
type Hook struct {
	Name            string          `json:"-"` // onInstall, onEnable, onDisable, onUninstall or onUpgrade
	ID              string          `json:"-"` // x-hook-id, the same for all attempts
	Attempt         int             `json:"-"` // from 1
	InstallationID  string          `json:"installationId"`
	PluginSlug      string          `json:"pluginSlug"`
	InstanceKey     string          `json:"instanceKey"`
	Config          json.RawMessage `json:"config"`          // at the time of the change; it may be incomplete
	PreviousVersion string          `json:"previousVersion"` // with onUpgrade
	Reason          string          `json:"reason"`          // "license" with onDisable and onEnable because of one
}

// Event is what happened in the shop, or what a plugin published.
type Event struct {
	HookID     string          `json:"-"` // x-hook-id of the delivery, the same for all attempts
	Attempt    int             `json:"-"` // from 1
	ID         string          `json:"id"`
	Type       string          `json:"type"` // order.paid, say
	OccurredAt time.Time       `json:"occurredAt"`
	Data       json.RawMessage `json:"data"` // EventData, for the shop's own events
}

// EventData is the data of the shop's own events: the ids concerned. The others are empty.
type EventData struct {
	UserID         string `json:"userId"`
	OrderID        string `json:"orderId"`
	LicenseID      string `json:"licenseId"`
	ProductID      string `json:"productId"`
	Kind           string `json:"kind"`
	Slug           string `json:"slug"`
	InstallationID string `json:"installationId"`
}

// Failed is an error of a handler that says what the platform should do. Any other error means: try again
// as scheduled.
type Failed struct {
	Err        error
	RetryAfter time.Duration // before the next attempt
	Stop       bool          // no further attempt
}

func (f *Failed) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failed) Unwrap() error { return f.Err }

// Seen remembers deliveries that succeeded, so that none is handled twice.
type Seen interface {
	Has(ctx context.Context, id string) (bool, error)
	Add(ctx context.Context, id string) error
}

// Hooks serves lifecycle hooks, behind Verifier.Handler:
//
//	mux.Handle("POST /__lifecycle/{hook}", &plugin.Hooks{OnEnable: …})
//
// A hook without a function succeeds. The Context of the request is in ctx; its Platform works for the ten
// seconds of the delivery, also for an instance that is disabled or uninstalled.
type Hooks struct {
	OnInstall, OnEnable, OnDisable, OnUninstall, OnUpgrade func(ctx context.Context, h Hook) error

	// Export returns what the plugin knows about a user, for the copy of their data: anything that becomes JSON of
	// at most 10 MiB, or nil if it knows nothing. It is called if the manifest says "export": true, and has ten seconds.
	Export func(ctx context.Context, userID string) (any, error)

	// Seen, if nil, is the last 10,000 deliveries of this process.
	Seen Seen
	// OnError gets the errors of the functions.
	OnError func(error)

	deliveries deliveries
}

// ServeHTTP answers 204 when the hook succeeded, and 200 with what Export returns.
func (h *Hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if path.Base(r.URL.Path) == "export" {
		h.export(w, r)
		return
	}
	h.deliveries.serve(w, r, h.Seen, h.OnError, func(ctx context.Context, id string, attempt int, decode decoder) error {
		hook := Hook{Name: path.Base(r.URL.Path), ID: id, Attempt: attempt}
		if err := decode(&hook); err != nil {
			return err
		}
		run := map[string]func(context.Context, Hook) error{
			"onInstall": h.OnInstall, "onEnable": h.OnEnable, "onDisable": h.OnDisable,
			"onUninstall": h.OnUninstall, "onUpgrade": h.OnUpgrade,
		}[hook.Name]
		if run == nil {
			return nil
		}
		return run(ctx, hook)
	})
}

func (h *Hooks) export(w http.ResponseWriter, r *http.Request) {
	if !isDelivery(w, r) {
		return
	}
	if h.Export == nil {
		http.Error(w, "the plugin exports nothing", http.StatusNotFound)
		return
	}
	var asked struct {
		UserID string `json:"userId"`
	}
	err := json.NewDecoder(r.Body).Decode(&asked)
	var known any
	if err == nil {
		known, err = h.Export(r.Context(), asked.UserID)
	}
	var body []byte
	if err == nil && known != nil {
		body, err = json.Marshal(known)
	}
	if err != nil && h.OnError != nil {
		h.OnError(err)
	}
	switch {
	case err != nil:
		http.Error(w, "the handler failed", http.StatusInternalServerError)
	case body == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // whoever asked is gone, if it fails
	}
}

// isDelivery reports whether the platform sent a request, and answers it otherwise.
func isDelivery(w http.ResponseWriter, r *http.Request) bool {
	if FromContext(r.Context()) != nil && r.Header.Get("X-Hook-Id") != "" { // only the platform sends one
		return true
	}
	http.Error(w, "not a delivery of the platform", http.StatusUnauthorized)
	return false
}

// Events serves the events that the manifest subscribes to, behind Verifier.Handler:
//
//	mux.Handle("POST /events", &plugin.Events{On: map[string]plugin.EventFunc{"order.paid": …}})
type Events struct {
	// On has functions by type. "order.*" stands for all types that begin with "order.", "*" for all.
	// Events without a function succeed. If several functions fit, all are called, in no particular order.
	On map[string]EventFunc

	// Seen, if nil, is the last 10,000 deliveries of this process.
	Seen Seen
	// OnError gets the errors of the functions.
	OnError func(error)

	deliveries deliveries
}

// EventFunc handles an event. The Context of the request is in ctx.
type EventFunc func(ctx context.Context, e Event) error

// ServeHTTP answers 204 when the event was handled.
func (h *Events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.deliveries.serve(w, r, h.Seen, h.OnError, func(ctx context.Context, id string, attempt int, decode decoder) error {
		event := Event{HookID: id, Attempt: attempt}
		if err := decode(&event); err != nil {
			return err
		}
		var failures []error
		for pattern, run := range h.On {
			prefix, wild := strings.CutSuffix(pattern, "*")
			if pattern == event.Type || wild && strings.HasPrefix(event.Type, prefix) {
				failures = append(failures, run(ctx, event))
			}
		}
		return errors.Join(failures...)
	})
}

type decoder func(v any) error

// deliveries handles each delivery once.
type deliveries struct {
	mu      sync.Mutex
	memory  map[string]bool
	order   []string                 // of memory, the oldest first
	running map[string]chan struct{} // closed when the handler has returned
}

func (d *deliveries) serve(
	w http.ResponseWriter, r *http.Request, seen Seen, report func(error),
	handle func(ctx context.Context, id string, attempt int, decode decoder) error,
) {
	if !isDelivery(w, r) {
		return
	}
	id := r.Header.Get("X-Hook-Id")
	if seen == nil {
		seen = d
	}
	attempt, _ := strconv.Atoi(r.Header.Get("X-Hook-Attempt"))
	decode := func(v any) error { return json.NewDecoder(r.Body).Decode(v) }
	err := d.once(r.Context(), id, seen, func(ctx context.Context) error {
		return handle(ctx, id, attempt, decode)
	})
	if err != nil && report != nil {
		report(err)
	}
	var failed *Failed
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case !errors.As(err, &failed):
		http.Error(w, "the handler failed", http.StatusInternalServerError)
	case failed.Stop:
		http.Error(w, "the handler wants no further attempt", http.StatusGone)
	default:
		if failed.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(failed.RetryAfter.Seconds()))))
		}
		http.Error(w, "the handler failed", http.StatusServiceUnavailable)
	}
}

// once runs a delivery that has not succeeded yet. A repetition waits for the one that is running.
func (d *deliveries) once(ctx context.Context, id string, seen Seen, run func(context.Context) error) error {
	done, err := d.enter(ctx, id)
	if err != nil {
		return err
	}
	defer done()
	if known, err := seen.Has(ctx, id); known || err != nil {
		return err
	}
	if err := run(ctx); err != nil {
		return err
	}
	return seen.Add(ctx, id)
}

// enter waits until nobody else handles the delivery.
func (d *deliveries) enter(ctx context.Context, id string) (done func(), err error) {
	for {
		d.mu.Lock()
		other, busy := d.running[id]
		if !busy {
			mine := make(chan struct{})
			if d.running == nil {
				d.running = make(map[string]chan struct{})
			}
			d.running[id] = mine
			d.mu.Unlock()
			return func() {
				d.mu.Lock()
				defer d.mu.Unlock()
				delete(d.running, id)
				close(mine)
			}, nil
		}
		d.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

const maxSeen = 10_000

// Has implements Seen.
func (d *deliveries) Has(_ context.Context, id string) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.memory[id], nil
}

// Add implements Seen.
func (d *deliveries) Add(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.memory == nil {
		d.memory = make(map[string]bool)
	}
	d.memory[id] = true
	if d.order = append(d.order, id); len(d.order) > maxSeen {
		delete(d.memory, d.order[0])
		d.order = d.order[1:]
	}
	return nil
}

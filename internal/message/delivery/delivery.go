package delivery

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"stoa/internal/base/event"
)

// Kind says what is delivered.
type Kind string

// The kinds.
const (
	Hook    Kind = "hook"    // a lifecycle hook of an installation
	Event   Kind = "event"   // an event for an installation
	Webhook Kind = "webhook" // an event for an operator's address
)

// Lane is a set of queues that share workers. A plugin that hangs takes no worker from the
// webhooks, and the other way round.
type Lane string

// The lanes.
const (
	// Plugins are the queues of installations. Each is strictly in order: a delivery that fails
	// blocks those after it in its queue, and nothing else.
	Plugins Lane = "plugins"
	// Webhooks are the queues of operators' addresses. A delivery that fails is repeated later and
	// blocks nothing.
	Webhooks Lane = "webhooks"
)

// Lane returns the lane of deliveries of a kind.
func (k Kind) Lane() Lane {
	if k == Webhook {
		return Webhooks
	}
	return Plugins
}

// State is the state of a delivery.
type State string

// The states.
const (
	Waiting   State = "waiting"   // to be sent, or sent again
	Delivered State = "delivered" // the receiver has answered 2xx
	Dead      State = "dead"      // abandoned; it can be replayed
	Cancelled State = "cancelled" // no longer to be sent: the receiver is gone
)

// Delivery is a message to one receiver.
type Delivery struct {
	ID     string // UUIDv7, the same for all attempts
	Kind   Kind
	Target string // the installation or the webhook, by id; it names the queue, too
	Owner  string // the slug of the installation's package; empty for webhooks
	Name   string // the hook's name, or the event's type

	EventID string // empty for hooks
	Cause   string // the traceparent of the request that caused it; empty if it was not recorded
	Payload string // what the Sender needs
	Keeps   string // the package that must not be purged while this waits

	State      State
	Attempts   int // so far
	Tries      int // since it was last replayed
	Due        time.Time
	CreatedAt  time.Time
	FinishedAt time.Time // zero while it waits
}

// Queue returns the name of the queue of d.
func (d Delivery) Queue() string { return QueueOf(d.Kind.Lane(), d.Target) }

// QueueOf returns the name of the queue of a receiver.
func QueueOf(lane Lane, target string) string { return string(lane) + ":" + target }

// New returns a delivery that is due at now.
func New(now time.Time, kind Kind, target, name string) Delivery {
	return Delivery{
		ID: uuid.Must(uuid.NewV7()).String(), Kind: kind, Target: target, Name: name,
		State: Waiting, Due: now, CreatedAt: now,
	}
}

// OfEvent returns the delivery of an event to a receiver. Its Payload is the event as
// JSON.
func OfEvent(now time.Time, kind Kind, target string, e event.Event) (Delivery, error) {
	d := New(now, kind, target, string(e.Type))
	text, err := json.Marshal(e)
	d.EventID, d.Payload, d.Cause = e.ID, string(text), e.Cause
	return d, err
}

// Attempt is one attempt of a delivery.
type Attempt struct {
	Number   int // from 1
	At       time.Time
	Duration time.Duration
	Result
}

// Result is the result of an attempt.
type Result struct {
	Status   int    // of the answer; 0 without one
	Response string // the beginning of the answer, see Excerpt
	Headers  string // of the answer, one "name: value" a line; see HeaderLines
	Error    string // why there is no answer, or why it is not a good one

	RetryAfter time.Duration // that the receiver asked for
	Cancel     bool          // stop sending the delivery; Error says why
}

// OK reports whether the receiver accepted the delivery.
func (r Result) OK() bool { return r.Error == "" && r.Status >= 200 && r.Status <= 299 }

// MaxResponse is how much of an answer is kept, in bytes (contract 6.2).
const MaxResponse = 4 << 10

// Excerpt returns the beginning of an answer as text.
func Excerpt(body []byte) string {
	if len(body) > MaxResponse {
		body = body[:MaxResponse]
		for i := 0; i < utf8.UTFMax-1 && len(body) > 0 && !utf8.RuneStart(body[len(body)-1]); i++ {
			body = body[:len(body)-1]
		}
		if r, size := utf8.DecodeLastRune(body); r == utf8.RuneError && size == 1 {
			body = body[:len(body)-1]
		}
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(body), "\uFFFD"), "\x00", "\uFFFD")
}

// MaxHeaders is how much of an answer's headers is kept, in bytes.
const MaxHeaders = 4 << 10

// HeaderLines returns the headers of an answer by name, one "name: value" a line. Cookies are the
// receiver's secrets and left out; so are headers for which there is no room.
func HeaderLines(header http.Header) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if name == "Set-Cookie" || name == "Set-Cookie2" {
			continue
		}
		line := strings.ToLower(name) + ": " + Excerpt([]byte(strings.Join(header[name], ", "))) + "\n"
		if text.Len()+len(line) <= MaxHeaders {
			text.WriteString(line)
		}
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// ResultOf returns the result of an answer with a status, a header and a beginning.
func ResultOf(status int, header http.Header, body []byte, now time.Time) Result {
	r := Result{Status: status, Response: Excerpt(body), Headers: HeaderLines(header)}
	if !r.OK() {
		r.Error = "answered " + strconv.Itoa(status)
		r.RetryAfter = retryAfter(header.Get("Retry-After"), now)
	}
	return r
}

// retryAfter returns the wait that a Retry-After header asks for: seconds, or a date.
func retryAfter(text string, now time.Time) time.Duration {
	seconds, err := strconv.ParseUint(text, 10, 31)
	if err == nil || errors.Is(err, strconv.ErrRange) { // on overflow, seconds is the maximum
		return min(time.Duration(seconds)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return min(at.Sub(now), maxRetryAfter)
	}
	return 0
}

// maxRetryAfter is the longest wait that a receiver can ask for.
const maxRetryAfter = 24 * time.Hour

// schedule is how long after each failed attempt the next one is made (contract 6.2).
var schedule = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
}

// MaxTries is how often a delivery is tried before it is dead.
const MaxTries = len(schedule) + 1

// settle returns d in its state after an attempt that ended at now.
func (d Delivery) settle(r Result, now time.Time) Delivery {
	d.Attempts++
	d.Tries++
	switch {
	case r.Cancel:
		d.Attempts-- // nothing was sent
		d.State = Cancelled
	case r.OK():
		d.State = Delivered
	case d.Tries >= MaxTries, r.Status == http.StatusGone:
		d.State = Dead
	default:
		wait := schedule[d.Tries-1]
		wait += rand.N(wait / 10) //nolint:gosec // jitter: receivers that failed together are not retried together
		d.Due = now.Add(max(wait, r.RetryAfter))
		return d
	}
	d.Due, d.FinishedAt = time.Time{}, now
	return d
}

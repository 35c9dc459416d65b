package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
)

// MaxEventData is how large the data of an event that a plugin publishes may be, in bytes
// of compact JSON. Every subscriber gets a copy.
const MaxEventData = 64 << 10

// Every installation may publish EventsPerDay bytes of events at once, and as much again
// in each day. An event counts as its data and eventOverhead, which is about what the rows
// of an event and of its delivery to one subscriber take without it. As events are kept for
// 30 days, those of an installation take 31 times EventsPerDay at the most, and as much
// again for each subscriber.
const (
	EventsPerDay  = 32 << 20
	eventOverhead = 1 << 10

	day = 24 * time.Hour
)

// errManyEvents is returned with a time to wait.
var errManyEvents = errs.New(errs.RateLimited, "RATE_LIMIT_EXCEEDED",
	"The installation has published as many events as it may: 32 MiB in a day.")

// EventInput is an event that a plugin wants to publish.
type EventInput struct {
	Type string
	Data json.RawMessage // valid JSON, or nil if there is none
}

// Issues returns what is wrong with an event of a plugin with a slug.
func (in EventInput) Issues(slug string) errs.Issues {
	var faults errs.Issues
	switch t := event.Type(in.Type); {
	case in.Type == "":
		faults.Add("type", errs.CodeRequired, "type is required.")
	case len(in.Type) > event.MaxType:
		faults.Add("type", errs.CodeOutOfRange, "type must have at most %d bytes.", event.MaxType)
	case !t.BeginsWith(slug):
		faults.Add("type", errs.CodeInvalid,
			"type must begin with the plugin's slug and a dot, as in %s.done, "+
				"and have letters, digits, hyphens and underscores between dots.", slug)
	case t.IsPlatforms():
		faults.Add("type", errs.CodeReserved, "types that begin with %q are the platform's own.", slug+".")
	}
	data := bytes.TrimLeft(in.Data, " \t\r\n")
	switch {
	case len(data) == 0:
		faults.Add("data", errs.CodeRequired, "data is required.")
	case data[0] != '{':
		faults.Add("data", errs.CodeWrongType, "data must be an object.")
	case len(compact(data)) > MaxEventData:
		faults.Add("data", errs.CodeOutOfRange, "data must have at most %d bytes of compact JSON.", MaxEventData)
	}
	return faults
}

// compact returns valid JSON without the space between its tokens.
func compact(data []byte) []byte {
	var b bytes.Buffer
	_ = json.Compact(&b, data) // valid
	return b.Bytes()
}

// Publish sends subscribers an event of an installation, and returns it.
// The input must have no Issues. The error is RATE_LIMIT_EXCEEDED once the installation
// has used up EventsPerDay, and ErrInstanceNotFound if it does not exist anymore.
func (s *Service) Publish(ctx context.Context, installationID string, in EventInput) (event.Event, error) {
	now := s.now()
	e := event.Published(now, event.Type(in.Type), compact(in.Data))
	err := s.Store.InTx(ctx, func(st Store) error {
		until, err := st.LockEventUse(ctx, installationID)
		if errs.KindOf(err) == errs.NotFound {
			return ErrInstanceNotFound
		} else if err != nil {
			return err
		}
		until, wait := spend(until, now, len(e.Data))
		if wait > 0 {
			return errManyEvents.After(wait)
		}
		if err := st.SaveEventUse(ctx, installationID, until); err != nil {
			return err
		}
		return st.Publish(ctx, e)
	})
	return e, err
}

// spend returns until when the allowance of an installation is used once an event with so
// many bytes of data was published at now, or how long that must wait.
func spend(until, now time.Time, size int) (_ time.Time, wait time.Duration) {
	if until.Before(now) {
		until = now
	}
	// Rounded up to the milliseconds that the database keeps.
	cost := (time.Duration(size+eventOverhead)*(day/time.Millisecond) + EventsPerDay - 1) / EventsPerDay * time.Millisecond
	until = until.Add(cost)
	return until, until.Sub(now.Add(day))
}

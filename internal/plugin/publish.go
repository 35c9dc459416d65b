package plugin

import (
	"bytes"
	"context"
	"encoding/json"

	"stoa/internal/errs"
	"stoa/internal/event"
)

// MaxEventData is how large the data of an event that a plugin publishes may be, in bytes
// of compact JSON. Every subscriber gets a copy.
const MaxEventData = 64 << 10

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

// Publish tells subscribers of an event that a plugin publishes, and returns it. The
// input must have no Issues.
func (s *Service) Publish(ctx context.Context, in EventInput) (event.Event, error) {
	e := event.Published(s.now(), event.Type(in.Type), compact(in.Data))
	return e, s.Store.Publish(ctx, e)
}

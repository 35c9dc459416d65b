// Package export writes the audit log for other systems: as JSON lines, in the order of recording,
// starting at a cursor. It does so once (stoa audit export), or keeps sending new entries to a file
// or an address (Stream).
//
// It reads the log and never changes it, and no operation waits for it.
package export

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"stoa/internal/trust/audit"
)

// Numbered is an entry with its number in the order of recording, which is a cursor: later entries
// have higher numbers.
type Numbered struct {
	audit.Entry

	Seq int64
}

// Log reads the audit log. Package store implements it; the tests of this package check every
// sentence here.
type Log interface {
	// Settled returns a number up to which the log is complete: no entry with it or a lower one
	// will be added later. It is 0 for an empty log. It waits for the transactions that are writing
	// entries with lower numbers, and blocks no writer.
	Settled(ctx context.Context) (int64, error)

	// After returns the first entries, at most limit, with a number above after and not above
	// until that happened in a period, in the order of their numbers. A zero time is no bound;
	// from is inclusive, to is not.
	After(ctx context.Context, after, until int64, from, to time.Time, limit int) ([]Numbered, error)
}

// line is an entry as JSON.
type line struct {
	Cursor    int64         `json:"cursor"`
	ID        string        `json:"id"`
	At        string        `json:"at"`
	Actor     actor         `json:"actor"`
	Behalf    *behalf       `json:"onBehalfOf,omitempty"`
	Action    string        `json:"action"`
	Target    target        `json:"target"`
	Address   string        `json:"address,omitempty"`
	RequestID string        `json:"requestId,omitempty"`
	Details   audit.Details `json:"details"`
}

type actor struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// behalf is the user as whom somebody of the staff did something.
type behalf struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

type target struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// timeFormat is the form of times in JSON (contract 1.2).
const timeFormat = "2006-01-02T15:04:05.000Z"

// appendLine appends an entry and a line feed.
func appendLine(b []byte, e Numbered) ([]byte, error) {
	details := e.Details
	if details == nil {
		details = audit.Details{}
	}
	var as *behalf
	if e.Behalf.ID != "" {
		as = &behalf{e.Behalf.ID, e.Behalf.Name}
	}
	text, err := json.Marshal(line{
		Behalf: as,
		Cursor: e.Seq, ID: e.ID, At: e.At.UTC().Format(timeFormat),
		Actor:  actor{string(e.Actor.Kind), e.Actor.ID, e.Actor.Name},
		Action: string(e.Action), Target: target(e.Target), Address: e.Address, RequestID: e.RequestID, Details: details,
	})
	if err != nil {
		return b, err
	}
	return append(append(b, text...), '\n'), nil
}

// Selection selects entries to export. Zero fields select everything.
type Selection struct {
	After    int64     // the cursor of the last entry that was exported before
	From, To time.Time // From is inclusive, To is not
}

// atOnce is how many entries are read at a time.
const atOnce = 500

// Write writes the selected entries, each as one line of JSON, and returns the cursor to continue
// from later and the number of entries.
func Write(ctx context.Context, log Log, s Selection, w io.Writer) (cursor int64, n int, err error) {
	until, err := log.Settled(ctx)
	if err != nil {
		return s.After, 0, err
	}
	cursor = s.After
	for {
		list, err := log.After(ctx, cursor, until, s.From, s.To, atOnce)
		if err != nil {
			return cursor, n, err
		}
		var lines []byte
		for _, e := range list {
			if lines, err = appendLine(lines, e); err != nil {
				return cursor, n, err
			}
		}
		if _, err := w.Write(lines); err != nil {
			return cursor, n, err
		}
		if n += len(list); len(list) > 0 {
			cursor = list[len(list)-1].Seq
		}
		if len(list) < atOnce {
			return cursor, n, nil
		}
	}
}

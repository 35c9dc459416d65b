package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"stoa/internal/base/event"
	"stoa/internal/base/reqctx"
	"stoa/internal/base/trace"
	"stoa/internal/data/database"
)

// NewEvents is announced after a transaction that has published an event
// (database.Conn.Announce).
const NewEvents = "events"

// Publish implements Publish of the domains' Stores. Inside a transaction the events are part of
// it: they are delivered after the commit, and never without one. Those of a demo's made-up sales
// reach nobody.
func (c audited) Publish(ctx context.Context, list ...event.Event) error {
	list = slices.DeleteFunc(slices.Clone(list), func(e event.Event) bool { return e.Demo })
	by, who := reqctx.BehalfFrom(ctx), reqctx.CallerFrom(ctx)
	for chunk := range slices.Chunk(list, rowsAtOnce) {
		values := make([]any, 0, 7*len(chunk))
		for _, e := range chunk {
			values = append(values, e.ID, string(e.Type), database.Millis(e.OccurredAt), string(naming(e.Data, who)),
				cmp.Or(e.Cause, trace.Cause(ctx)), orNull(by.UserID), orNull(by.Impersonator))
		}
		_, err := c.Write.ExecContext(ctx, `
			INSERT INTO events (id, type, occurred_at_ms, data_json, cause, by_user, by_impersonator)
			VALUES `+tuples(len(chunk), 7), values...)
		if err != nil {
			return err
		}
		c.Announce(NewEvents)
	}
	return nil
}

// naming returns the data of an event, with who of the staff caused it as a user. What plugins publish is theirs.
func naming(data []byte, who reqctx.Caller) []byte {
	rest, ok := bytes.CutPrefix(data, []byte("{"))
	if who.Impersonator == "" || !ok {
		return data
	}
	name, _ := json.Marshal(who.Impersonator) // a text
	named := append([]byte(`{"impersonatorId":`), name...)
	if !bytes.Equal(rest, []byte("}")) {
		named = append(named, ',')
	}
	return append(named, rest...)
}

// orNull returns NULL for an empty text.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func scanEvent(row database.Scanner) (e event.Event, err error) {
	var data string
	err = row.Scan(&e.ID, &e.Type, database.ScanMillis(&e.OccurredAt), &data, &e.Cause)
	e.Data = []byte(data)
	return e, err
}

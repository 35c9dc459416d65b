package store

import (
	"cmp"
	"context"
	"slices"

	"stoa/internal/base/event"
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
	for chunk := range slices.Chunk(list, rowsAtOnce) {
		values := make([]any, 0, 5*len(chunk))
		for _, e := range chunk {
			values = append(values, e.ID, string(e.Type), database.Millis(e.OccurredAt), string(e.Data),
				cmp.Or(e.Cause, trace.Cause(ctx)))
		}
		_, err := c.Write.ExecContext(ctx, `
			INSERT INTO events (id, type, occurred_at_ms, data_json, cause) VALUES `+tuples(len(chunk), 5), values...)
		if err != nil {
			return err
		}
		c.Announce(NewEvents)
	}
	return nil
}

func scanEvent(row database.Scanner) (e event.Event, err error) {
	var data string
	err = row.Scan(&e.ID, &e.Type, database.ScanMillis(&e.OccurredAt), &data, &e.Cause)
	e.Data = []byte(data)
	return e, err
}

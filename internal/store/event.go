package store

import (
	"context"

	"stoa/internal/database"
	"stoa/internal/event"
)

// NewEvents is announced after a transaction that has published an event
// (database.Conn.Announce).
const NewEvents = "events"

// Publish implements Publish of the domains' Stores. Inside a transaction the event is
// part of it: it is passed on after the commit, and never if there is none.
func (c audited) Publish(ctx context.Context, e event.Event) error {
	_, err := c.Write.ExecContext(ctx, `
		INSERT INTO events (id, type, occurred_at_ms, data_json) VALUES ($1, $2, $3, $4)`,
		e.ID, string(e.Type), database.Millis(e.OccurredAt), string(e.Data))
	if err == nil {
		c.Announce(NewEvents)
	}
	return err
}

func scanEvent(row database.Scanner) (e event.Event, err error) {
	var data string
	err = row.Scan(&e.ID, &e.Type, database.ScanMillis(&e.OccurredAt), &data)
	e.Data = []byte(data)
	return e, err
}

package database

import (
	"context"

	"stoa/internal/base/trace"
)

// Text runs a query that finds one row by its key and selects one column, a text, and returns that text:
// for example, a row to Unpack. Without a row, the error is sql.ErrNoRows. Text is for the busiest
// queries: it skips work of database/sql that takes longer than finding the row.
//
// The query ends at the deadline of ctx, but not when ctx is canceled: stopping a query that takes
// microseconds because its client has left would save nothing.
func (c Conn) Text(ctx context.Context, query string, args ...string) (text string, err error) {
	if c.db.text == nil || c.InTransaction() {
		return c.textRow(ctx, query, args)
	}
	if c.db.tracer != nil {
		var span trace.Span
		ctx, span = tracedQuerier{db: c.db}.start(ctx, query)
		defer func() { end(span, err) }()
	}
	text, answered, err := c.db.text(ctx, c.db.read, query, args)
	if !answered {
		return c.textRow(ctx, query, args)
	}
	return text, err
}

// textRow is Text by way of database/sql.
func (c Conn) textRow(ctx context.Context, query string, args []string) (text string, err error) {
	values := make([]any, len(args))
	for i := range args {
		values[i] = args[i]
	}
	err = c.Read.QueryRowContext(c.Brief(ctx), query, values...).Scan(&text)
	return text, err
}

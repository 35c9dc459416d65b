package database

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"stoa/internal/base/trace"
)

// traced returns q, which records a span for each statement if db does. The parent of the span is
// the transaction within, if that is recorded, or else comes from the statement's context.
func (db *DB) traced(q Querier, within trace.Span) Querier {
	if db.tracer == nil {
		return q
	}
	return tracedQuerier{q, db, within}
}

// tracedQuerier records a span for each statement of a recorded request, up to its first row. The
// span has the kind of the statement and its first table, never its text or its values.
type tracedQuerier struct {
	Querier

	db     *DB
	within trace.Span
}

func (q tracedQuerier) start(ctx context.Context, query string) (context.Context, trace.Span) {
	ctx = q.within.Within(ctx)
	ctx, span := q.db.tracer.Start(ctx, "sql", trace.Client)
	if span.Recording() {
		verb, table := statement(query)
		span.Name(strings.TrimSpace(verb + " " + table))
		span.Text("db.system.name", systemName(q.db.name))
		span.Text("db.operation.name", verb)
		span.Text("db.collection.name", table)
	}
	return ctx, span
}

// systemName is OpenTelemetry's name of an engine.
func systemName(engine string) string {
	if engine == "postgres" {
		return "postgresql"
	}
	return engine
}

func end(span trace.Span, err error) {
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		span.Fail("sql")
	}
	span.End()
}

// ExecContext implements Querier.
func (q tracedQuerier) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	ctx, span := q.start(ctx, query)
	res, err := q.Querier.ExecContext(ctx, query, args...)
	end(span, err)
	return res, err
}

// QueryContext implements Querier.
func (q tracedQuerier) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	ctx, span := q.start(ctx, query)
	rows, err := q.Querier.QueryContext(ctx, query, args...)
	end(span, err)
	return rows, err
}

// QueryRowContext implements Querier.
func (q tracedQuerier) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	ctx, span := q.start(ctx, query)
	row := q.Querier.QueryRowContext(ctx, query, args...)
	end(span, row.Err())
	return row
}

// transaction starts the span of a transaction, which includes the waits for its turn and for its
// commit that no statement shows.
func (db *DB) transaction(ctx context.Context) (context.Context, trace.Span) {
	ctx, span := db.tracer.Start(ctx, "transaction", trace.Internal)
	span.Text("db.system.name", systemName(db.name))
	return ctx, span
}

// endTransaction ends the span. An error of the transaction's function rolls it back, and is no
// failure of the database.
func endTransaction(span trace.Span, err error) {
	if err != nil {
		span.Text("stoa.outcome", "undone")
	}
	span.End()
}

// statement returns the verb of a statement and the first table it names, as far as they can be
// recognized.
func statement(query string) (verb, table string) {
	fields := strings.Fields(query[:min(len(query), maxScanned)])
	if len(fields) == 0 {
		return "", ""
	}
	verb = strings.ToUpper(fields[0])
	if verb == "WITH" { // the SELECT seldom comes late
		verb = "SELECT"
	}
	if !known[verb] {
		return "OTHER", ""
	}
	for i, word := range fields[:len(fields)-1] {
		switch strings.ToUpper(word) {
		case "FROM", "INTO", "UPDATE":
			if name := strings.Trim(fields[i+1], `"(),;`); isTable(name) {
				return verb, name
			}
		}
	}
	return verb, ""
}

// maxScanned is how much of a statement is searched for its table.
const maxScanned = 4 << 10

var known = map[string]bool{"SELECT": true, "INSERT": true, "UPDATE": true, "DELETE": true}

// isTable reports whether a word can be the name of a table. Words with quotes cannot.
func isTable(s string) bool {
	for _, c := range s {
		if c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

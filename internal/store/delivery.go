package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa/internal/base/event"
	"stoa/internal/base/trace"
	"stoa/internal/data/database"
	"stoa/internal/message/delivery"
)

// Deliveries implements delivery.Store.
type Deliveries struct{ audited }

var _ delivery.Store = (*Deliveries)(nil)

// NewDeliveries returns the deliveries of db.
func NewDeliveries(db *database.DB) *Deliveries { return &Deliveries{audited{db.Conn()}} }

// NewIn returns the topic that is announced after a transaction that has added deliveries to queues
// of a lane (database.Conn.Announce).
func NewIn(lane delivery.Lane) string { return "deliveries:" + string(lane) }

const deliveryColumns = `d.id, d.kind, d.target, d.owner, d.name, d.event_id, d.payload, d.keeps, d.state,
	d.attempts, d.tries, d.due_ms, d.created_at_ms, d.finished_at_ms, d.cause`

func scanDelivery(row database.Scanner) (d delivery.Delivery, err error) {
	err = row.Scan(&d.ID, &d.Kind, &d.Target, &d.Owner, &d.Name, &d.EventID, &d.Payload, &d.Keeps, &d.State,
		&d.Attempts, &d.Tries, database.ScanMillis(&d.Due),
		database.ScanMillis(&d.CreatedAt), database.ScanMillis(&d.FinishedAt), &d.Cause)
	return d, err
}

// rowsAtOnce is how many rows an INSERT has at most.
const rowsAtOnce = 100

// AddDeliveries implements AddDeliveries of the domains' Stores. Inside a transaction the
// deliveries are part of it. Those of one queue keep their order.
func (c audited) AddDeliveries(ctx context.Context, list []delivery.Delivery) error {
	if len(list) == 0 {
		return nil
	}
	return c.InTx(ctx, func(tx database.Conn) error {
		// Before their deliveries, and all in the same order: the transaction that has locked a
		// queue gets the next numbers in it, and two transactions do not deadlock.
		if err := fillQueues(ctx, tx, list); err != nil {
			return err
		}
		for chunk := range slices.Chunk(list, rowsAtOnce) {
			values := make([]any, 0, 16*len(chunk))
			for _, d := range chunk {
				values = append(values, d.ID, d.Queue(), string(d.Kind.Lane()), string(d.Kind), d.Target, d.Owner, d.Name,
					d.EventID, d.Payload, d.Keeps, string(d.State), d.Attempts, d.Tries,
					database.Millis(d.Due), database.Millis(d.CreatedAt), cmp.Or(d.Cause, trace.Cause(ctx)))
			}
			_, err := tx.Write.ExecContext(ctx, `
				INSERT INTO deliveries (id, queue, lane, kind, target, owner, name, event_id, payload, keeps, state,
					attempts, tries, due_ms, created_at_ms, cause)
				VALUES `+tuples(len(chunk), 16), values...)
			if err != nil {
				return err
			}
			for _, d := range chunk {
				tx.Announce(NewIn(d.Kind.Lane()))
			}
		}
		return nil
	})
}

// fillQueues locks the queues of new deliveries and makes them due. An ordered queue whose head
// waits is due with its head.
func fillQueues(ctx context.Context, tx database.Conn, list []delivery.Delivery) error {
	first := make(map[string]delivery.Delivery)
	for _, d := range list {
		if was, ok := first[d.Queue()]; !ok || d.Due.Before(was.Due) {
			first[d.Queue()] = d
		}
	}
	names := make([]string, 0, len(first))
	for name := range first {
		names = append(names, name)
	}
	slices.Sort(names)
	for chunk := range slices.Chunk(names, rowsAtOnce) {
		values := make([]any, 0, 3*len(chunk))
		for _, name := range chunk {
			values = append(values, name, string(first[name].Kind.Lane()), database.Millis(first[name].Due))
		}
		_, err := tx.Write.ExecContext(ctx, `
			INSERT INTO delivery_queues (name, lane, due_ms) VALUES `+tuples(len(chunk), 3)+`
			ON CONFLICT (name) DO UPDATE SET due_ms = CASE
				WHEN delivery_queues.due_ms IS NULL THEN excluded.due_ms
				WHEN delivery_queues.lane = 'plugins' OR delivery_queues.lease <> ''
					OR delivery_queues.due_ms <= excluded.due_ms THEN delivery_queues.due_ms
				ELSE excluded.due_ms END`, values...)
		if err != nil {
			return err
		}
	}
	return nil
}

// tuples returns the rows of a VALUES clause: ($1, $2), ($3, $4).
func tuples(rows, columns int) string {
	var b strings.Builder
	for i := range rows * columns {
		switch {
		case i == 0:
			b.WriteByte('(')
		case i%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(i+1))
	}
	return b.String() + ")"
}

// FanOut implements delivery.Store.
func (s *Deliveries) FanOut(
	ctx context.Context, limit int, fn func([]event.Event) ([]delivery.Delivery, error),
) (int, error) {
	const fresh = `SELECT id, type, occurred_at_ms, data_json, cause FROM events WHERE NOT spread ORDER BY seq LIMIT $1`
	// Usually there are no events, which needs no transaction.
	if events, err := database.All(ctx, s.Read, scanEvent, fresh, 1); err != nil || len(events) == 0 {
		return 0, err
	}
	var n int
	err := s.InTurn(ctx, "events", func(tx database.Conn) error {
		events, err := database.All(ctx, tx.Read, scanEvent, fresh, limit)
		if n = len(events); err != nil || n == 0 {
			return err
		}
		list, err := fn(events)
		if err != nil {
			return err
		}
		if err := (audited{tx}).AddDeliveries(ctx, list); err != nil {
			return err
		}
		ids := make([]string, n)
		for i, e := range events {
			ids[i] = e.ID
		}
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE events SET spread = $1 WHERE id IN (`+places(2, n)+`)`, append([]any{true}, anys(ids)...)...)
		return err
	})
	return n, err
}

// places returns n placeholders, the first of which has the number from.
func places(from, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(from+i)
	}
	return strings.Join(list, ", ")
}

func anys(texts []string) []any {
	list := make([]any, len(texts))
	for i, s := range texts {
		list[i] = s
	}
	return list
}

// GiveUp implements delivery.Store. Deliveries that are being retried are due again soon: one that
// has been due for long was never reached.
func (s *Deliveries) GiveUp(ctx context.Context, until, now time.Time, limit int) (int, error) {
	return s.rows(ctx, `UPDATE deliveries SET state = 'dead', due_ms = NULL, finished_at_ms = $1 WHERE id IN (
		SELECT id FROM deliveries WHERE state = 'waiting' AND due_ms < $2 ORDER BY seq LIMIT $3) AND state = 'waiting'`,
		database.Millis(now), database.Millis(until), limit)
}

// Sweep implements delivery.Store.
func (s *Deliveries) Sweep(ctx context.Context, until time.Time, limit int) (int, error) {
	gone, err := s.rows(ctx, `DELETE FROM deliveries WHERE id IN (
		SELECT id FROM deliveries WHERE finished_at_ms < $1 LIMIT $2)`, database.Millis(until), limit)
	if err != nil {
		return gone, err
	}
	events, err := s.rows(ctx, `DELETE FROM events WHERE id IN (
		SELECT id FROM events WHERE occurred_at_ms < $1 AND spread LIMIT $2)`, database.Millis(until), limit)
	if err != nil {
		return gone + events, err
	}
	// due_ms is checked twice: a queue that is filled while the query waits for it must stay.
	queues, err := s.rows(ctx, `DELETE FROM delivery_queues WHERE due_ms IS NULL AND name IN (
		SELECT q.name FROM delivery_queues q
		WHERE q.due_ms IS NULL AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.queue = q.name)
		LIMIT $1)`, limit)
	return gone + events + queues, err
}

// rows runs a statement and returns how many rows it changed.
func (s *Deliveries) rows(ctx context.Context, query string, args ...any) (int, error) {
	res, err := s.Write.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

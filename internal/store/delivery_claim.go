package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/message/delivery"
)

// Claim implements delivery.Claims.
func (s *Deliveries) Claim(
	ctx context.Context, lane delivery.Lane, lease string, now time.Time, hold time.Duration, limit int,
) ([]string, error) {
	due := `SELECT q.name FROM delivery_queues q
		WHERE q.lane = $1 AND q.due_ms <= $2 AND (q.lease = '' OR q.leased_until_ms <= ` + s.Clock() + `)
		ORDER BY q.due_ms LIMIT $3`
	// Usually nothing is due. This query finds that out without a transaction.
	names, err := database.Texts(ctx, s.Read, due, string(lane), database.Millis(now), 1)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	err = s.InShortTx(ctx, func(tx database.Conn) error {
		// The first process to get here locks the queues; others skip them and take the next.
		names, err = database.Texts(ctx, tx.Read, due+tx.LockFree("q"), string(lane), database.Millis(now), limit)
		if err != nil || len(names) == 0 {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `
			UPDATE delivery_queues SET lease = $1, leased_until_ms = `+tx.Clock()+` + $2
			WHERE name IN (`+places(3, len(names))+`)`, append([]any{lease, hold.Milliseconds()}, anys(names)...)...)
		return err
	})
	if err != nil {
		return nil, err // without the commit there is no lease
	}
	return names, nil
}

// Next implements delivery.Claims.
func (s *Deliveries) Next(
	ctx context.Context, lane delivery.Lane, queue string, now time.Time, limit int,
) ([]delivery.Delivery, error) {
	if lane == delivery.Webhooks {
		return database.All(ctx, s.Read, scanDelivery, `
			SELECT `+deliveryColumns+` FROM deliveries d
			WHERE d.queue = $1 AND d.state = 'waiting' AND d.due_ms <= $2
			ORDER BY d.due_ms, d.seq LIMIT $3`, queue, database.Millis(now), limit)
	}
	list, err := database.All(ctx, s.Read, scanDelivery, `
		SELECT `+deliveryColumns+` FROM deliveries d
		WHERE d.queue = $1 AND d.state = 'waiting'
		ORDER BY d.seq LIMIT $2`, queue, limit)
	for i, d := range list {
		if d.Due.After(now) {
			return list[:i], err
		}
	}
	return list, err
}

// errLost rolls back a transaction whose lease was taken over.
var errLost = errors.New("store: the lease of a queue is another one")

// Settle implements delivery.Claims.
func (s *Deliveries) Settle(
	ctx context.Context, queue, lease string, settled []delivery.Settled, hold time.Duration,
) (bool, error) {
	err := s.InShortTx(ctx, func(tx database.Conn) error {
		if err := lockLease(ctx, tx, queue, lease); err != nil {
			return err
		}
		for _, d := range settled {
			if err := settle(ctx, tx, d); err != nil {
				return err
			}
		}
		_, err := tx.Write.ExecContext(ctx, `
			UPDATE delivery_queues SET leased_until_ms = `+tx.Clock()+` + $1 WHERE name = $2`, hold.Milliseconds(), queue)
		return err
	})
	if errors.Is(err, errLost) {
		return false, nil
	}
	return err == nil, err
}

// lockLease locks a queue. It returns errLost if its lease has changed.
func lockLease(ctx context.Context, tx database.Conn, queue, lease string) error {
	var now string
	err := tx.Read.QueryRowContext(ctx, `
		SELECT q.lease FROM delivery_queues q WHERE q.name = $1`+tx.Lock("q"), queue).Scan(&now)
	if errors.Is(err, sql.ErrNoRows) || err == nil && now != lease {
		return errLost
	}
	return err
}

// settle records an attempt. If the delivery was replayed or canceled meanwhile, a success still
// counts, and otherwise the newer state stays.
func settle(ctx context.Context, tx database.Conn, d delivery.Settled) error {
	_, err := tx.Write.ExecContext(ctx, `
		UPDATE deliveries SET state = $1, attempts = $2, tries = $3, due_ms = $4, finished_at_ms = $5
		WHERE id = $6 AND (state = 'waiting' OR $1 = 'delivered')`,
		string(d.State), d.Attempts, d.Tries, database.Millis(d.Due), database.Millis(d.FinishedAt), d.ID)
	if err != nil || d.Attempt.Number == 0 {
		return err
	}
	a := d.Attempt
	_, err = tx.Write.ExecContext(ctx, `
		INSERT INTO delivery_attempts (delivery_id, number, at_ms, duration_us, status, error, response, headers)
		SELECT d.id, $1, $2, $3, $4, $5, $6, $7 FROM deliveries d WHERE d.id = $8
		ON CONFLICT (delivery_id, number) DO NOTHING`,
		a.Number, database.Millis(a.At), a.Duration.Microseconds(), a.Status, a.Error, a.Response, a.Headers,
		d.ID)
	return err
}

// Release implements delivery.Claims.
func (s *Deliveries) Release(ctx context.Context, queue, lease string, rest time.Time) error {
	err := s.InShortTx(ctx, func(tx database.Conn) error {
		if err := lockLease(ctx, tx, queue, lease); err != nil {
			return err
		}
		return vacate(ctx, tx, queue, rest)
	})
	if errors.Is(err, errLost) {
		return nil
	}
	return err
}

// vacate ends the lease of a locked queue and makes it due with its next delivery, at
// rest at the earliest.
func vacate(ctx context.Context, tx database.Conn, queue string, rest time.Time) error {
	// A query of its own: it must see what was added before the queue was locked.
	first := `d.due_ms`
	if strings.HasPrefix(queue, delivery.QueueOf(delivery.Plugins, "")) {
		first = `d.seq` // in order
	}
	var due time.Time
	err := tx.Read.QueryRowContext(ctx, `
		SELECT d.due_ms FROM deliveries d WHERE d.queue = $1 AND d.state = 'waiting'
		ORDER BY `+first+` LIMIT 1`, queue).Scan(database.ScanMillis(&due))
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return err
	case due.Before(rest):
		due = rest
	}
	_, err = tx.Write.ExecContext(ctx, `UPDATE delivery_queues SET lease = '', due_ms = $1 WHERE name = $2`,
		database.Millis(due), queue)
	return err
}

// NextDue implements delivery.Claims.
func (s *Deliveries) NextDue(ctx context.Context, lane delivery.Lane) (due time.Time, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT min(due_ms) FROM delivery_queues WHERE lane = $1 AND due_ms IS NOT NULL AND lease = ''`, string(lane),
	).Scan(database.ScanMillis(&due))
	return due, err
}

package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/message/delivery"
)

// Backlog returns how many deliveries of a lane wait, and when the oldest of them was recorded; the
// zero time if there is none.
func (s *Deliveries) Backlog(ctx context.Context, lane delivery.Lane) (n int64, oldest time.Time, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT count(*), min(created_at_ms) FROM deliveries WHERE state = 'waiting' AND lane = $1`, string(lane)).
		Scan(&n, database.ScanMillis(&oldest))
	return n, oldest, err
}

// Idle reports whether nothing is to be done at now: every event was spread, and no delivery is due or
// being made.
func (s *Deliveries) Idle(ctx context.Context, now time.Time) (idle bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT NOT EXISTS (SELECT 1 FROM events WHERE NOT spread)
			AND NOT EXISTS (SELECT 1 FROM delivery_queues WHERE due_ms <= $1 OR lease <> '')`,
		database.Millis(now)).Scan(&idle)
	return idle, err
}

// List implements delivery.Log.
func (s *Deliveries) List(ctx context.Context, q delivery.Query) ([]delivery.Listed, int, error) {
	var where database.Where
	where.And(`d.lane = $1`, string(q.Lane))
	if q.Owner != "" {
		where.And(`d.owner = $1`, q.Owner)
	}
	if q.Target != "" {
		where.And(`d.target = $1`, q.Target)
	}
	if q.State != "" {
		where.And(`d.state = $1`, string(q.State))
	}
	if !q.From.IsZero() {
		where.And(`d.created_at_ms >= $1`, database.Millis(q.From))
	}
	if !q.To.IsZero() {
		where.And(`d.created_at_ms < $1`, database.Millis(q.To))
	}
	var total int
	err := s.Read.QueryRowContext(ctx, `SELECT count(*) FROM deliveries d`+where.String(), where.Args()...).Scan(&total)
	if err != nil {
		return nil, 0, err
	}
	page, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, s.Read, scanDelivery, `
		SELECT `+deliveryColumns+` FROM deliveries d`+where.String()+` ORDER BY d.seq DESC`+page, args...)
	if err != nil {
		return nil, 0, err
	}
	listed, err := s.withHistory(ctx, list)
	return listed, total, err
}

// Find implements delivery.Log.
func (s *Deliveries) Find(ctx context.Context, lane delivery.Lane, id string) (delivery.Listed, error) {
	d, err := scanDelivery(s.Read.QueryRowContext(ctx, `
		SELECT `+deliveryColumns+` FROM deliveries d WHERE d.id = $1 AND d.lane = $2`, id, string(lane)))
	if err != nil {
		return delivery.Listed{}, s.Wrap(err, "Delivery")
	}
	list, err := s.withHistory(ctx, []delivery.Delivery{d})
	if err != nil {
		return delivery.Listed{}, err
	}
	return list[0], nil
}

// withHistory returns deliveries with their attempts.
func (s *Deliveries) withHistory(ctx context.Context, list []delivery.Delivery) ([]delivery.Listed, error) {
	listed := make([]delivery.Listed, len(list))
	at := make(map[string]int, len(list))
	ids := make([]any, len(list))
	for i, d := range list {
		listed[i].Delivery, at[d.ID], ids[i] = d, i, d.ID
	}
	if len(list) == 0 {
		return listed, nil
	}
	rows, err := s.Read.QueryContext(ctx, `
		SELECT delivery_id, number, at_ms, duration_us, status, error, response, headers FROM delivery_attempts
		WHERE delivery_id IN (`+places(1, len(ids))+`) ORDER BY delivery_id, number`, ids...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var (
			id     string
			a      delivery.Attempt
			micros int64
		)
		err := rows.Scan(&id, &a.Number, database.ScanMillis(&a.At), &micros, &a.Status, &a.Error, &a.Response,
			&a.Headers)
		if err != nil {
			return nil, err
		}
		a.Duration = time.Duration(micros) * time.Microsecond
		listed[at[id]].History = append(listed[at[id]].History, a)
	}
	return listed, rows.Err()
}

// Replay implements delivery.Log.
func (s *Deliveries) Replay(ctx context.Context, lane delivery.Lane, id string, now time.Time) error {
	return s.InTx(ctx, func(tx database.Conn) error {
		var queue string
		err := tx.Read.QueryRowContext(ctx, `
			SELECT queue FROM deliveries WHERE id = $1 AND lane = $2`, id, string(lane)).Scan(&queue)
		if err != nil {
			return tx.Wrap(err, "Delivery")
		}
		return replay(ctx, tx, lane, queue, now, `id = $2`, id)
	})
}

// ReplayDead implements delivery.Log.
func (s *Deliveries) ReplayDead(ctx context.Context, owner string, since, now time.Time) (int, error) {
	var n int
	var dead database.Where
	dead.And(`d.lane = $1 AND d.state = 'dead' AND d.created_at_ms >= $2`,
		string(delivery.Plugins), database.Millis(since))
	if owner != "" {
		dead.And(`d.owner = $1`, owner)
	}
	err := s.InTx(ctx, func(tx database.Conn) error {
		err := tx.Read.QueryRowContext(ctx, `SELECT count(*) FROM deliveries d`+dead.String(), dead.Args()...).Scan(&n)
		if err != nil {
			return err
		}
		queues, err := database.Texts(ctx, tx.Read, `
			SELECT DISTINCT d.queue FROM deliveries d`+dead.String()+` ORDER BY d.queue`, dead.Args()...)
		if err != nil {
			return err
		}
		for _, queue := range queues {
			// Deliveries that failed since then wait for their next try, perhaps for ten hours. A
			// replay means that the plugin works again.
			_, err := tx.Write.ExecContext(ctx, `
				UPDATE deliveries SET due_ms = $1 WHERE queue = $2 AND state = 'waiting' AND due_ms > $1`,
				database.Millis(now), queue)
			if err != nil {
				return err
			}
			err = replay(ctx, tx, delivery.Plugins, queue, now,
				`queue = $2 AND state = 'dead' AND created_at_ms >= $3`, queue, database.Millis(since))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// replay makes the deliveries of a queue that meet a condition due at now. The
// placeholders of the condition begin with $2.
func replay(
	ctx context.Context, tx database.Conn, lane delivery.Lane, queue string, now time.Time, condition string, args ...any,
) error {
	// This is also the lock: the worker that serves the queue looks again before it releases it.
	var lease string
	err := tx.Write.QueryRowContext(ctx, `
		INSERT INTO delivery_queues (name, lane) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET lane = excluded.lane RETURNING lease`, queue, string(lane)).Scan(&lease)
	if err != nil {
		return err
	}
	_, err = tx.Write.ExecContext(ctx, `
		UPDATE deliveries SET state = 'waiting', tries = 0, finished_at_ms = NULL, due_ms = $1 WHERE `+condition,
		append([]any{database.Millis(now)}, args...)...)
	if err != nil || lease != "" {
		return err
	}
	tx.Announce(NewIn(lane))
	return vacate(ctx, tx, queue, now)
}

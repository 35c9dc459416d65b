package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/market/operation"
	"stoa/internal/trust/audit"
)

// Operations implements operation.Store.
type Operations struct{ audited }

var _ operation.Store = (*Operations)(nil)

// NewOperations returns the operations of db.
func NewOperations(db *database.DB) *Operations { return &Operations{audited{db.Conn()}} }

const operationColumns = `o.id, o.kind, o.market_id, o.product, o.product_name, o.tier,
	o.package_kind, o.package_slug, o.version, o.grants, o.actor, o.paid, o.handoff_id, o.checkout_url, o.expires_at_ms,
	o.sealed, o.state, o.steps, o.failure, o.attempts, o.due_ms, o.created_at_ms, o.waiting, o.ended_at_ms`

func scanOperation(row database.Scanner) (o operation.Stored, err error) {
	var grants, actor, steps, failure, waiting string
	err = row.Scan(&o.ID, &o.Kind, &o.Market, &o.Product, &o.ProductName, &o.Tier,
		&o.Package.Kind, &o.Package.Slug, &o.Package.Version,
		&grants, &actor, &o.Licensed, &o.HandoffID, &o.CheckoutURL, database.ScanMillis(&o.ExpiresAt),
		&o.Sealed, &o.State, &steps, &failure, &o.Attempts, database.ScanMillis(&o.DueAt),
		database.ScanMillis(&o.CreatedAt), &waiting, database.ScanMillis(&o.EndedAt))
	if err != nil {
		return o, err
	}
	err = errors.Join(json.Unmarshal([]byte(grants), &o.Grants), json.Unmarshal([]byte(actor), &o.Actor),
		json.Unmarshal([]byte(steps), &o.Steps))
	for text, into := range map[string]**operation.Failure{failure: &o.Failure, waiting: &o.Waiting} {
		if text != "" {
			err = errors.Join(err, json.Unmarshal([]byte(text), into))
		}
	}
	if err != nil {
		return o, fmt.Errorf("store: operation %s: %w", o.ID, err)
	}
	return o, nil
}

// operationTexts are the columns of an operation that are JSON.
type operationTexts struct{ grants, actor, steps, failure, waiting string }

func encodeOperation(o operation.Stored) (t operationTexts, err error) {
	columns := map[*string]any{&t.grants: o.Grants, &t.actor: o.Actor, &t.steps: o.Steps}
	if o.Failure != nil {
		columns[&t.failure] = o.Failure
	}
	if o.Waiting != nil {
		columns[&t.waiting] = o.Waiting
	}
	for into, value := range columns {
		text, err := json.Marshal(value)
		if err != nil {
			return t, err
		}
		*into = string(text)
	}
	return t, nil
}

// Create implements operation.Store.
func (s *Operations) Create(ctx context.Context, o operation.Stored, lease string) error {
	t, err := encodeOperation(o)
	if err != nil {
		return err
	}
	return s.InTx(ctx, func(tx database.Conn) error {
		// The lock keeps the market from being removed meanwhile (remote.Service.Remove), and a second purchase waiting.
		var market string
		err := tx.Read.QueryRowContext(ctx, `SELECT m.id FROM markets m WHERE m.id = $1`+tx.Lock("m"), o.Market).Scan(&market)
		if err != nil {
			return tx.Wrap(err, "Market")
		}
		if o.Kind == operation.Purchase {
			if _, is, err := (&Operations{audited{tx}}).Buying(ctx, o.Market, o.Product); err != nil {
				return err
			} else if is {
				return operation.ErrBuying
			}
		}
		_, err = tx.Write.ExecContext(ctx, `
			INSERT INTO market_operations (id, kind, market_id, product, product_name, tier, package_kind, package_slug, version,
				grants, actor, paid, handoff_id, checkout_url, expires_at_ms, sealed, state, steps, failure, attempts,
				due_ms, created_at_ms, lease)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
			o.ID, string(o.Kind), o.Market, o.Product, o.ProductName, o.Tier,
			string(o.Package.Kind), o.Package.Slug, o.Package.Version,
			t.grants, t.actor, o.Licensed, o.HandoffID, o.CheckoutURL, database.Millis(o.ExpiresAt),
			o.Sealed, string(o.State), t.steps, t.failure, o.Attempts,
			database.Millis(o.DueAt), database.Millis(o.CreatedAt), lease)
		return tx.Wrap(err, "Operation")
	})
}

// Buying implements operation.Store.
func (s *Operations) Buying(ctx context.Context, market, product string) (id string, ok bool, err error) {
	err = s.Read.QueryRowContext(ctx, `
		SELECT id FROM market_operations
		WHERE market_id = $1 AND product = $2 AND kind = 'purchase' AND due_ms IS NOT NULL LIMIT 1`,
		market, product).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return id, err == nil, err
}

// Bought implements operation.Store.
func (s *Operations) Bought(ctx context.Context, market, product string) (o operation.Stored, ok bool, err error) {
	o, err = scanOperation(s.Read.QueryRowContext(ctx, `SELECT `+operationColumns+` FROM market_operations o
		WHERE o.market_id = $1 AND o.product = $2 AND o.kind IN ('purchase', 'trial')
			AND o.state = 'failed' AND o.sealed <> ''
		ORDER BY o.kind, o.created_at_ms DESC, o.id LIMIT 1`, market, product))
	if errors.Is(err, sql.ErrNoRows) {
		return operation.Stored{}, false, nil
	}
	return o, err == nil, err
}

// Get implements operation.Store.
func (s *Operations) Get(ctx context.Context, id string) (operation.Stored, error) {
	o, err := scanOperation(s.Read.QueryRowContext(ctx,
		`SELECT `+operationColumns+` FROM market_operations o WHERE o.id = $1`, id))
	return o, s.Wrap(err, "Operation")
}

// List implements operation.Store.
func (s *Operations) List(ctx context.Context, limit, offset int) (list []operation.Stored, total int, err error) {
	err = s.InSnapshot(ctx, func(c database.Conn) error {
		if err := c.Read.QueryRowContext(ctx, `SELECT count(*) FROM market_operations`).Scan(&total); err != nil {
			return err
		}
		list, err = database.All(ctx, c.Read, scanOperation, `SELECT `+operationColumns+` FROM market_operations o
			ORDER BY o.created_at_ms DESC, o.id DESC LIMIT $1 OFFSET $2`, limit, offset)
		return err
	})
	return list, total, err
}

// farAhead is what nobody sets: a time that is further ahead was written while a clock was.
const farAhead = 5 * time.Minute

// Lease implements operation.Store.
func (s *Operations) Lease(
	ctx context.Context, lease string, now, until time.Time,
) (o operation.Stored, ok bool, err error) {
	// Usually nothing is due. This query finds that out without a transaction.
	err = s.Read.QueryRowContext(ctx, `SELECT id FROM market_operations WHERE due_ms <= $1 OR due_ms > $2 LIMIT 1`,
		database.Millis(now), database.Millis(now.Add(farAhead))).Scan(&o.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return operation.Stored{}, false, nil
	} else if err != nil {
		return operation.Stored{}, false, err
	}
	err = s.InShortTx(ctx, func(tx database.Conn) error {
		// The first replica to get here locks the operation; others skip it and take the next.
		// Two of one market at a time, or nearly so: a slow market is not to take every worker.
		o, err = scanOperation(tx.Read.QueryRowContext(ctx, `SELECT `+operationColumns+` FROM market_operations o
			WHERE (o.due_ms <= $1 OR o.due_ms > $2) AND (
				SELECT count(*) FROM market_operations b
				WHERE b.market_id = o.market_id AND b.lease <> '' AND b.due_ms > $1 AND b.due_ms <= $2) < 2
			ORDER BY o.due_ms, o.id LIMIT 1`+tx.LockFree("o"), database.Millis(now), database.Millis(now.Add(farAhead))))
		if err != nil {
			return err
		}
		_, err = tx.Write.ExecContext(ctx, `UPDATE market_operations SET lease = $1, due_ms = $2 WHERE id = $3`,
			lease, database.Millis(until), o.ID)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) { // another replica was faster
		return operation.Stored{}, false, nil
	}
	return o, err == nil, err
}

// Renew implements operation.Store.
func (s *Operations) Renew(ctx context.Context, id, lease string, until time.Time) (bool, error) {
	res, err := s.Write.ExecContext(ctx,
		`UPDATE market_operations SET due_ms = $1 WHERE id = $2 AND lease = $3 AND due_ms IS NOT NULL`,
		database.Millis(until), id, lease)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Keep implements operation.Store.
func (s *Operations) Keep(
	ctx context.Context, o operation.Stored, lease string, goesOn bool, entries ...audit.Entry,
) error {
	t, err := encodeOperation(o)
	if err != nil {
		return err
	}
	next := ""
	if goesOn {
		next = lease
	}
	return s.InTx(ctx, func(tx database.Conn) error {
		res, err := tx.Write.ExecContext(ctx, `
			UPDATE market_operations SET sealed = $1, state = $2, steps = $3, failure = $4, attempts = $5,
				due_ms = $6, lease = $7, expires_at_ms = $8, waiting = $9, ended_at_ms = $10
			WHERE id = $11 AND lease = $12`,
			o.Sealed, string(o.State), t.steps, t.failure, o.Attempts, database.Millis(o.DueAt), next,
			database.Millis(o.ExpiresAt), t.waiting, database.Millis(o.EndedAt), o.ID, lease)
		if err := database.Affected(res, err, "Operation"); err != nil {
			return err
		}
		for _, e := range entries {
			if err := (audited{tx}).Record(ctx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// Next implements operation.Store.
func (s *Operations) Next(ctx context.Context) (at time.Time, ok bool, err error) {
	err = s.Read.QueryRowContext(ctx, `SELECT min(due_ms) FROM market_operations WHERE due_ms IS NOT NULL`).
		Scan(database.ScanMillis(&at))
	return at, !at.IsZero(), err
}

// Take implements operation.Store.
func (s *Operations) Take(
	ctx context.Context, id, lease string, now, until time.Time,
) (o operation.Stored, ok bool, err error) {
	err = s.InShortTx(ctx, func(tx database.Conn) error {
		res, err := tx.Write.ExecContext(ctx, `
			UPDATE market_operations SET lease = $1, due_ms = $2
			WHERE id = $3 AND (lease = '' AND due_ms IS NOT NULL OR due_ms <= $4 OR due_ms > $5)`,
			lease, database.Millis(until), id, database.Millis(now), database.Millis(now.Add(farAhead)))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		o, err = (&Operations{audited{tx}}).Get(ctx, id)
		ok = err == nil
		return err
	})
	return o, ok, err
}

// Sweep implements operation.Store.
func (s *Operations) Sweep(ctx context.Context, until time.Time) error {
	_, err := s.Write.ExecContext(ctx, `
		DELETE FROM market_operations WHERE due_ms IS NULL AND COALESCE(ended_at_ms, created_at_ms) < $1`,
		database.Millis(until))
	return err
}

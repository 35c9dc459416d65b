package store

import (
	"context"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/data/duty"
)

// Duties stores the leases of duties. It uses the clock of the database.
type Duties struct{ database.Conn }

var _ duty.Store = (*Duties)(nil)

// NewDuties returns the duties of db.
func NewDuties(db *database.DB) *Duties { return &Duties{db.Conn()} }

// Acquire implements duty.Store.
func (s *Duties) Acquire(ctx context.Context, name, holder string, lease time.Duration) (bool, error) {
	result, err := s.Write.ExecContext(ctx, `
		INSERT INTO duties AS d (name, holder, until_ms) VALUES ($1, $2, `+s.Clock()+` + $3)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
		WHERE d.holder = excluded.holder OR d.until_ms <= `+s.Clock(), name, holder, lease.Milliseconds())
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// Release implements duty.Store.
func (s *Duties) Release(ctx context.Context, name, holder string) error {
	_, err := s.Write.ExecContext(ctx, `DELETE FROM duties WHERE name = $1 AND holder = $2`, name, holder)
	return err
}

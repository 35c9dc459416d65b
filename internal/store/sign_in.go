package store

import (
	"context"
	"fmt"

	"stoa/internal/data/database"
	"stoa/internal/operate/signin"
)

// SignIn implements signin.Store.
type SignIn struct{ audited }

var _ signin.Store = (*SignIn)(nil)

// NewSignIn returns the settings about sign-in in db.
func NewSignIn(db *database.DB) *SignIn { return &SignIn{audited{db.Conn()}} }

// InTx implements signin.Store.
func (s *SignIn) InTx(ctx context.Context, fn func(signin.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&SignIn{audited{tx}}) })
}

// signInState is signin.Stored.State of a row r.
const signInState = `r.version || '@' || COALESCE(r.updated_at_ms, 0)`

// SignIn implements signin.Store.
func (s *SignIn) SignIn(ctx context.Context) (set signin.Stored, err error) {
	var values string
	err = s.Read.QueryRowContext(ctx, `
		SELECT s.values_json, s.version, s.updated_at_ms FROM sign_in_settings s WHERE s.id = 1`+s.Lock("s"),
	).Scan(&values, &set.Version, database.ScanMillis(&set.UpdatedAt))
	if err != nil {
		return set, err
	}
	if err := set.Read([]byte(values)); err != nil {
		return set, fmt.Errorf("store: settings about sign-in: %w", err)
	}
	return set, nil
}

// PutSignIn implements signin.Store. A trigger leaves the row.
func (s *SignIn) PutSignIn(ctx context.Context, set signin.Stored) error {
	values, err := set.Text()
	if err != nil {
		return fmt.Errorf("store: settings about sign-in: %w", err)
	}
	res, err := s.Write.ExecContext(ctx, `
		UPDATE sign_in_settings SET values_json = $1, version = $2, updated_at_ms = $3 WHERE id = 1`,
		string(values), set.Version, database.Millis(set.UpdatedAt))
	return database.Affected(res, err, "Settings")
}

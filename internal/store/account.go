package store

import (
	"context"

	"stoa/internal/account"
	"stoa/internal/data/database"
)

// Account implements account.Store.
type Account struct{ audited }

var _ account.Store = (*Account)(nil)

// NewAccount returns the users of db, their sessions and their resets.
func NewAccount(db *database.DB) *Account { return &Account{audited{db.Conn()}} }

// InTx implements account.Store.
func (a *Account) InTx(ctx context.Context, fn func(account.Store) error) error {
	return a.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Account{audited{tx}}) })
}

// InShortTx implements account.Store.
func (a *Account) InShortTx(ctx context.Context, fn func(account.Store) error) error {
	return a.Conn.InShortTx(ctx, func(tx database.Conn) error { return fn(&Account{audited{tx}}) })
}

package store

import (
	"context"
	"sync/atomic"

	"stoa/internal/account"
	"stoa/internal/data/database"
)

// Account implements account.Store.
type Account struct {
	audited

	ends *ends
}

var _ account.Store = (*Account)(nil)

// NewAccount returns the users of db, their sessions and their resets.
func NewAccount(db *database.DB) *Account { return &Account{audited{db.Conn()}, new(ends)} }

// InTx implements account.Store.
func (a *Account) InTx(ctx context.Context, fn func(account.Store) error) error {
	return a.settled(ctx, a.Conn.InTx, func(tx *Account) error { return fn(tx) })
}

// InShortTx implements account.Store.
func (a *Account) InShortTx(ctx context.Context, fn func(account.Store) error) error {
	return a.settled(ctx, a.Conn.InShortTx, func(tx *Account) error { return fn(tx) })
}

// OnEnd has settle called after each transaction and each statement that ended sessions or changed
// users, before the method that did it returns. There is one such function. To be called before
// anything changes.
func (a *Account) OnEnd(settle func(ctx context.Context)) { a.ends.settle = settle }

// ends is who is called when sessions have ended. Those of transactions only note that it is due.
type ends struct {
	settle func(ctx context.Context) // nil: nobody
	due    atomic.Bool
}

// Settle implements account.Users. Each statement that may have ended a session or changed a user calls it.
func (a *Account) Settle(ctx context.Context) {
	switch {
	case a.InTransaction():
		a.ends.due.Store(true)
	case a.ends.settle != nil:
		a.ends.settle(ctx)
	}
}

// settled runs fn in a transaction. Also after an error: a commit whose answer was lost may have
// happened.
func (a *Account) settled(
	ctx context.Context, inTx func(context.Context, func(database.Conn) error) error, fn func(*Account) error,
) error {
	var within ends
	err := inTx(ctx, func(tx database.Conn) error { return fn(&Account{audited{tx}, &within}) })
	if within.due.Load() {
		a.Settle(ctx)
	}
	return err
}

package main

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/token"
	"stoa/internal/base/ids"
	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/trust/keyring"
	"stoa/internal/trust/masterkey"
)

// sessions is how many sessions are refreshed in turns. With few, each would be
// refreshed several times a second: something the platform refuses, and whose
// rows, with all the tokens in their grace, no real one has.
const sessions = 10_000

// openSessions opens sessions of the user behind stoa's back: signing in as often
// takes minutes of hashing.
func (b *bench) openSessions(ctx context.Context, data string) (err error) {
	key, err := masterkey.Load("", data)
	if err != nil {
		return err
	}
	db, err := database.Open(filepath.Join(data, "stoa.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	accounts := store.NewAccount(db)
	ring := &keyring.Ring{
		Store:   store.NewKeyring(db),
		Purpose: account.KeyPurpose,
		Box:     key.Box(account.KeyPurpose.Box()),
		Now:     time.Now,
	}
	signer, err := ring.Signer(ctx)
	if err != nil {
		return err
	}
	user, err := accounts.UserByEmail(ctx, account.Key(email))
	if err != nil {
		return err
	}
	return accounts.InTx(ctx, func(tx account.Store) error {
		now := time.Now().UTC().Truncate(time.Second)
		for range sessions {
			s := account.Session{
				ID:        ids.New(),
				UserID:    user.ID,
				CreatedAt: now,
				Refresh:   account.Refresh{ID: ids.New(), KeyID: signer.ID, IssuedAt: now},
			}
			if err := tx.CreateSession(ctx, s); err != nil {
				return err
			}
			raw, err := token.Sign(signer, token.Refresh, token.Claims{
				UserID: user.ID, SessionID: s.ID, ID: s.Refresh.ID, IssuedAt: now, ExpiresAt: s.ExpiresAt(),
			})
			if err != nil {
				return err
			}
			b.refresh <- raw
		}
		return nil
	})
}

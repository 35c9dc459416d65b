package apikey

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// Accounts returns all service accounts, by name.
func (s *Keys) Accounts(ctx context.Context) ([]Account, error) {
	return s.Store.ServiceAccounts(ctx, s.Now())
}

// CreateAccount makes a service account. The error is VALIDATION_ERROR or ErrNameTaken.
func (s *Keys) CreateAccount(ctx context.Context, by reqctx.Caller, in Name) (Account, error) {
	if err := in.Issues().Err(); err != nil {
		return Account{}, err
	}
	made := Account{ID: newAccountID(), Name: in.Name, CreatedBy: creator(by), CreatedAt: s.Now()}
	err := s.Store.InTx(ctx, func(tx Store) error {
		if err := tx.CreateAccount(ctx, made); err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, audit.ServiceAccountCreate, made)
	})
	if errs.KindOf(err) == errs.Conflict {
		return Account{}, ErrNameTaken
	}
	return made, err
}

func (s *Keys) recordAccount(ctx context.Context, tx Store, action audit.Action, a Account) error {
	target := audit.Target{Type: "service_account", ID: a.ID}
	return tx.Record(ctx, audit.New(ctx, s.Now(), action, target, audit.Details{"name": a.Name}))
}

// account returns a service account, locked, or ErrNoAccount.
func account(ctx context.Context, tx Store, id string) (Account, error) {
	a, err := tx.ServiceAccount(ctx, id)
	return a, errs.Missing(err, ErrNoAccount)
}

// DeleteAccount deletes a service account and ends its keys, for an administrator whose own rights include those of the
// keys. It returns ErrNoAccount, and FORBIDDEN.
func (s *Keys) DeleteAccount(ctx context.Context, rights permission.Set, id string) error {
	return s.ending(ctx, func(tx Store) error {
		a, err := account(ctx, tx, id)
		if err != nil {
			return err
		}
		keys, err := tx.KeysOf(ctx, "", id)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if err := s.notAbove(rights, k); err != nil {
				return err
			}
		}
		if err := tx.DeleteAccount(ctx, id); err != nil {
			return err
		}
		return s.recordAccount(ctx, tx, audit.ServiceAccountDelete, a)
	})
}

// notAbove refuses to act on a service account's key that may do more than rights, as long as it may do anything.
func (s *Keys) notAbove(rights permission.Set, k Key) error {
	if name := rights.Lacks(k.Scopes.Rights.And(k.Ceiling)); name != "" && k.live(s.Now()) {
		return errAbove.With("permission", name)
	}
	return nil
}

// KeysOf returns the keys of a service account, the newest first, or ErrNoAccount.
func (s *Keys) KeysOf(ctx context.Context, accountID string) ([]Key, error) {
	if _, err := account(ctx, s.Store, accountID); err != nil {
		return nil, err
	}
	return s.Store.KeysOf(ctx, "", accountID)
}

// Create makes a key of a service account. The error is VALIDATION_ERROR, ErrNoAccount, SCOPE_NOT_HELD, TOO_MANY, or
// FORBIDDEN for a key without end if by is no administrator.
func (s *Keys) Create(ctx context.Context, by reqctx.Caller, accountID string, in Form) (made Made, err error) {
	if err := in.Issues(Service, s.Now()).Err(); err != nil {
		return Made{}, err
	}
	if _, never, _ := in.end(s.Now()); never && !by.IsAdmin() {
		return Made{}, errEndlessKey
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		if _, err := account(ctx, tx, accountID); err != nil {
			return err
		}
		made = s.make(in, Key{AccountID: accountID, Creator: creator(by), Ceiling: by.Rights})
		return s.add(ctx, tx, made.Key)
	})
	return made, err
}

// Rename renames a key of a service account, for an administrator whose own rights include the key's. The error is
// VALIDATION_ERROR, ErrNoKey or FORBIDDEN.
func (s *Keys) Rename(ctx context.Context, rights permission.Set, accountID, id string, in Name) (k Key, err error) {
	if err := in.Issues().Err(); err != nil {
		return Key{}, err
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		if k, err = s.mine(ctx, tx, "", accountID, id); err != nil {
			return err
		}
		if err := s.notAbove(rights, k); err != nil {
			return err
		}
		k.Name = in.Name
		return noKey(tx.RenameKey(ctx, id, in.Name))
	})
	return k, err
}

// RevokeOf ends a key of a service account, for an administrator whose own rights include the key's. The error is
// ErrNoKey or FORBIDDEN.
func (s *Keys) RevokeOf(ctx context.Context, rights permission.Set, accountID, id string) error {
	return s.ending(ctx, func(tx Store) error {
		k, err := s.mine(ctx, tx, "", accountID, id)
		if err != nil {
			return err
		}
		if err := s.notAbove(rights, k); err != nil {
			return err
		}
		return s.revoke(ctx, tx, k)
	})
}

// Rotate gives a key of a service account another secret, and makes whoever asks its creator: they need each of its
// scopes. The error is ErrNoKey, SCOPE_NOT_HELD or ErrReplaced; FORBIDDEN for an endless key if by is no administrator.
func (s *Keys) Rotate(ctx context.Context, by reqctx.Caller, accountID, id string) (made Made, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		if _, err := account(ctx, tx, accountID); err != nil {
			return noKey(err)
		}
		if made.Key, err = s.mine(ctx, tx, "", accountID, id); err != nil {
			return err
		}
		switch {
		case !made.live(s.Now()):
			return ErrNoKey
		case made.ExpiresAt.IsZero() && !by.IsAdmin():
			return errEndlessKey
		}
		if err := notHeld(by.Rights, made.Scopes); err != nil {
			return err
		}
		made.Creator, made.Ceiling = creator(by), by.Rights
		if made.Secret, err = s.replace(ctx, tx, &made.Key); err != nil {
			return err
		}
		return s.record(ctx, tx, audit.KeyRotate, made.Key, nil)
	})
	return made, err
}

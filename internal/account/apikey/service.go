package apikey

import (
	"context"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// Keys makes keys and ends them. Its fields are required unless they say otherwise; it is safe for concurrent use.
type Keys struct {
	Store Store
	Now   func() time.Time
	// Outbox sends mail. nil: nobody is told by mail, and nobody has to prove a mailbox.
	Outbox mail.Recorder
}

// The refusals of this package.
var (
	ErrNoKey      = errs.New(errs.NotFound, "NOT_FOUND", "There is no such key.")
	ErrNoAccount  = errs.New(errs.NotFound, "NOT_FOUND", "There is no such service account.")
	ErrManyKeys   = errs.New(errs.Conflict, "TOO_MANY", "There are 25 keys. Revoke one first.")
	ErrReplaced   = errs.New(errs.Conflict, "CONFLICT", "The key's secret was replaced a moment ago.")
	ErrNameTaken  = errs.New(errs.Conflict, "CONFLICT", "There is a service account with this name.")
	ErrUnproven   = errs.New(errs.Forbidden, "EMAIL_UNVERIFIED", "Confirm your e-mail address first.")
	errNotHeld    = errs.New(errs.Forbidden, "SCOPE_NOT_HELD", "Nobody gives a key a permission that they lack.")
	errAbove      = errs.New(errs.Forbidden, "FORBIDDEN", "This key may do something that your role does not allow.")
	errSignedOut  = errs.New(errs.Unauthenticated, "UNAUTHORIZED", "The session has ended. Sign in again.")
	errUserGone   = errs.New(errs.NotFound, "USER_NOT_FOUND", "This user does not exist.")
	errEndlessKey = errs.New(errs.Forbidden, "FORBIDDEN", "Only administrators make keys that do not expire.")
)

// Made is a key with its secret, which is shown this once.
type Made struct {
	Key
	Secret string
}

// make returns a key as a form asks for it, for an owner who is filled in.
func (s *Keys) make(in Form, k Key) Made {
	now := s.Now().UTC().Truncate(time.Millisecond)
	end, _, _ := in.end(now)
	k.ID, k.Name, k.Scopes, k.CreatedAt, k.ExpiresAt = NewID(), in.Name, scopesOf(in.Scopes), now, end
	secret := newSecret(k.Kind(), k.ID)
	k.Hash = hash(secret)
	return Made{k, secret}
}

// notHeld returns SCOPE_NOT_HELD if rights lack one of the scopes.
func notHeld(rights permission.Set, scopes Scopes) error {
	if name := rights.Lacks(scopes.Rights); name != "" {
		return errNotHeld.With("permission", name)
	}
	return nil
}

// room returns TOO_MANY if there are as many live keys as there may be.
func (s *Keys) room(keys []Key) error {
	now := s.Now()
	keys = slices.DeleteFunc(keys, func(k Key) bool { return !k.live(now) })
	if len(keys) >= MaxKeys {
		return ErrManyKeys
	}
	return nil
}

// replace gives k another secret. The former works for a day more, and no longer than it would have.
func (s *Keys) replace(ctx context.Context, tx Store, k *Key) (secret string, err error) {
	now, before := s.Now().UTC().Truncate(time.Millisecond), k.Hash
	if !k.RenewedAt.IsZero() && now.Before(k.RenewedAt.Add(pause)) {
		return "", ErrReplaced
	}
	secret = newSecret(k.Kind(), k.ID)
	until, since := now.Add(overlap), k.SecretSince()
	if end := k.ExpiresAt; !end.IsZero() {
		if end.Before(until) {
			until = end
		}
		k.ExpiresAt = now.Add(end.Sub(since))
	}
	k.Previous, k.PreviousUntil, k.Hash, k.RenewedAt = before, until, hash(secret), now
	err = tx.ReplaceSecret(ctx, *k, before)
	if errs.KindOf(err) == errs.NotFound {
		return "", ErrReplaced
	}
	return secret, err
}

// record adds an entry about a key to the audit log.
func (s *Keys) record(ctx context.Context, tx Store, action audit.Action, k Key, more audit.Details) error {
	details := audit.Details{"name": k.Name}
	if k.UserID != "" {
		details["userId"] = k.UserID
	} else {
		details["serviceAccountId"] = k.AccountID
	}
	for name, value := range more {
		details[name] = value
	}
	return tx.Record(ctx, audit.New(ctx, s.Now(), action, audit.Target{Type: "apikey", ID: k.ID}, details))
}

// creator names whoever makes a key.
func creator(who reqctx.Caller) string {
	if who.Service != "" {
		return "service:" + who.Service
	}
	return who.UserID
}

// noKey returns ErrNoKey in place of an errs.NotFound error.
func noKey(err error) error { return errs.Missing(err, ErrNoKey) }

// List returns one page of all keys that have not been revoked, and how many there are.
func (s *Keys) List(ctx context.Context, q Query) ([]Listed, int, error) {
	return s.Store.ListKeys(ctx, q)
}

// Get returns a key as administrators see it, or ErrNoKey.
func (s *Keys) Get(ctx context.Context, id string) (Listed, error) {
	if !IsID(id) {
		return Listed{}, ErrNoKey
	}
	k, err := s.Store.ListedKey(ctx, id)
	return k, noKey(err)
}

// Revoke ends any key for an administrator whose own rights include the key's. It returns ErrNoKey, and FORBIDDEN for a
// key that may do more.
func (s *Keys) Revoke(ctx context.Context, rights permission.Set, id string) error {
	if !IsID(id) {
		return ErrNoKey
	}
	return s.ending(ctx, func(tx Store) error {
		found, err := tx.ListedKey(ctx, id)
		if err != nil {
			return noKey(err)
		}
		k := found.Key
		above := found.Rights // of the user, who may not be somebody above
		if k.Kind() == Service {
			above = k.Scopes.Rights.And(k.Ceiling)
		}
		if name := rights.Lacks(above); name != "" {
			return errAbove.With("permission", name)
		}
		return s.revoke(ctx, tx, k)
	})
}

// ending runs fn, which ends keys, in a transaction, and waits for all processes, also if fn finds them ended.
func (s *Keys) ending(ctx context.Context, fn func(tx Store) error) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		tx.Settle(ctx)
		return fn(tx)
	})
}

func (s *Keys) revoke(ctx context.Context, tx Store, k Key) error {
	if err := tx.RevokeKey(ctx, k.ID, s.Now()); err != nil {
		return noKey(err)
	}
	return s.record(ctx, tx, audit.KeyRevoke, k, nil)
}

// BeyondCreator reports whether a key of a service account may do what its creator no longer may.
func (l Listed) BeyondCreator() bool {
	return l.Kind() == Service && l.Rights.Lacks(l.Scopes.Rights.And(l.Ceiling)) != ""
}

func newAccountID() string { return ids.New() }

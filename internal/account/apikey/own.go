package apikey

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/trust/audit"
)

// Mine returns the keys of a user that have not been revoked, the newest first.
func (s *Keys) Mine(ctx context.Context, userID string) ([]Key, error) {
	return s.Store.KeysOf(ctx, userID, "")
}

// CreateMine makes a personal key for a user in a session, and tells the user by mail. The error is VALIDATION_ERROR,
// EMAIL_UNVERIFIED, SCOPE_NOT_HELD or TOO_MANY, and UNAUTHORIZED once the session has ended: a key outlives what ends
// all sessions and keys, such as a new password, so none may be made by somebody whom that has signed out.
func (s *Keys) CreateMine(ctx context.Context, userID, sessionID string, in Form) (made Made, err error) {
	if err := in.Issues(Personal, s.Now()).Err(); err != nil {
		return Made{}, err
	}
	err = s.inTxWithMail(ctx, func(tx Store, post func(o Owner, replaced bool) error) error {
		owner, err := s.owner(ctx, tx, userID)
		if err != nil {
			return err
		}
		if err := inSession(ctx, tx, sessionID); err != nil {
			return err
		}
		made = s.make(in, Key{UserID: userID, Creator: userID, Ceiling: owner.Rights})
		if err := s.add(ctx, tx, made.Key); err != nil {
			return err
		}
		return post(owner, false)
	})
	return made, err
}

// inSession returns UNAUTHORIZED once a session has ended, whose user is locked.
func inSession(ctx context.Context, tx Store, sessionID string) error {
	return errs.Missing(tx.InSession(ctx, sessionID), errSignedOut)
}

// add stores a new key, if its scopes are held by whoever makes it and there is room beside the others of its owner.
func (s *Keys) add(ctx context.Context, tx Store, k Key) error {
	if err := notHeld(k.Ceiling, k.Scopes); err != nil {
		return err
	}
	keys, err := tx.KeysOf(ctx, k.UserID, k.AccountID)
	if err != nil {
		return err
	}
	if err := s.room(keys); err != nil {
		return err
	}
	if err := tx.CreateKey(ctx, k); err != nil {
		return err
	}
	return s.record(ctx, tx, audit.KeyCreate, k, audit.Details{"scopes": k.Scopes.String()})
}

// owner returns a user, locked, who may have keys.
func (s *Keys) owner(ctx context.Context, tx Store, userID string) (Owner, error) {
	owner, err := tx.Owner(ctx, userID, s.Now())
	switch {
	case err != nil:
		return Owner{}, errs.Missing(err, errUserGone)
	case !owner.Active:
		return Owner{}, errUserGone
	case !owner.Proven && s.Outbox != nil: // somebody else may have made the account with the address
		return Owner{}, ErrUnproven
	}
	return owner, nil
}

// mine returns a key of a user that has not ended, locked, or ErrNoKey.
func (s *Keys) mine(ctx context.Context, tx Store, userID, accountID, id string) (Key, error) {
	if !IsID(id) {
		return Key{}, ErrNoKey
	}
	k, err := tx.Key(ctx, id)
	if err != nil {
		return Key{}, noKey(err)
	}
	if k.UserID != userID || k.AccountID != accountID || !k.RevokedAt.IsZero() {
		return Key{}, ErrNoKey
	}
	return k, nil
}

// RenameMine renames a key of a user. The error is VALIDATION_ERROR or ErrNoKey.
func (s *Keys) RenameMine(ctx context.Context, userID, id string, in Name) (k Key, err error) {
	if err := in.Issues().Err(); err != nil {
		return Key{}, err
	}
	err = s.Store.InTx(ctx, func(tx Store) error {
		if k, err = s.mine(ctx, tx, userID, "", id); err != nil {
			return err
		}
		k.Name = in.Name
		return noKey(tx.RenameKey(ctx, id, in.Name))
	})
	return k, err
}

// RevokeMine ends a key of a user, or returns ErrNoKey.
func (s *Keys) RevokeMine(ctx context.Context, userID, id string) error {
	return s.ending(ctx, func(tx Store) error {
		k, err := s.mine(ctx, tx, userID, "", id)
		if err != nil {
			return err
		}
		return s.revoke(ctx, tx, k)
	})
}

// RotateMine gives a key of a user in a session another secret, and tells the user by mail. The error is
// EMAIL_UNVERIFIED, ErrNoKey or ErrReplaced, and UNAUTHORIZED once the session has ended.
func (s *Keys) RotateMine(ctx context.Context, userID, sessionID, id string) (made Made, err error) {
	err = s.inTxWithMail(ctx, func(tx Store, post func(o Owner, replaced bool) error) error {
		owner, err := s.owner(ctx, tx, userID)
		if err != nil {
			return err
		}
		if err := inSession(ctx, tx, sessionID); err != nil {
			return err
		}
		if made.Key, err = s.mine(ctx, tx, userID, "", id); err != nil {
			return err
		}
		if !made.live(s.Now()) {
			return ErrNoKey
		}
		if made.Secret, err = s.replace(ctx, tx, &made.Key); err != nil {
			return err
		}
		if err := s.record(ctx, tx, audit.KeyRotate, made.Key, nil); err != nil {
			return err
		}
		return post(owner, true)
	})
	return made, err
}

// inTxWithMail is Store.InTx for what a user hears of by mail. No limit of mails holds: whoever makes a key must not be
// able to keep it quiet.
func (s *Keys) inTxWithMail(
	ctx context.Context, fn func(tx Store, post func(o Owner, replaced bool) error) error,
) error {
	return mail.InTx(ctx, s.Outbox, s.Store.InTx, func(tx Store, post func(mail.Message) error) error {
		return fn(tx, func(owner Owner, replaced bool) error {
			for _, to := range append([]string{owner.Email}, owner.Former...) {
				if err := post(letter(ctx, owner, to, replaced, s.Now())); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// letter tells what happened to a key: it was made, or its secret replaced. It names none of the words that whoever did
// it chose.
func letter(ctx context.Context, owner Owner, to string, replaced bool, at time.Time) mail.Message {
	values := map[string]string{template.Email: owner.Email, template.At: template.Moment(at)}
	if replaced {
		values[template.Replaced] = template.Yes
	}
	if to != owner.Email {
		values[template.Former] = template.Yes
	}
	return template.APIKey.Message(to, reqctx.LanguageFor(ctx, owner.ID, owner.Language), values)
}

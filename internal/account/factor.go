package account

import (
	"context"
	"time"

	"stoa/internal/base/errs"
)

// TOTP is a user's app for one-time codes (package totp). There is at most one.
type TOTP struct {
	UserID string
	// Sealed is the secret, sealed with the master key for TOTPPurpose and bound to the user.
	Sealed    string
	CreatedAt time.Time
	// ConfirmedAt is when the user typed a first right code; zero: not yet. Until then it is not asked for.
	ConfirmedAt time.Time
	// LastStep is the period of the last code that worked. Neither it nor an older one works again.
	LastStep int64
	Failures Failures
}

// on reports whether the app is asked for at sign-in.
func (t TOTP) on() bool { return !t.ConfirmedAt.IsZero() }

// Failures counts the wrong codes of an account.
type Failures struct {
	Count int
	Since time.Time // the first; zero for none
	// PausedUntil is when codes of the app are looked at again.
	PausedUntil time.Time
}

// How many wrong codes an account may have.
const (
	maxFailures   = 20 // in failureWindow; then, and after each further one, codes of the app pause
	failureWindow = 24 * time.Hour
	failurePause  = time.Hour
)

// paused reports whether codes of the app are not looked at.
func (f Failures) paused(now time.Time) bool { return now.Before(f.PausedUntil) }

// add returns f after one more wrong code. Nothing but time lowers the count: neither a right password nor a
// right code is a reason to let somebody guess anew.
func (f Failures) add(now time.Time) Failures {
	if f.Since.IsZero() || !now.Before(f.Since.Add(failureWindow)) {
		f = Failures{Since: now}
	}
	if f.Count++; f.Count >= maxFailures {
		f.PausedUntil = now.Add(failurePause)
	}
	return f
}

// TOTPPurpose is the purpose for which secrets of apps are sealed.
const TOTPPurpose = "account.totp"

// SecondFactors are what an account is asked for after the password.
type SecondFactors struct {
	TOTP bool // it is on
	// Passkeys is how many there are that browsers prove at the platform's host name, and Foreign how many were made for
	// another: they are factors, too, and no way in.
	Passkeys, Foreign int
	// RecoveryCodes is how many are left. They stand in for a factor, and are none.
	RecoveryCodes int
}

// Any reports whether the account has a second factor.
func (f SecondFactors) Any() bool { return f.TOTP || f.Passkeys+f.Foreign > 0 }

// methods are the names of the ways to give the second factor.
func (f SecondFactors) methods() []string {
	all := []string{}
	if f.Passkeys > 0 {
		all = append(all, MethodPasskey)
	}
	if f.TOTP {
		all = append(all, MethodTOTP)
	}
	if f.RecoveryCodes > 0 {
		all = append(all, MethodRecovery)
	}
	return all
}

// factorsOf returns what a user has.
func (s *Service) factorsOf(ctx context.Context, st Store, userID string) (SecondFactors, error) {
	return st.SecondFactors(ctx, userID, s.partyID())
}

// The ways to give a second factor, as requests name them.
const (
	MethodTOTP     = "totp"
	MethodRecovery = "recovery"
	MethodPasskey  = "passkey"
)

// withFactors runs change on a user who is locked, and the second factors of that user. What it posts is mailed. The
// error is ErrNoUser, ErrToken for a session of the user that has ended, or that of change. sessionID is empty for
// whoever acts from outside of the account.
func (s *Service) withFactors(
	ctx context.Context, userID, sessionID string,
	change func(tx Store, post poster, c Credentials, f SecondFactors) error,
) error {
	return s.inTxWithMail(ctx, func(tx Store, post poster) error {
		return s.changeFactors(ctx, tx, post, userID, sessionID, change)
	})
}

// withoutSome is withFactors for a change that takes one away, or a password: it waits for all processes, also if there
// is nothing to take away any more (Users.Settle).
func (s *Service) withoutSome(
	ctx context.Context, userID, sessionID string,
	change func(tx Store, post poster, c Credentials, f SecondFactors) error,
) error {
	return s.inTxWithMail(ctx, func(tx Store, post poster) error {
		tx.Settle(ctx)
		return s.changeFactors(ctx, tx, post, userID, sessionID, change)
	})
}

// changeFactors is withFactors in a transaction.
func (s *Service) changeFactors(
	ctx context.Context, tx Store, post poster, userID, sessionID string,
	change func(tx Store, post poster, c Credentials, f SecondFactors) error,
) error {
	c, err := tx.User(ctx, userID) // before its factors: see Store
	if err != nil {
		return noUser(err)
	}
	if sessionID != "" {
		if err := s.stillIn(ctx, tx, sessionID); err != nil {
			return err
		}
	}
	f, err := s.factorsOf(ctx, tx, userID)
	if err != nil {
		return err
	}
	return change(tx, post, c, f)
}

// Factors is the part of Store about second factors. Those that write are for a user who is locked.
type Factors interface {
	// SecondFactors returns what a user has, with one query. Passkeys for partyID are no Foreign ones. Somebody unknown
	// has none.
	SecondFactors(ctx context.Context, userID, partyID string) (SecondFactors, error)

	// TOTP returns the user's app, confirmed or not, or an errs.NotFound error.
	TOTP(ctx context.Context, userID string) (TOTP, error)

	// PutTOTP stores the secret of an app that is not confirmed, in place of another that is not. It
	// keeps Failures. The error is an errs.Conflict if the user has one that is confirmed.
	PutTOTP(ctx context.Context, t TOTP) error

	// ConfirmTOTP switches an app on. The error is an errs.NotFound unless the user has one that is not.
	ConfirmTOTP(ctx context.Context, userID string, at time.Time) error

	// RaiseStep stores LastStep. The error is an errs.NotFound unless it rises; of several callers
	// with the same step one succeeds.
	RaiseStep(ctx context.Context, userID string, step int64) error

	// SetFailures stores Failures. Having no app is not an error.
	SetFailures(ctx context.Context, userID string, f Failures) error

	// DeleteTOTP deletes the user's app. Having none is not an error.
	DeleteTOTP(ctx context.Context, userID string) error

	// PutRecoveryCodes stores the hashes of new codes in place of all others of the user.
	PutRecoveryCodes(ctx context.Context, userID string, hashes []string, at time.Time) error

	// UseRecoveryCode notes when a code of the user was used. The error is an errs.NotFound if it is
	// none, or was used; of several callers that use it, one succeeds.
	UseRecoveryCode(ctx context.Context, userID, hash string, at time.Time) error

	// DeleteRecoveryCodes deletes the user's codes, used ones too; DeleteRecoveryCodesSince those that
	// were made then or later.
	DeleteRecoveryCodes(ctx context.Context, userID string) error
	DeleteRecoveryCodesSince(ctx context.Context, userID string, since time.Time) error
}

var (
	// ErrCode is returned for every wrong code, and for a second step that can no longer be done. With the
	// detail attemptsLeft it is the former.
	ErrCode = errs.New(errs.Unauthenticated, "SECOND_FACTOR_FAILED", "The code is wrong, or the sign-in took too long.")

	// ErrSecondFactor is returned for a right password of an account that asks for a second step. Its
	// details are for that step.
	ErrSecondFactor = errs.New(errs.Unauthenticated, "SECOND_FACTOR_REQUIRED", "This account asks for a second step.")

	// ErrUnproven is returned where only an account whose address is proven may add a way in.
	ErrUnproven = errs.New(errs.Forbidden, "EMAIL_UNVERIFIED", "Confirm your e-mail address first.")

	// ErrTOTPOn is returned for setting up an app while one is on.
	ErrTOTPOn = errs.New(errs.Conflict, "TOTP_ON", "Codes of an app are on. Switch them off first.")

	// ErrNoTOTP is returned for switching off what is off.
	ErrNoTOTP = errs.New(errs.NotFound, "NOT_FOUND", "Codes of an app are not on.")

	// ErrNoFactor is returned for recovery codes of an account without a second factor.
	ErrNoFactor = errs.New(errs.Conflict, "CONFLICT", "Recovery codes need a second factor. Switch one on first.")
)

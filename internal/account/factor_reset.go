package account

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// How an operator helps somebody who lost a second factor: not at once, so that its owner can stop it.
const (
	factorResetDelay = 24 * time.Hour
	factorResetLife  = 7 * 24 * time.Hour // after it is due
)

// FactorReset is the removal of somebody's second factors that an operator planned. The first sign-in after
// DueAt carries it out; a second step that is met before calls it off.
type FactorReset struct {
	UserID string
	// By is the operator's id, or the name of a service.
	By        string
	CreatedAt time.Time
	DueAt     time.Time
}

// live reports whether r may still happen.
func (r FactorReset) live(now time.Time) bool { return now.Before(r.DueAt.Add(factorResetLife)) }

// due reports whether the next sign-in carries r out.
func (r FactorReset) due(now time.Time) bool { return r.live(now) && !now.Before(r.DueAt) }

// FactorResets is the part of Store about planned removals of second factors. Those that write are for a user
// who is locked.
type FactorResets interface {
	// FactorReset returns what is planned for a user, live or not, or an errs.NotFound error.
	FactorReset(ctx context.Context, userID string) (FactorReset, error)

	// PutFactorReset stores a plan in place of another.
	PutFactorReset(ctx context.Context, r FactorReset) error

	// DeleteFactorReset deletes the user's plan. Having none is not an error.
	DeleteFactorReset(ctx context.Context, userID string) error
}

var (
	// ErrNothingToReset is returned for planning to remove what an account does not have.
	ErrNothingToReset = errs.New(errs.Conflict, "CONFLICT", "The account has no second factor.")

	// ErrQuietReset is returned for planning what nobody would be told of in time to stop it.
	ErrQuietReset = errs.New(errs.Conflict, "CONFLICT",
		"The platform sends no mail, so the user would not hear of it, and could "+
			"not stop it. At the machine, stoa admin reset-second-factor removes the factors at once.")

	// ErrNoFactorReset is returned for calling off what nobody planned.
	ErrNoFactorReset = errs.New(errs.NotFound, "NOT_FOUND", "No removal of a second factor is planned.")
)

// PlanFactorReset has the user's second factors removed at the first sign-in after a day, and returns when that
// is; a plan that exists stays. All addresses that the user is known by get a mail with a link that stops it.
// The error is ErrNoUser, ErrNothingToReset or ErrQuietReset.
func (s *Service) PlanFactorReset(ctx context.Context, userID string) (at time.Time, err error) {
	err = s.withFactors(ctx, userID, "", func(tx Store, post poster, c Credentials, f SecondFactors) error {
		if err := CheckAbove(ctx, tx, c.Role); err != nil {
			return err
		}
		if !f.Any() {
			return ErrNothingToReset
		}
		r, err := tx.FactorReset(ctx, userID)
		if err == nil && r.live(s.Now()) {
			at = r.DueAt
			return nil
		}
		if err := ignore(err, errs.NotFound); err != nil {
			return err
		}
		if !s.sendsMail() {
			return ErrQuietReset
		}
		now := s.Now()
		at = now.Add(factorResetDelay)
		planned := audit.New(ctx, now, audit.UserStartReset, audit.Target{Type: "user", ID: userID},
			audit.Details{"email": c.Email, "at": at.UTC().Format(time.RFC3339)})
		r = FactorReset{UserID: userID, By: planned.Actor.ID, CreatedAt: now, DueAt: at}
		if err := tx.PutFactorReset(ctx, r); err != nil {
			return err
		}
		if err := s.mailReset(ctx, tx, post, c, f, at); err != nil {
			return err
		}
		return tx.Record(ctx, planned)
	})
	return at, err
}

// mailReset mails a link that stops a plan to each address that a user is known by. No limit of mails holds for it.
func (s *Service) mailReset(
	ctx context.Context, tx Store, post poster, c Credentials, f SecondFactors, at time.Time,
) error {
	if err := tx.DeleteMailTokens(ctx, c.ID, LinkKeepFactor); err != nil { // of a plan that ended
		return err
	}
	former, err := s.formerAddresses(ctx, tx, c.ID)
	if err != nil {
		return err
	}
	for _, address := range append([]string{c.Email}, former...) {
		t, token := s.newLink(LinkKeepFactor, c, address)
		t.ExpiresAt = at.Add(factorResetLife)
		if err := tx.CreateMailToken(ctx, t); err != nil {
			return err
		}
		if err := post(s.letterReset(ctx, c.User, f, address, token, at)); err != nil {
			return err
		}
	}
	return nil
}

// CancelFactorReset calls off what PlanFactorReset planned. The error is ErrNoUser or ErrNoFactorReset.
func (s *Service) CancelFactorReset(ctx context.Context, userID string) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, userID)
		if err != nil {
			return noUser(err)
		}
		if err := CheckAbove(ctx, tx, c.Role); err != nil {
			return err
		}
		ended, err := s.endFactorReset(ctx, tx, c)
		if err == nil && !ended {
			err = ErrNoFactorReset
		}
		return err
	})
}

// KeepFactors calls off what the mail with that token told of. It needs nobody to be signed in. The error is
// VALIDATION_ERROR or ErrLink.
func (s *Service) KeepFactors(ctx context.Context, token string) error {
	return s.byLink(ctx, LinkKeepFactor, token, func(tx Store, _ poster, c Credentials, _ MailToken) error {
		_, err := s.endFactorReset(ctx, tx, c)
		return err
	})
}

// endFactorReset calls a plan off, with the links that would, and reports whether there was a live one. c is locked.
func (s *Service) endFactorReset(ctx context.Context, tx Store, c Credentials) (ended bool, err error) {
	r, err := tx.FactorReset(ctx, c.ID)
	if err != nil {
		return false, ignore(err, errs.NotFound)
	}
	if err := s.dropFactorReset(ctx, tx, c.ID); err != nil || !r.live(s.Now()) {
		return false, err
	}
	return true, s.record(ctx, tx, audit.UserCancelReset, c.ID, audit.Details{"email": c.Email})
}

// dropFactorReset deletes a plan, and the links that would call it off.
func (s *Service) dropFactorReset(ctx context.Context, tx Store, userID string) error {
	if err := tx.DeleteFactorReset(ctx, userID); err != nil {
		return err
	}
	return tx.DeleteMailTokens(ctx, userID, LinkKeepFactor)
}

// carryOutReset removes the second factors of a user whose sign-in is due to. c is locked.
func (s *Service) carryOutReset(
	ctx context.Context, tx Store, post poster, c Credentials, r FactorReset,
) error {
	if err := s.dropFactorReset(ctx, tx, c.ID); err != nil { // it is not called off
		return err
	}
	details := audit.Details{"email": c.Email, "plannedBy": r.By}
	if err := s.record(ctx, tx, audit.UserResetFactor, c.ID, details); err != nil {
		return err
	}
	return s.dropFactors(ctx, tx, post, c, "")
}

// ResetFactors removes the second factors of the user with that address at once, for an operator at the machine. The
// error is ErrNoUser or ErrNothingToReset.
func (s *Service) ResetFactors(ctx context.Context, email string) (u User, err error) {
	known, err := s.byEmail(ctx, email)
	if err != nil {
		return User{}, err
	}
	err = s.withFactors(ctx, known.ID, "", func(tx Store, post poster, c Credentials, f SecondFactors) error {
		if err := CheckAbove(ctx, tx, c.Role); err != nil {
			return err
		}
		if !f.Any() {
			return ErrNothingToReset
		}
		u = c.User
		if err := s.dropFactorReset(ctx, tx, c.ID); err != nil { // it is not called off
			return err
		}
		if err := s.record(ctx, tx, audit.UserResetFactor, c.ID, audit.Details{"email": c.Email}); err != nil {
			return err
		}
		return s.dropFactors(ctx, tx, post, c, "")
	})
	return u, err
}

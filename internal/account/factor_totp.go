package account

import (
	"context"
	"time"

	"stoa/internal/account/totp"
	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// SetupLife is how long a user has to confirm an app.
const SetupLife = 10 * time.Minute

// NewTOTP is what a user enters into an app. It is shown once.
type NewTOTP struct {
	Secret, URI string
	ExpiresAt   time.Time
}

// TypedCode is a code of an app.
type TypedCode struct {
	Code string `json:"code"`
}

// Issues returns what is wrong with in.
func (in TypedCode) Issues() errs.Issues {
	var f faults
	f.Require("code", in.Code)
	return f.Issues
}

// SetUpTOTP gives a user the secret for an app. It is not asked for until ConfirmTOTP. Another that was not
// confirmed stops working. The error is ErrUnproven, or ErrTOTPOn.
func (s *Service) SetUpTOTP(ctx context.Context, userID string) (NewTOTP, error) {
	secret, now := totp.NewSecret(), s.Now()
	var user User
	err := s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, userID) // before its app: see Store
		if err != nil {
			return noUser(err)
		}
		user = c.User
		if err := s.mayAdd(c); err != nil {
			return err
		}
		err = tx.PutTOTP(ctx, TOTP{UserID: userID, Sealed: s.TOTPBox.Seal(secret, userID), CreatedAt: now})
		if errs.KindOf(err) == errs.Conflict {
			return ErrTOTPOn
		}
		return err
	})
	if err != nil {
		return NewTOTP{}, err
	}
	return NewTOTP{
		Secret: totp.Text(secret), URI: totp.URI(secret, s.SiteName(ctx), user.Email), ExpiresAt: now.Add(SetupLife),
	}, nil
}

// ConfirmTOTP switches an app on with a first code of it, and returns new recovery codes in place of all others, which
// are shown once. The session at hand has level 2 then. If it is the account's first second factor, all others end,
// because whoever opened them gave one factor only. The user gets a mail with a link that undoes it. The error is
// VALIDATION_ERROR, or ErrCode for a wrong code, and where nothing waits for one.
func (s *Service) ConfirmTOTP(ctx context.Context, userID, sessionID string, in TypedCode) ([]string, error) {
	if err := in.Issues().Err(); err != nil {
		return nil, err
	}
	codes, hashes := newRecoveryCodes()
	right := false
	err := s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, userID) // before its app: see Store
		if err != nil {
			return noUser(err)
		}
		app, err := tx.TOTP(ctx, userID)
		if err != nil {
			return noCode(err)
		}
		if app.on() || app.Failures.paused(s.Now()) || !s.Now().Before(app.CreatedAt.Add(SetupLife)) {
			return ErrCode
		}
		if right, err = s.useTOTP(ctx, tx, app, in.Code); err != nil || !right {
			return err // and commit: it counts
		}
		before, err := s.factorsOf(ctx, tx, userID)
		if err != nil {
			return err
		}
		undo, err := s.switchOn(ctx, tx, c, before, sessionID, hashes)
		if err != nil {
			return err
		}
		return s.mailChange(ctx, tx, post, c.User, s.factorAdded(undo, before.RecoveryCodes > 0))
	})
	if err != nil {
		return nil, err
	}
	if !right {
		return nil, ErrCode
	}
	return codes, nil
}

// noCode is ErrCode for what is not there.
func noCode(err error) error { return errs.Missing(err, ErrCode) }

// switchOn switches the app of a user who had before on, with recovery codes, and returns the token of the link that
// undoes it.
func (s *Service) switchOn(
	ctx context.Context, tx Store, c Credentials, before SecondFactors, sessionID string, hashes []string,
) (undo string, err error) {
	session, err := tx.Session(ctx, sessionID)
	if err != nil {
		return "", noSession(err)
	}
	link, undo := s.newLink(LinkNotMe, c, c.Email)
	if err := tx.ConfirmTOTP(ctx, c.ID, link.CreatedAt); err != nil { // by that time, the link names the app
		return "", err
	}
	if err := tx.PutRecoveryCodes(ctx, c.ID, hashes, link.CreatedAt); err != nil {
		return "", err
	}
	if err := tx.SetLevel(ctx, session.ID, 2, session.with(MethodCode)); err != nil {
		return "", err
	}
	if !before.Any() {
		if err := tx.DeleteSessionsExcept(ctx, c.ID, session.ID); err != nil {
			return "", err
		}
	}
	if _, err := s.endFactorReset(ctx, tx, c); err != nil { // whoever adds one has proven another
		return "", err
	}
	if err := tx.CreateMailToken(ctx, link); err != nil {
		return "", err
	}
	return undo, s.record(ctx, tx, audit.UserAddTOTP, c.ID, audit.Details{"email": c.Email})
}

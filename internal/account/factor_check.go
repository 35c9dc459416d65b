package account

import (
	"context"

	"stoa/internal/account/totp"
	"stoa/internal/base/errs"
	"stoa/internal/trust/audit"
)

// prove checks a code that a user typed, and sees to it that it does not work again. It returns how the second factor
// was given, as in Session.Methods, or nothing for a wrong code. A wrong one is counted, so the caller must commit
// either way. c is locked.
func (s *Service) prove(
	ctx context.Context, tx Store, post poster, c Credentials, method, typed string,
) (given string, err error) {
	app, err := tx.TOTP(ctx, c.ID)
	if err = ignore(err, errs.NotFound); err != nil {
		return "", err
	}
	if method == MethodRecovery {
		f, err := s.factorsOf(ctx, tx, c.ID)
		if err != nil || !f.Any() {
			return "", err // they stand in for a factor
		}
		return s.proveByRecovery(ctx, tx, post, c, app, typed)
	}
	if !app.on() {
		return "", nil
	}
	// While they pause, codes are not looked at: neither right nor wrong ones tell anything, or count.
	if app.Failures.paused(s.Now()) {
		return "", nil
	}
	ok, err := s.useTOTP(ctx, tx, app, typed)
	if err != nil || !ok {
		return "", err
	}
	return MethodCode, nil
}

// useTOTP uses up a code of an app, or counts a wrong one. Codes must not pause.
func (s *Service) useTOTP(ctx context.Context, tx Store, app TOTP, typed string) (bool, error) {
	secret, err := s.TOTPBox.Open(app.Sealed, app.UserID)
	if err != nil {
		return false, err
	}
	step, ok := totp.Match(secret, typed, s.Now(), app.LastStep)
	if ok {
		err = tx.RaiseStep(ctx, app.UserID, step)
		if errs.KindOf(err) != errs.NotFound {
			return err == nil, err
		}
	}
	return false, tx.SetFailures(ctx, app.UserID, app.Failures.add(s.Now()))
}

// proveByRecovery uses up a recovery code, or counts a wrong one. They never pause: a code has 120 bits, and is
// the owner's way in while somebody else has codes of the app pause. For that, a wrong one does not make a
// pause longer.
func (s *Service) proveByRecovery(
	ctx context.Context, tx Store, post poster, c Credentials, app TOTP, typed string,
) (given string, err error) {
	err = tx.UseRecoveryCode(ctx, c.ID, recoveryHash(typed), s.Now())
	if errs.KindOf(err) == errs.NotFound {
		if app.Failures.paused(s.Now()) {
			return "", nil
		}
		return "", tx.SetFailures(ctx, c.ID, app.Failures.add(s.Now()))
	} else if err != nil {
		return "", err
	}
	f, err := s.factorsOf(ctx, tx, c.ID)
	if err != nil {
		return "", err
	}
	if err := s.notify(ctx, tx, post, s.letterCodeUsed(ctx, c.User, f.RecoveryCodes), c.User); err != nil {
		return "", err
	}
	e := audit.New(ctx, s.Now(), audit.UserUseCode, audit.Target{Type: "user", ID: c.ID},
		audit.Details{"email": c.Email, "left": f.RecoveryCodes})
	e.Actor = audit.Actor{Kind: audit.User, ID: c.ID} // who is only signing in
	return MethodRecoveryCode, tx.Record(ctx, e)
}

package account

import (
	"context"
	"encoding/json"
	"time"

	"stoa/internal/base/errs"
)

// RecentLife is how long a sign-in, or another proof to be there, counts as recent.
const RecentLife = 10 * time.Minute

var (
	// ErrReauthenticate is returned for a wrong password of somebody who is signed in.
	ErrReauthenticate = errs.New(errs.Unauthenticated, "REAUTHENTICATION_FAILED", "The password is wrong.")

	// ErrReauthenticateCode is returned for a wrong code, and for whatever the account does not ask for: a password
	// where it has a second factor, which a thief of the password does not have, and a code where it has none.
	ErrReauthenticateCode = errs.New(errs.Unauthenticated, "REAUTHENTICATION_FAILED",
		"The code is wrong, or the account asks for another proof.")

	// ErrNotRecent asks whoever is signed in to prove that they are still there. Its details say how.
	ErrNotRecent = errs.New(errs.Forbidden, "REAUTHENTICATION_REQUIRED",
		"This needs a recent sign-in. Confirm your password and try again.")

	// ErrNotRecentCode is ErrNotRecent for an account with a second factor.
	ErrNotRecentCode = errs.New(errs.Forbidden, "REAUTHENTICATION_REQUIRED",
		"This needs a recent sign-in. Confirm with a code and try again.")

	// ErrNotRecentNothing is ErrNotRecent for an account that has nothing to prove it with here.
	ErrNotRecentNothing = errs.New(errs.Forbidden, "REAUTHENTICATION_REQUIRED",
		"This needs a recent sign-in, and the account has nothing to confirm one with. Set a password with "+
			"\"Forgot your password?\", or ask the people who run the site.")

	// ErrNotRecentProvider is ErrNotRecent for an account without a password, whose user signs in with a provider.
	ErrNotRecentProvider = errs.New(errs.Forbidden, "REAUTHENTICATION_REQUIRED",
		"This needs a recent sign-in. Sign in with your provider again.")

	// ErrNotRecentPasskey is ErrNotRecent for an account whose second factors are passkeys.
	ErrNotRecentPasskey = errs.New(errs.Forbidden, "REAUTHENTICATION_REQUIRED",
		"This needs a recent sign-in. Confirm with a passkey and try again.")
)

// Reauthentication is the form of a user who is signed in and proves to be there: with the password, with a code or a
// passkey if the account has a second factor, or with a mailed code if it has neither.
type Reauthentication struct {
	Password string `json:"password"`
	Code     string `json:"code"`
	Method   string `json:"method"` // of the code; MethodTOTP if empty; MethodEmail for one of MailProof
	// Credential is what the browser answered.
	Credential json.RawMessage `json:"credential"`
}

// byCode reports whether the form has a code.
func (in Reauthentication) byCode() bool { return in.Code != "" || in.Method != "" }

// Issues returns what is wrong with in.
func (in Reauthentication) Issues() errs.Issues {
	var f faults
	switch {
	case len(in.Credential) > 0:
		if f.credential(in.Credential); in.byCode() || in.Password != "" {
			f.Add("credential", errs.CodeInvalid, "Send either a credential, a code or a password.")
		}
		return f.Issues
	case !in.byCode():
		f.Require("password", in.Password)
		return f.Issues
	}
	f.Require("code", in.Code)
	f.OneOf("method", in.Method, MethodTOTP, MethodRecovery, MethodEmail)
	if in.Password != "" {
		f.Add("password", errs.CodeInvalid, "Send either a password or a code.")
	}
	return f.Issues
}

// ProvenAt is when the session's user last proved to be there.
func (s Session) ProvenAt() time.Time {
	if s.ReauthenticatedAt.After(s.AuthenticatedAt) {
		return s.ReauthenticatedAt
	}
	return s.AuthenticatedAt
}

// RequireRecent returns ErrNotRecent unless the user signed in, or proved to be there, in this session within
// RecentLife. It asks the database, so that it holds on every replica.
func (s *Service) RequireRecent(ctx context.Context, userID, sessionID string) error {
	return s.requireRecent(ctx, userID, sessionID, RecentLife)
}

// RequireRecentAdmin is RequireRecent for changes by administrators, for as long as Safeguards.AdminReauth says.
// Services, which have no session, are not asked.
func (s *Service) RequireRecentAdmin(ctx context.Context, userID, sessionID string) error {
	life := s.LastRules().Safeguards.AdminReauth
	if life == 0 || sessionID == "" {
		return nil
	}
	return s.requireRecent(ctx, userID, sessionID, life)
}

// RequireRecentForSessions is RequireRecent for ending other sessions of one's own, where the platform asks for it.
func (s *Service) RequireRecentForSessions(ctx context.Context, userID, sessionID string) error {
	if !s.LastRules().Safeguards.ReauthSessions {
		return nil
	}
	return s.RequireRecent(ctx, userID, sessionID)
}

func (s *Service) requireRecent(ctx context.Context, userID, sessionID string, life time.Duration) error {
	session, err := s.Store.Session(ctx, sessionID)
	if errs.KindOf(err) == errs.NotFound {
		return ErrToken // it ended meanwhile
	} else if err != nil {
		return err
	}
	recent := !s.Now().After(session.ProvenAt().Add(life))
	if recent && session.Level > 1 {
		return nil
	}
	f, err := s.factorsOf(ctx, s.Store, userID)
	if err != nil {
		return err
	}
	if f.Any() {
		// A session with the password alone comes from a release that knows no second factors: only a code counts.
		if !s.Now().After(session.ReauthenticatedAt.Add(life)) {
			return nil
		}
		switch {
		case f.TOTP || f.Passkeys == 0 && f.RecoveryCodes > 0:
			return notRecent(ErrNotRecentCode, f.methods(), life)
		case f.Passkeys > 0:
			return notRecent(ErrNotRecentPasskey, f.methods(), life)
		}
		return notRecent(ErrNotRecentNothing, f.methods(), life)
	}
	if recent {
		return nil
	}
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return noUser(err)
	}
	if c.PasswordHash == "" {
		due, methods, err := s.notRecentWithout(ctx, userID)
		if err != nil {
			return err
		}
		return notRecent(due, methods, life)
	}
	return notRecent(ErrNotRecent, []string{"password"}, life)
}

func notRecent(err *errs.Error, methods []string, life time.Duration) error {
	return err.With("methods", methods).With("maxAge", int(life.Seconds()))
}

// Reauthenticate notes that the user of a session is there, and returns the session. It returns VALIDATION_ERROR,
// ErrReauthenticate for a wrong password, ErrReauthenticateCode, and password.ErrBusy.
func (s *Service) Reauthenticate(ctx context.Context, userID, sessionID string, in Reauthentication) (Session, error) {
	if err := in.Issues().Err(); err != nil {
		return Session{}, err
	}
	if in.Method == MethodEmail && len(in.Credential) == 0 {
		return s.reauthenticateByMail(ctx, userID, sessionID, in.Code)
	}
	if in.byCode() || len(in.Credential) > 0 {
		return s.reauthenticateByFactor(ctx, userID, sessionID, in)
	}
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return Session{}, noUser(err)
	}
	match, _, err := s.verify(ctx, c.PasswordHash, in.Password)
	if err != nil {
		return Session{}, err
	}
	var session Session
	err = s.Store.InTx(ctx, func(tx Store) error {
		now, err := tx.User(ctx, userID) // before the session: see Store
		if err != nil {
			return err
		}
		f, err := s.factorsOf(ctx, tx, userID)
		switch {
		case err != nil:
			return err
		case f.Any(): // whether the password is right is not told
			return ErrReauthenticateCode
		case !match || now.PasswordHash != c.PasswordHash: // or changed since it was verified
			return ErrReauthenticate
		}
		session, err = s.noteProof(ctx, tx, sessionID)
		return err
	})
	return session, noSession(err)
}

// noteProof notes that the user of a session is there.
func (s *Service) noteProof(ctx context.Context, tx Store, sessionID string) (Session, error) {
	session, err := tx.Session(ctx, sessionID)
	if err != nil {
		return Session{}, err
	}
	session.ReauthenticatedAt = s.Now()
	return session, tx.SetReauthenticated(ctx, session.ID, session.ReauthenticatedAt)
}

// noSession is ErrToken for a session, or its user, that is gone.
func noSession(err error) error { return errs.Missing(err, ErrToken) }

// stillIn returns ErrToken unless a session is alive whose user is locked. Whoever ended it, by a new password for one,
// must not be followed by what the session was about to do.
func (s *Service) stillIn(ctx context.Context, tx Store, sessionID string) error {
	_, err := tx.Session(ctx, sessionID)
	return noSession(err)
}

// reauthenticateByFactor is Reauthenticate with a code or a passkey. A wrong code counts like that of a sign-in.
func (s *Service) reauthenticateByFactor(
	ctx context.Context, userID, sessionID string, in Reauthentication,
) (session Session, err error) {
	given := "" // how; empty: not
	err = s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, userID) // before the session: see Store
		if err != nil {
			return err
		}
		if len(in.Credential) > 0 {
			of := Ceremony{Kind: CeremonyReauth, UserID: userID, SessionID: sessionID}
			given, err = s.proveByCredential(ctx, tx, post, c, of, in.Credential)
		} else {
			given, err = s.prove(ctx, tx, post, c, in.Method, in.Code)
		}
		if err != nil || given == "" {
			return err // and commit
		}
		if _, err := s.endFactorReset(ctx, tx, c); err != nil { // it is not lost
			return err
		}
		session, err = s.noteProof(ctx, tx, sessionID)
		return err
	})
	switch {
	case err != nil:
		return Session{}, noSession(err)
	case given == "":
		return Session{}, ErrReauthenticateCode
	}
	return session, nil
}

package account

import (
	"context"
	"errors"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/trust/keyring"
)

// SignIn is the form to sign in with.
type SignIn struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// Issues returns what is wrong with in.
func (in SignIn) Issues() errs.Issues {
	var f faults
	f.Require("email", in.Email)
	f.Require("password", in.Password)
	return f.Issues
}

// Login signs a user in. It returns ErrLogin for an unknown address, a wrong password
// and an inactive user alike, and takes the same time for each; password.ErrBusy; and, for an account with a
// second factor, ErrSecondFactor with the details for SecondStep.
func (s *Service) Login(ctx context.Context, email, secret string) (Tokens, error) {
	t, err := s.login(ctx, email, secret)
	if errors.Is(err, errOtherHash) {
		t, err = s.login(ctx, email, secret)
	}
	if errors.Is(err, errOtherHash) {
		return Tokens{}, ErrLogin
	}
	return t, err
}

// errOtherHash says that the user's hash changed since the password was verified. It may be one of the same password,
// by another sign-in after the parameters were raised.
var errOtherHash = errors.New("account: the password has another hash by now")

// login is Login, or errOtherHash.
func (s *Service) login(ctx context.Context, email, secret string) (Tokens, error) {
	c, err := s.candidate(ctx, email)
	if err != nil {
		return Tokens{}, err
	}
	match, outdated, err := s.verify(ctx, c.PasswordHash, secret)
	if err != nil {
		return Tokens{}, err
	}
	if !match || !c.Active {
		return Tokens{}, ErrLogin
	}
	if err := s.findBreached(ctx, c, secret); err != nil {
		return Tokens{}, err
	}
	newHash := ""
	if outdated {
		if newHash, err = s.Hasher.Hash(ctx, secret); err != nil {
			return Tokens{}, err
		}
	}
	return s.signIn(ctx, c, newHash)
}

// candidate returns the user with that e-mail address. For an unknown address it
// returns credentials that no password fits, which cost as much to verify.
func (s *Service) candidate(ctx context.Context, email string) (Credentials, error) {
	nobody := Credentials{PasswordHash: s.Hasher.Dummy()}
	if !validEmail(email) {
		return nobody, nil
	}
	c, err := s.Store.Candidate(ctx, Key(email))
	if err == nil && c.ID == "" {
		return nobody, nil
	}
	return c, err
}

// verify is Hasher.Verify for a password of any length: one that is too long to be
// right costs no more than a short one. No password fits an empty hash.
func (s *Service) verify(ctx context.Context, hash, secret string) (match, outdated bool, err error) {
	if hash == "" || utf8.RuneCountInString(secret) > maxPassword {
		hash, secret = s.Hasher.Dummy(), ""
	}
	return s.Hasher.Verify(ctx, hash, secret)
}

// signIn opens a session for a user whose password was just verified. newHash,
// unless empty, replaces the password's hash.
func (s *Service) signIn(ctx context.Context, c Credentials, newHash string) (Tokens, error) {
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	session := s.newSession(ctx, c.User, key)
	var user User
	var due *errs.Error // nil: the password was all
	err = s.withMail(ctx, s.Store.InShortTx, func(tx Store, post poster) (err error) {
		user, due, err = s.firstStep(ctx, tx, post, c, newHash, session)
		return err
	})
	switch {
	case errs.KindOf(err) == errs.NotFound:
		return Tokens{}, ErrLogin
	case err != nil:
		return Tokens{}, err
	case due != nil:
		return Tokens{}, due
	}
	return s.tokens(ctx, user, session, session.Refresh)
}

// firstStep is signIn in a transaction.
func (s *Service) firstStep(
	ctx context.Context, tx Store, post poster, c Credentials, newHash string, session Session,
) (User, *errs.Error, error) {
	// The user is read again, now locked: a password that was changed since it was
	// verified must not open a session that the change does not end.
	now, err := tx.User(ctx, c.ID)
	if err != nil {
		return User{}, nil, err
	}
	if !now.Active {
		return User{}, nil, ErrLogin
	}
	if now.PasswordHash != c.PasswordHash {
		return User{}, nil, errOtherHash
	}
	keep := tx.Rehash
	if now.PasswordOnce {
		newHash, keep = "", tx.SetPassword
	}
	if now.PasswordOnce || newHash != "" {
		if err := keep(ctx, c.ID, newHash); err != nil {
			return User{}, nil, err
		}
		now.PasswordHash = newHash
	}
	due, err := s.openOrChallenge(ctx, tx, post, now, session)
	return now.User, due, err
}

// openOrChallenge opens a session of a user whose first step was right, or asks for the second step of one with a
// second factor. c is locked.
func (s *Service) openOrChallenge(
	ctx context.Context, tx Store, post poster, c Credentials, session Session,
) (*errs.Error, error) {
	if due, err := s.challengeIfDue(ctx, tx, post, c, session.Methods[0], ""); due != nil || err != nil {
		return due, err
	}
	return nil, s.open(ctx, tx, post, c.User, session)
}

// challengeIfDue asks for the second step of a user with a second factor, whose first step was right by that method.
// The second step ends the flow, too, if there is one. Nobody else is asked: nil. c is locked.
func (s *Service) challengeIfDue(
	ctx context.Context, tx Store, post poster, c Credentials, first, flow string,
) (*errs.Error, error) {
	// Under the lock: a factor that is being switched on is either seen here, or ends the session that is opened next.
	f, err := s.factorsOf(ctx, tx, c.ID)
	if err != nil || !f.Any() {
		return nil, err
	}
	r, err := tx.FactorReset(ctx, c.ID)
	switch overdue := err == nil && r.due(s.Now()); {
	case ignore(err, errs.NotFound) != nil:
		return nil, err
	case !overdue:
		return s.challenge(ctx, tx, c, f, first, flow)
	}
	return nil, s.carryOutReset(ctx, tx, post, c, r)
}

// newSession returns a session that begins now, with a password.
func (s *Service) newSession(ctx context.Context, u User, key keyring.Key) Session {
	now := s.Now()
	address, userAgent := from(ctx)
	return Session{
		ID: ids.New(), UserID: u.ID, CreatedAt: now, Refresh: newRefresh(key.ID, now),
		Level: 1, Methods: []string{MethodPassword}, AuthenticatedAt: now, EndsAt: s.sessionEnd(u.Role, now),
		Address: address, UserAgent: userAgent,
	}
}

package account

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"

	"stoa/internal/account/passkey"
	"stoa/internal/base/errs"
)

// SignInOptions returns what a browser is asked so that somebody signs in with a passkey: whichever they pick. The
// error is ErrNoPasskeys.
func (s *Service) SignInOptions(ctx context.Context) (passkey.Request, error) {
	if !s.HasPasskeys() {
		return passkey.Request{}, ErrNoPasskeys
	}
	challenge, err := s.begin(ctx, s.Store, Ceremony{Kind: CeremonySignIn})
	return s.Passkeys.Request(challenge, nil), err
}

// PasskeyProof is the form to sign in with a passkey: what the browser answered.
type PasskeyProof struct {
	Credential json.RawMessage `json:"credential"`
}

// Issues returns what is wrong with in.
func (in PasskeyProof) Issues() errs.Issues {
	var f faults
	f.credential(in.Credential)
	return f.Issues
}

// SignInByPasskey signs a user in with a passkey alone. It returns VALIDATION_ERROR, ErrNoPasskeys, and
// ErrPasskeyLogin for whatever signs nobody in: an answer that is not genuine, late, or used before, a passkey that
// is unknown or says to be of another user, and an inactive user.
func (s *Service) SignInByPasskey(ctx context.Context, in PasskeyProof) (Tokens, error) {
	if !s.HasPasskeys() {
		return Tokens{}, ErrNoPasskeys
	}
	if err := in.Issues().Err(); err != nil {
		return Tokens{}, err
	}
	answer, err := passkey.ParseAssertion(in.Credential)
	if err != nil {
		return Tokens{}, ErrPasskeyLogin.Because(err)
	}
	// Only whose it is: the user is locked before it is read again.
	known, err := s.Store.PasskeyWith(ctx, answer.CredentialID())
	if errs.KindOf(err) == errs.NotFound || err == nil && len(answer.UserHandle()) == 0 {
		return Tokens{}, ErrPasskeyLogin
	} else if err != nil {
		return Tokens{}, err
	}
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	var (
		user    User
		session Session
		given   string
	)
	err = s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, known.UserID)
		if err != nil {
			return err
		}
		if !c.Active {
			return ErrPasskeyLogin
		}
		given, err = s.proveByPasskey(ctx, tx, post, c, Ceremony{Kind: CeremonySignIn}, answer)
		if err != nil || given == "" {
			return err // and commit: the challenge is used up
		}
		if _, err := s.endFactorReset(ctx, tx, c); err != nil { // it is not lost
			return err
		}
		user, session = c.User, s.newSession(ctx, c.User, key)
		session.Level, session.Methods = 2, []string{given}
		return s.open(ctx, tx, post, c.User, session)
	})
	if errs.KindOf(err) == errs.NotFound || err == nil && given == "" {
		return Tokens{}, ErrPasskeyLogin
	} else if err != nil {
		return Tokens{}, err
	}
	return s.tokens(ctx, user, session, session.Refresh)
}

// proveByPasskey checks the proof of a passkey of a user, which answers the ceremony that of names. It returns how the
// user proved to be there, as in Session.Methods, or nothing. Either way the challenge is used up, so the caller must
// commit. c is locked.
func (s *Service) proveByPasskey(
	ctx context.Context, tx Store, post poster, c Credentials, of Ceremony, answer passkey.Assertion,
) (given string, err error) {
	if live, err := s.take(ctx, tx, answer.Challenge(), of); err != nil || !live {
		return "", err
	}
	p, err := tx.PasskeyWith(ctx, answer.CredentialID())
	if errs.KindOf(err) == errs.NotFound || err == nil && p.UserID != c.ID {
		return "", nil
	} else if err != nil {
		return "", err
	}
	if handle := answer.UserHandle(); len(handle) > 0 && !bytes.Equal(handle, p.Handle) {
		return "", nil
	}
	use, err := s.Passkeys.VerifyAssertion(answer, p.Credential)
	if err != nil {
		s.log(ctx, slog.LevelInfo, "the proof of a passkey was refused", slog.Any("err", err))
		return "", nil
	}
	if use.Fell(p.Credential.Counter) {
		s.log(ctx, slog.LevelWarn, "the counter of a passkey did not rise: it may have been copied",
			slog.String("user", c.ID), slog.String("passkey", p.ID))
		if err := s.notify(ctx, tx, post, s.letterCounter(ctx, c.User), c.User); err != nil {
			return "", err
		}
	}
	return p.method(), tx.UsePasskey(ctx, p.ID, use, s.Now())
}

// proveByCredential is proveByPasskey for an answer that was not read yet.
func (s *Service) proveByCredential(
	ctx context.Context, tx Store, post poster, c Credentials, of Ceremony, raw json.RawMessage,
) (given string, err error) {
	if !s.HasPasskeys() {
		return "", nil
	}
	answer, err := passkey.ParseAssertion(raw)
	if err != nil {
		return "", nil //nolint:nilerr // it proves nothing
	}
	return s.proveByPasskey(ctx, tx, post, c, of, answer)
}

func (s *Service) log(ctx context.Context, level slog.Level, text string, args ...any) {
	if s.Log != nil {
		s.Log.Log(ctx, level, text, args...)
	}
}

// SecondStepOptions returns what a browser is asked so that a passkey of the user is the second step of a sign-in. The
// error is VALIDATION_ERROR, or ErrCode for a challenge for which SecondStep returns it, and for a user without
// passkeys.
func (s *Service) SecondStepOptions(ctx context.Context, in ChallengeToken) (passkey.Request, error) {
	if err := in.Issues().Err(); err != nil {
		return passkey.Request{}, err
	}
	if !s.HasPasskeys() {
		return passkey.Request{}, ErrCode
	}
	known, err := s.openChallenge(ctx, in.Challenge)
	if err != nil {
		return passkey.Request{}, err
	}
	var options passkey.Request
	err = s.Store.InTx(ctx, func(tx Store) error {
		c, _, err := s.liveChallenge(ctx, tx, known)
		if err != nil {
			return err
		}
		options, err = s.askFor(ctx, tx, Ceremony{Kind: CeremonySecond, UserID: c.ID, SignIn: known.Hash})
		return err
	})
	return options, noCode(err)
}

// ReauthenticateOptions returns what the user's browser is asked so that a passkey proves that the user of a session
// is there. The error is ErrNoPasskeys, or ErrNoPasskey for a user without one.
func (s *Service) ReauthenticateOptions(ctx context.Context, userID, sessionID string) (passkey.Request, error) {
	if !s.HasPasskeys() {
		return passkey.Request{}, ErrNoPasskeys
	}
	var options passkey.Request
	err := s.Store.InTx(ctx, func(tx Store) (err error) {
		options, err = s.askFor(ctx, tx, Ceremony{Kind: CeremonyReauth, UserID: userID, SessionID: sessionID})
		return err
	})
	if errs.KindOf(err) == errs.NotFound {
		err = ErrNoPasskey
	}
	return options, err
}

// askFor begins a ceremony in which a user proves one of their passkeys. The error is an errs.NotFound for a user
// without one that works here.
func (s *Service) askFor(ctx context.Context, tx Store, of Ceremony) (passkey.Request, error) {
	list, err := tx.PasskeysOf(ctx, of.UserID)
	if err != nil {
		return passkey.Request{}, err
	}
	made := s.here(list)
	if len(made) == 0 {
		return passkey.Request{}, ErrNoPasskey
	}
	challenge, err := s.begin(ctx, tx, of)
	return s.Passkeys.Request(challenge, made), err
}

// ChallengeToken is the form to ask for the options of a second step.
type ChallengeToken struct {
	Challenge string `json:"challenge"`
}

// Issues returns what is wrong with in.
func (in ChallengeToken) Issues() errs.Issues {
	var f faults
	f.Require("challenge", in.Challenge)
	return f.Issues
}

package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
)

// ChallengeLife is how long a user has for the second step.
const ChallengeLife = 5 * time.Minute

// maxTries is how many wrong codes a challenge bears.
const maxTries = 5

// challengePrefix tells a challenge from tokens of other kinds, for people who find one.
const challengePrefix = "stoa_ch_"

// Challenge is a sign-in whose first step was right and whose second step is due. It is no session: nobody is
// signed in. It works once, and not after the password changed, nor after anything else that raises
// Generation.
type Challenge struct {
	Hash       string // of the token, which is not kept
	UserID     string
	Generation int64
	// Print is that of the hash of the password then.
	Print     string
	First     string // the method of the first step; methodProvider alone before the Flow has linked an identity
	Flow      string // Flow.State, of one that goes on after the second step; empty for none
	Tries     int    // wrong codes
	CreatedAt time.Time
}

// live reports whether c, which has not expired, still stands for a user.
func (c Challenge) live(u Credentials) bool {
	return u.Active && c.UserID == u.ID && c.Generation == u.Generation && c.Print == passwordPrint(u.PasswordHash) &&
		c.Tries < maxTries
}

// passwordPrint tells one hash of a password from another, and does not reveal it.
func passwordPrint(hash string) string {
	sum := sha256.Sum256([]byte(hash))
	return hex.EncodeToString(sum[:])
}

// Challenges is the part of Store about sign-ins whose second step is due.
type Challenges interface {
	// CreateChallenge inserts a challenge. The error is an errs.Conflict if the hash is taken.
	CreateChallenge(ctx context.Context, c Challenge) error

	// Challenge returns the one with that hash, if it was created after a time, or an errs.NotFound error.
	Challenge(ctx context.Context, hash string, after time.Time) (Challenge, error)

	// CountTry adds one to the challenge's Tries.
	CountTry(ctx context.Context, hash string) error

	// DeleteChallenge deletes a challenge. Having none is not an error.
	DeleteChallenge(ctx context.Context, hash string) error

	// DeleteChallenges deletes those of a user.
	DeleteChallenges(ctx context.Context, userID string) error
}

// challenge stores a challenge for a user whose first step was just right, by that method, and returns ErrSecondFactor
// with what it takes to meet it.
func (s *Service) challenge(
	ctx context.Context, tx Store, c Credentials, f SecondFactors, first, flow string,
) (*errs.Error, error) {
	token := challengePrefix + newResetToken()
	ch := Challenge{
		Hash: ids.HashLinkToken(token), UserID: c.ID, Generation: c.Generation, Print: passwordPrint(c.PasswordHash),
		First: first, Flow: flow, CreatedAt: s.Now(),
	}
	due := ErrSecondFactor.With("challenge", token).With("methods", f.methods()).
		With("expiresAt", ch.CreatedAt.Add(ChallengeLife).UTC().Format("2006-01-02T15:04:05.000Z"))
	return due, tx.CreateChallenge(ctx, ch)
}

// openChallenge returns the challenge with a token, for whose it is: the user is locked before it is read again. The
// error is ErrCode for one that is unknown, and for one that has expired, which costs the same.
func (s *Service) openChallenge(ctx context.Context, token string) (Challenge, error) {
	known, err := s.Store.Challenge(ctx, ids.HashLinkToken(token), s.Now().Add(-ChallengeLife))
	return known, noCode(err)
}

// liveChallenge locks the user of a challenge, and returns both as they are now. The error is ErrCode or an
// errs.NotFound if the challenge stands for nobody anymore.
func (s *Service) liveChallenge(
	ctx context.Context, tx Store, known Challenge,
) (c Credentials, ch Challenge, err error) {
	if c, err = tx.User(ctx, known.UserID); err != nil {
		return c, ch, err
	}
	if ch, err = tx.Challenge(ctx, known.Hash, s.Now().Add(-ChallengeLife)); err == nil && !ch.live(c) {
		err = ErrCode
	}
	return c, ch, err
}

// SecondStep is the form for the second step of a sign-in.
type SecondStep struct {
	Challenge string `json:"challenge"`
	Method    string `json:"method"`
	Code      string `json:"code"`
	// Credential is what the browser answered, for MethodPasskey.
	Credential json.RawMessage `json:"credential"`
}

// Issues returns what is wrong with in.
func (in SecondStep) Issues() errs.Issues {
	var f faults
	f.Require("challenge", in.Challenge)
	if f.Require("method", in.Method) {
		f.OneOf("method", in.Method, MethodTOTP, MethodRecovery, MethodPasskey)
	}
	if in.Method == MethodPasskey {
		f.credential(in.Credential)
		return f.Issues
	}
	f.Require("code", in.Code)
	return f.Issues
}

// SecondStep ends a sign-in that Login began. It returns VALIDATION_ERROR, and ErrCode: with the detail attemptsLeft
// for a wrong code or passkey, and without it for a challenge that is unknown, met, expired, used up or void.
func (s *Service) SecondStep(ctx context.Context, in SecondStep) (Tokens, error) {
	if err := in.Issues().Err(); err != nil {
		return Tokens{}, err
	}
	known, err := s.openChallenge(ctx, in.Challenge)
	if err != nil {
		return Tokens{}, err
	}
	key, err := s.Ring.Signer(ctx)
	if err != nil {
		return Tokens{}, err
	}
	var (
		user    User
		session Session
		given   string // how; empty: not
		left    int
		due     *errs.Error // nil: they are in
	)
	err = s.inTxWithMail(ctx, func(tx Store, post poster) error {
		due = nil
		c, ch, err := s.liveChallenge(ctx, tx, known)
		if err != nil {
			return err
		}
		if in.Method == MethodPasskey {
			of := Ceremony{Kind: CeremonySecond, UserID: c.ID, SignIn: known.Hash}
			given, err = s.proveByCredential(ctx, tx, post, c, of, in.Credential)
		} else {
			given, err = s.prove(ctx, tx, post, c, in.Method, in.Code)
		}
		if err != nil {
			return err
		}
		if given == "" {
			left = maxTries - ch.Tries - 1
			if err := s.refused(ctx, tx, ch); err != nil {
				return err
			}
			return tx.CountTry(ctx, known.Hash) // and commit
		}
		if err := tx.DeleteChallenge(ctx, known.Hash); err != nil {
			return err
		}
		if _, err := s.endFactorReset(ctx, tx, c); err != nil { // it is not lost
			return err
		}
		first, refusal, err := s.endFlow(ctx, tx, post, c, ch)
		if due = refusal; due != nil || err != nil {
			return err // and commit
		}
		user, session = c.User, s.newSession(ctx, c.User, key)
		session.Level, session.Methods = 2, []string{first, given}
		return s.open(ctx, tx, post, c.User, session)
	})
	if err != nil {
		return Tokens{}, noCode(err)
	}
	switch {
	case given == "":
		return Tokens{}, ErrCode.With("attemptsLeft", left)
	case due != nil:
		return Tokens{}, due
	}
	return s.tokens(ctx, user, session, session.Refresh)
}

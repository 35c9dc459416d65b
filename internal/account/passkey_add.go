package account

import (
	"context"

	"stoa/internal/account/passkey"
	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/trust/audit"
)

// mayAdd returns why a user may not have another way in that outlives the password, or nil. c is locked.
func (s *Service) mayAdd(c Credentials) error {
	// Somebody else may have made the account with the address.
	if c.ProvenAt.IsZero() && s.sendsMail() {
		return ErrUnproven
	}
	return nil
}

// MayAdd returns ErrUnproven for a user who may not have another way in that outlives the password.
func (s *Service) MayAdd(ctx context.Context, userID string) error {
	c, err := s.Store.User(ctx, userID)
	if err != nil {
		return noUser(err)
	}
	return s.mayAdd(c)
}

// NewPasskeyOptions returns what the user's browser is asked to make a passkey, in a session. The error is
// ErrNoPasskeys, ErrUnproven or ErrManyPasskeys.
func (s *Service) NewPasskeyOptions(ctx context.Context, userID, sessionID string) (passkey.Creation, error) {
	if !s.HasPasskeys() {
		return passkey.Creation{}, ErrNoPasskeys
	}
	site := s.SiteName(ctx)
	var options passkey.Creation
	err := s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, userID) // before its passkeys: see Store
		if err != nil {
			return noUser(err)
		}
		if err := s.mayAdd(c); err != nil {
			return err
		}
		list, err := tx.PasskeysOf(ctx, userID)
		if err != nil {
			return err
		}
		if len(list) >= maxPasskeys {
			return ErrManyPasskeys
		}
		handle, err := tx.Handle(ctx, userID, passkey.NewHandle())
		if err != nil {
			return err
		}
		challenge, err := s.begin(ctx, tx, Ceremony{Kind: CeremonyRegister, UserID: userID, SessionID: sessionID})
		user := passkey.User{Handle: handle, Name: c.Email, DisplayName: c.Username}
		options = s.Passkeys.Creation(challenge, site, user, s.here(list))
		return err
	})
	return options, err
}

// AddPasskey adds a passkey that the browser made in the same session. If it is the account's first second factor,
// the session at hand has level 2 then, and all others end. The user gets a mail with a link that undoes it. The
// error is VALIDATION_ERROR, ErrNoPasskeys, ErrPasskey, ErrUnproven, ErrPasskeyKnown or ErrManyPasskeys.
func (s *Service) AddPasskey(ctx context.Context, userID, sessionID string, in NewPasskey) (Passkey, error) {
	if !s.HasPasskeys() {
		return Passkey{}, ErrNoPasskeys
	}
	if err := in.Issues().Err(); err != nil {
		return Passkey{}, err
	}
	answer, err := passkey.ParseRegistration(in.Credential)
	if err != nil {
		return Passkey{}, ErrPasskey.Because(err)
	}
	made := Passkey{ID: ids.New(), UserID: userID, Name: in.Name, PartyID: s.Passkeys.ID, CreatedAt: s.Now()}
	var refusal error // and commit: the challenge is used up
	err = s.inTxWithMail(ctx, func(tx Store, post poster) error {
		refusal = nil
		c, err := tx.User(ctx, userID) // before its passkeys: see Store
		if err != nil {
			return noUser(err)
		}
		if err := s.mayAdd(c); err != nil {
			return err
		}
		live, err := s.take(ctx, tx, answer.Challenge(),
			Ceremony{Kind: CeremonyRegister, UserID: userID, SessionID: sessionID})
		if err != nil {
			return err
		}
		if !live {
			return ErrPasskey
		}
		if made.Credential, err = s.Passkeys.VerifyRegistration(answer); err != nil {
			refusal = ErrPasskey.Because(err)
			return nil
		}
		return s.addPasskey(ctx, tx, post, c, sessionID, made)
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return Passkey{}, err
	}
	return made, nil
}

// addPasskey is AddPasskey for a passkey that is genuine. c is locked.
func (s *Service) addPasskey(
	ctx context.Context, tx Store, post poster, c Credentials, sessionID string, p Passkey,
) error {
	before, err := s.factorsOf(ctx, tx, c.ID)
	if err != nil {
		return err
	}
	if before.Passkeys+before.Foreign >= maxPasskeys {
		return ErrManyPasskeys
	}
	session, err := tx.Session(ctx, sessionID)
	if err != nil {
		return noSession(err)
	}
	if err := tx.CreatePasskey(ctx, p); errs.KindOf(err) == errs.Conflict {
		return ErrPasskeyKnown
	} else if err != nil {
		return err
	}
	if !before.Any() {
		if err := tx.SetLevel(ctx, session.ID, 2, session.with(p.method())); err != nil {
			return err
		}
		if err := tx.DeleteSessionsExcept(ctx, c.ID, session.ID); err != nil {
			return err
		}
	}
	if _, err := s.endFactorReset(ctx, tx, c); err != nil { // whoever adds one has proven another
		return err
	}
	link, undo := s.newLink(LinkNotMe, c, c.Email)
	link.Passkey = p.ID
	if err := tx.CreateMailToken(ctx, link); err != nil {
		return err
	}
	if err := s.record(ctx, tx, audit.UserAddPasskey, c.ID, audit.Details{"email": c.Email, "passkey": p.ID}); err != nil {
		return err
	}
	return s.mailChange(ctx, tx, post, c.User, s.passkeyAdded(p, undo))
}

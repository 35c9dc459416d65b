package account

import (
	"context"

	"stoa/internal/base/errs"
	"stoa/internal/message/template"
)

// MethodEmail is the code of a mail, as requests and refusals name it.
const MethodEmail = "email"

// CodeKeysPurpose is the purpose of Service.CodeKeys.
const CodeKeysPurpose = "account.mailed-code"

var (
	// ErrNoMailedProof is returned to whoever asks for a code while no mail is sent, or the account has something
	// better to prove with that its user is there.
	ErrNoMailedProof = errs.New(errs.NotFound, "NOT_FOUND",
		"No code is mailed: the account proves in another way that you are there.")

	// ErrNotRecentMail is ErrNotRecent for an account that has neither a password nor a provider.
	ErrNotRecentMail = errs.New(errs.Forbidden, "REAUTHENTICATION_REQUIRED",
		"This needs a recent sign-in. Have a code mailed to you and try again.")
)

// notRecentWithout returns ErrNotRecent for an account that has neither a password nor a second factor.
func (s *Service) notRecentWithout(ctx context.Context, userID string) (*errs.Error, []string, error) {
	elsewhere, err := s.Store.HasIdentity(ctx, userID)
	if err != nil {
		return nil, nil, err
	}
	due, methods := ErrNotRecentNothing, []string{}
	if s.sendsMail() {
		due, methods = ErrNotRecentMail, []string{MethodEmail}
	}
	if elsewhere { // the first choice: it says who is there, and not only who reads the mail
		due, methods = ErrNotRecentProvider, append([]string{"provider"}, methods...)
	}
	return due, methods, nil
}

// provesByMail reports whether the mailbox is all that a user has to prove here to be there: a thief of a password, or
// of a mailbox, would pass by the stronger proof otherwise.
func (s *Service) provesByMail(ctx context.Context, st Store, c Credentials) (bool, error) {
	if !s.sendsMail() || c.PasswordHash != "" {
		return false, nil
	}
	f, err := s.factorsOf(ctx, st, c.ID)
	return err == nil && !f.Any(), err
}

// MailProof mails the user of a session a code that proves in that session that they are there, unless the mailbox had
// enough of them. That is not told. The error is ErrNoMailedProof or ErrNoUser.
func (s *Service) MailProof(ctx context.Context, userID, sessionID string) error {
	return s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, userID) // before its links: see Store
		if err != nil {
			return noUser(err)
		}
		if ok, err := s.provesByMail(ctx, tx, c); err != nil {
			return err
		} else if !ok {
			return ErrNoMailedProof
		}
		if ok, err := s.mayMailCode(ctx, tx, c.Email); !ok || err != nil {
			return err
		}
		t, _ := s.newLink(LinkReauth, c, c.Email) // found by its user: nobody gets the token
		code := newTypedCode()
		t.SessionID, t.Code = sessionID, typedHash(mailedKey(s.CodeKeys.Sealing(), t), code)
		if err := tx.CreateMailToken(ctx, t); err != nil {
			return err
		}
		return post(letterMailedProof(ctx, c.User, code))
	})
}

// mailedKey is what the code of t is hashed with. It needs one of Service.CodeKeys, so that whoever reads the database
// cannot try all codes.
func mailedKey(key []byte, t MailToken) string { return string(key) + t.Hash }

// reauthenticateByMail is Reauthenticate with a mailed code.
func (s *Service) reauthenticateByMail(
	ctx context.Context, userID, sessionID, typed string,
) (session Session, err error) {
	right := false
	err = s.Store.InTx(ctx, func(tx Store) error {
		right = false
		c, err := tx.User(ctx, userID) // before its links: see Store
		if err != nil {
			return err
		}
		if ok, err := s.provesByMail(ctx, tx, c); !ok || err != nil {
			return err
		}
		if right, err = s.takeMailedProof(ctx, tx, c, sessionID, typed); !right || err != nil {
			return err // and commit
		}
		session, err = s.noteProof(ctx, tx, sessionID)
		return err
	})
	switch {
	case err != nil:
		return Session{}, noSession(err)
	case !right:
		return Session{}, ErrReauthenticateCode
	}
	return session, nil
}

// takeMailedProof uses the last code up that was mailed for a session of c, who is locked, or counts a wrong one. All
// codes of an account that have not expired bear typedTries together: neither another session nor another mail gives
// more.
func (s *Service) takeMailedProof(ctx context.Context, tx Store, c Credentials, sessionID, typed string) (bool, error) {
	all, err := tx.MailTokensOf(ctx, c.ID, LinkReauth)
	if err != nil {
		return false, err
	}
	tries := 0
	var mine []MailToken // the last one first
	for _, t := range all {
		if !t.live(s.Now()) {
			continue
		}
		tries += t.Tries
		if t.SessionID == sessionID {
			mine = append(mine, t)
		}
	}
	if len(mine) == 0 || tries >= typedTries {
		return false, nil
	}
	last := mine[0]
	if last.Generation != c.Generation || last.Address != c.Email || !s.isMailed(last, typed) {
		return false, tx.CountMailTry(ctx, last.Hash, typedTries)
	}
	for _, t := range mine { // those before it, too, which would be the last ones then
		if err := tx.TakeMailToken(ctx, t.Hash); err != nil {
			return false, err
		}
	}
	return true, nil
}

// isMailed reports whether somebody typed the code of t.
func (s *Service) isMailed(t MailToken, typed string) bool {
	for _, key := range s.CodeKeys.All() {
		if isTyped(t.Code, mailedKey(key, t), typed) {
			return true
		}
	}
	return false
}

// letterMailedProof has a code that proves that u is there. It is alone on its line, for programs that fill it in.
func letterMailedProof(ctx context.Context, u User, code string) letter {
	return letterTo(ctx, u, template.ProofCode, values{template.Code: code})
}

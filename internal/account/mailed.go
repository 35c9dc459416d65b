package account

import (
	"context"
	"crypto/subtle"
	"fmt"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
)

var errNoMailedSignIn = errs.New(errs.NotFound, "NOT_FOUND", "Nobody signs in by mail here.")

// SignsInByMail reports whether a mailed link or code signs users in.
func (s *Service) SignsInByMail() bool { return s.LastRules().MailedSignIn && s.sendsMail() }

// MailedSignInAllowed returns an errs.NotFound error unless SignsInByMail.
func (s *Service) MailedSignInAllowed() error {
	if !s.SignsInByMail() {
		return errNoMailedSignIn
	}
	return nil
}

// MailedSignIn is the form of somebody who wants a mail to sign in with.
type MailedSignIn struct {
	Email string `json:"email"`
}

// Issues returns what is wrong with in.
func (in MailedSignIn) Issues() errs.Issues {
	var f faults
	f.email(in.Email)
	return f.Issues
}

// MailSignIn mails the user with an address a link and a code to sign in with, and returns the flow that they are
// for: the link works in the browser that has the flow, the code wherever it is typed with the flow. There is no
// mail for somebody unknown or inactive, or if the mailbox has had enough mails; staff hear that they sign in
// otherwise. The error is an errs.NotFound if nobody signs in by mail, or VALIDATION_ERROR. Otherwise it returns at
// once and looks the address up in the background, so that neither the answer nor its time tells whether it has an
// account. What it stores does not either: each flow is there, and bears as many tries.
func (s *Service) MailSignIn(ctx context.Context, email string) (flow string, err error) {
	if err := s.MailedSignInAllowed(); err != nil {
		return "", err
	}
	if err := (MailedSignIn{email}).Issues().Err(); err != nil {
		return "", err
	}
	flow = newResetToken()
	s.Mailer.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		return s.composeSignIn(ctx, email, flow)
	})
	return flow, nil
}

// composeSignIn stores a flow, and returns its mail. wanted is false if there is none.
func (s *Service) composeSignIn(ctx context.Context, email, flow string) (l letter, wanted bool, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		wanted = false
		c, err := tx.UserByEmail(ctx, Key(email))
		if ignore(err, errs.NotFound) != nil {
			return err
		}
		// The row is found by the flow, which both ways to go on have. Without a link and a code, it is a flow
		// that nothing ends well.
		t := MailToken{
			Hash: ids.HashLinkToken(flow), Kind: LinkSignIn,
			CreatedAt: s.Now(), ExpiresAt: s.Now().Add(FlowLife),
		}
		if err == nil && c.Active {
			if wanted, err = s.mayMail(ctx, tx, c.Email); err != nil {
				return err
			}
			switch {
			case wanted && c.isStaff():
				l = letterStaffSignIn(ctx, c.User)
			case wanted:
				token, code := newResetToken(), newTypedCode()
				// To the stored address, and for it: the one that was typed may differ.
				t.UserID, t.Address, t.Generation = c.ID, c.Email, c.Generation
				t.Link, t.Code = ids.HashLinkToken(token), typedHash(flow, code)
				l = s.letterMailedSignIn(ctx, c.User, token, code)
			}
		}
		return tx.CreateMailToken(ctx, t)
	})
	if err != nil {
		return letter{}, false, fmt.Errorf("account: sign-in by mail: %w", err)
	}
	return l, wanted, nil
}

// MailedProof is the form to sign in with what was mailed: the token of the link, or the code and the flow that it is
// for.
type MailedProof struct {
	Token string `json:"token"`
	Flow  string `json:"flow"`
	Code  string `json:"code"`
}

// Issues returns what is wrong with in.
func (in MailedProof) Issues() errs.Issues {
	var f faults
	switch {
	case in.Token == "" && (in.Code != "" || in.Flow != ""):
		f.Require("flow", in.Flow)
		f.Require("code", in.Code)
	case f.Require("token", in.Token) && (in.Code != "" || in.Flow != ""):
		f.Add("token", errs.CodeInvalid, "Send either a token, or a flow and a code.")
	}
	return f.Issues
}

// SignInByMail signs a user in with what was mailed for a flow. browser is the flow of the browser that asks, which
// links are for. An unproven account is reclaimed first: who reads its mail is not who made it, unless they say so
// with its password. It returns VALIDATION_ERROR; ErrLink for whatever is wrong, late, used, or not for this flow;
// ErrStaffMethod; and, for an account with a second factor, ErrSecondFactor with the details for SecondStep. Of
// several calls with one link or code, on any replicas, one succeeds.
func (s *Service) SignInByMail(ctx context.Context, in MailedProof, browser string) (Tokens, error) {
	if err := s.MailedSignInAllowed(); err != nil {
		return Tokens{}, err
	}
	if err := in.Issues().Err(); err != nil {
		return Tokens{}, err
	}
	t, err := s.mailedProof(ctx, in, browser)
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
		due     *errs.Error // nil: the mail was all
	)
	err = s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := s.takeMailed(ctx, tx, t, in.Code != "")
		if err != nil {
			return err
		}
		if c, err = s.proveByMail(ctx, tx, post, c); err != nil {
			return err
		}
		user, session = c.User, s.newSession(ctx, c.User, key)
		session.Methods = []string{MethodMail}
		due, err = s.openOrChallenge(ctx, tx, post, c, session)
		return err
	})
	switch {
	case err != nil:
		return Tokens{}, noLink(err)
	case due != nil:
		return Tokens{}, due
	}
	return s.tokens(ctx, user, session, session.Refresh)
}

// mailedProof returns the flow that a form proves, or ErrLink. It takes the same statements for every flow, whomever it
// is for.
func (s *Service) mailedProof(ctx context.Context, in MailedProof, browser string) (MailToken, error) {
	flow := in.Flow
	if in.Token != "" {
		flow = browser
	}
	t, err := s.link(ctx, s.Store, LinkSignIn, flow)
	if errs.KindOf(err) == errs.Invalid { // no flow at all, too
		return t, ErrLink
	} else if err != nil {
		return t, err
	}
	if in.Token != "" {
		if t.Link == "" || subtle.ConstantTimeCompare([]byte(t.Link), []byte(ids.HashLinkToken(in.Token))) != 1 {
			return t, ErrLink
		}
		return t, nil
	}
	// Counted before it is looked at: many at once are no more tries than one after another.
	if err := s.Store.CountMailTry(ctx, t.Hash, typedTries); err != nil {
		return t, noLink(err)
	}
	if !isTyped(t.Code, flow, in.Code) {
		return t, ErrLink
	}
	return t, nil
}

// takeMailed uses up a flow, and returns its user, who is locked. A code is refused while others of the account were
// mistyped: whoever asks for many mails has no more tries. Links, which nobody guesses, go on.
func (s *Service) takeMailed(ctx context.Context, tx Store, t MailToken, byCode bool) (Credentials, error) {
	c, err := tx.User(ctx, t.UserID) // before its links: see Store
	if err != nil {
		return c, err
	}
	if byCode {
		all, err := tx.MailTokensOf(ctx, c.ID, LinkSignIn)
		if err != nil {
			return c, err
		}
		tries := 0
		for _, other := range all {
			if other.live(s.Now()) {
				tries += other.Tries
			}
		}
		if tries > typedTries {
			return c, ErrLink
		}
	}
	if err := tx.TakeMailToken(ctx, t.Hash); err != nil {
		return c, err
	}
	switch {
	case !c.Active || t.Generation != c.Generation || t.Address != c.Email || !t.live(s.Now()):
		return c, ErrLink
	case c.isStaff(): // since the mail
		return c, ErrStaffMethod
	}
	return c, nil
}

// proveByMail notes that somebody outside of the account's sessions reads its mail, and returns the user as they are
// then. c is locked.
func (s *Service) proveByMail(ctx context.Context, tx Store, post poster, c Credentials) (Credentials, error) {
	if !c.ProvenAt.IsZero() {
		return c, nil
	}
	if err := post(s.letterReclaimed(ctx, c.User)); err != nil {
		return c, err
	}
	return s.provenOutside(ctx, tx, c)
}

// letterMailedSignIn has a link and a code to sign in with. The code is alone on its line, for programs that fill it
// in.
func (s *Service) letterMailedSignIn(ctx context.Context, u User, token, code string) letter {
	return letterTo(ctx, u, template.SignInLink,
		values{template.Link: s.PublicURL + "/sign-in/link#" + token, template.Code: code})
}

// letterStaffSignIn tells staff that they do not sign in by mail. It has no link.
func letterStaffSignIn(ctx context.Context, u User) letter {
	return letterTo(ctx, u, template.StaffSignIn, nil)
}

// letterReclaimed tells whoever reads u's mail that what the account had before is gone.
func (s *Service) letterReclaimed(ctx context.Context, u User) letter {
	return letterTo(ctx, u, template.ReclaimedByMail, s.now())
}

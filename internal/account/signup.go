package account

import (
	"context"
	"fmt"

	"stoa/internal/base/errs"
	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// RegistrationMode says who may create an account (contract 2.15).
type RegistrationMode string

// The modes.
const (
	RegistrationOpen      RegistrationMode = "open"       // everybody, at once
	RegistrationMailFirst RegistrationMode = "mail-first" // whoever reads mail to the address, with SignUp
	RegistrationClosed    RegistrationMode = "closed"     // nobody
)

// ParseRegistration reads a mode's name; the empty name is RegistrationOpen.
func ParseRegistration(name string) (RegistrationMode, error) {
	switch m := RegistrationMode(name); m {
	case "":
		return RegistrationOpen, nil
	case RegistrationOpen, RegistrationMailFirst, RegistrationClosed:
		return m, nil
	}
	return "", fmt.Errorf("registration %q is not known: use %s, %s or %s",
		name, RegistrationOpen, RegistrationMailFirst, RegistrationClosed)
}

var (
	errMailFirst = errs.New(errs.Forbidden, "REGISTRATION_CLOSED",
		"Accounts begin with a mail here: open the page \"Create an account\", or send the address to /auth/sign-up.")
	errRegistrationClosed = errs.New(errs.Forbidden, "REGISTRATION_CLOSED", "No accounts can be created here.")

	errNoSignUp = errs.New(errs.NotFound, "NOT_FOUND", "Accounts do not begin with a mail here.")
)

// RegistrationAllowed returns REGISTRATION_CLOSED unless everybody may register at once.
func (s *Service) RegistrationAllowed() error {
	switch s.LastRules().Registration {
	case RegistrationMailFirst:
		return errMailFirst
	case RegistrationClosed:
		return errRegistrationClosed
	default:
		return nil
	}
}

// SignUpAllowed returns an errs.NotFound error unless accounts begin with a mail.
func (s *Service) SignUpAllowed() error {
	if s.LastRules().Registration != RegistrationMailFirst {
		return errNoSignUp
	}
	return nil
}

// SignUp is the form of somebody who wants an account.
type SignUp struct {
	Email string `json:"email"`
}

// Issues returns what is wrong with in.
func (in SignUp) Issues() errs.Issues {
	var f faults
	f.email(in.Email)
	return f.Issues
}

// SignUp mails a link that makes an account to an address, or, if the address has one, a mail that says so,
// unless the mailbox has had enough mails. The error is an errs.NotFound if accounts do not begin with a
// mail, or VALIDATION_ERROR. Otherwise it returns nil at once and looks the address up in the background, so
// that neither the answer nor its time tells whether it has an account.
func (s *Service) SignUp(ctx context.Context, email string) error {
	if err := s.SignUpAllowed(); err != nil {
		return err
	}
	if err := (SignUp{email}).Issues().Err(); err != nil {
		return err
	}
	s.Mailer.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		return s.composeSignUp(ctx, email)
	})
	return nil
}

// composeSignUp makes a link for an address that is free. It returns false if the mailbox gets no mail now.
func (s *Service) composeSignUp(ctx context.Context, email string) (l letter, ok bool, err error) {
	err = s.Store.InTx(ctx, func(tx Store) error {
		if ok, err = s.mayMail(ctx, tx, email); !ok || err != nil {
			return err
		}
		free, err := s.isFree(ctx, tx, email)
		if err != nil {
			return err
		}
		if !free {
			c, err := tx.UserByEmail(ctx, Key(email)) // nobody if the address is held for somebody
			l = letterHasAccount(ctx, email, c.User)
			return ignore(err, errs.NotFound)
		}
		t, token := s.newLink(LinkSignUp, Credentials{}, email)
		l = s.letterSignUp(ctx, email, token)
		return tx.CreateMailToken(ctx, t)
	})
	if err != nil {
		return letter{}, false, fmt.Errorf("account: sign-up: %w", err)
	}
	return l, ok, nil
}

// isFree reports whether no account has an address, or may take it back.
func (s *Service) isFree(ctx context.Context, tx Store, email string) (bool, error) {
	_, err := tx.UserByEmail(ctx, Key(email))
	if errs.KindOf(err) != errs.NotFound {
		return false, err
	}
	held, err := tx.HasHeld(ctx, "", Key(email), s.Now())
	return !held, err
}

// NewAccount is the form behind a link of SignUp.
type NewAccount struct {
	Token    string `json:"token"`
	Username string `json:"username"`
	Password string `json:"password"`
}

// NewAccountIssues returns what is wrong with in, whatever its token.
func (s *Service) NewAccountIssues(in NewAccount) errs.Issues {
	var f faults
	f.Require("token", in.Token)
	f.username("username", in.Username)
	f.newPassword(s, "password", in.Password, in.Username)
	return f.Issues
}

// CompleteSignUp creates the account of the address to which the token was mailed, which is proven then, and
// signs it in. Of several calls with one token, on any replicas, one succeeds. The error is an
// errs.NotFound if accounts do not begin with a mail, VALIDATION_ERROR with every fault, ErrLink, also if the
// address has got an account meanwhile, ErrTaken if the username is taken, or password.ErrBusy. After any
// error but ErrLink the link still works.
func (s *Service) CompleteSignUp(ctx context.Context, in NewAccount) (Tokens, error) {
	if err := s.SignUpAllowed(); err != nil {
		return Tokens{}, err
	}
	if err := s.NewAccountIssues(in).Err(); err != nil {
		return Tokens{}, err
	}
	// First without a lock, so that tokens that do not work cannot keep the hasher busy.
	link, err := s.link(ctx, s.Store, LinkSignUp, in.Token)
	if err != nil {
		return Tokens{}, err
	}
	u := User{Email: link.Address, Username: in.Username, Role: reqctx.RoleUser}
	if err := s.notOwnName("password", in.Password, u); err != nil {
		return Tokens{}, err
	}
	c, err := s.newUser(ctx, u, in.Password)
	if err != nil {
		return Tokens{}, err
	}
	c.ProvenAt = c.CreatedAt
	return s.createSignedIn(ctx, c, in.Password, func(tx Store, _ poster) error {
		if err := tx.TakeMailToken(ctx, ids.HashLinkToken(in.Token)); err != nil {
			return noLink(err)
		}
		if free, err := s.isFree(ctx, tx, c.Email); err != nil {
			return err
		} else if !free {
			return ErrLink
		}
		if err := s.createUser(ctx, tx, c); err != nil {
			return err
		}
		if err := s.record(ctx, tx, audit.UserVerifyEmail, c.ID, audit.Details{"email": c.Email}); err != nil {
			return err
		}
		names := event.Names{UserID: c.ID}
		return tx.Publish(ctx, event.New(s.Now(), event.UserRegistered, names),
			event.New(s.Now(), event.UserEmailVerified, names))
	})
}

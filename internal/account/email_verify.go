package account

import (
	"context"

	"stoa/internal/base/event"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/trust/audit"
)

// proofLinks are the tokens of a mail that asks for a proof of a mailbox. Disown is empty for staff.
type proofLinks struct{ Verify, Disown string }

// askProof mails links that prove the address of an account, or shut an account that somebody else made with
// it, unless the mailbox gets no mail now.
func (s *Service) askProof(ctx context.Context, tx Store, c Credentials, post poster) error {
	if ok, err := s.mayMail(ctx, tx, c.Email); !ok || err != nil {
		return err
	}
	var links proofLinks
	verify, token := s.newLink(LinkVerify, c, c.Email)
	links.Verify = token
	if err := tx.CreateMailToken(ctx, verify); err != nil {
		return err
	}
	if !c.isStaff() {
		disown, token := s.newLink(LinkDisown, c, c.Email)
		links.Disown = token
		if err := tx.CreateMailToken(ctx, disown); err != nil {
			return err
		}
	}
	return post(s.letterProof(ctx, c.User, links))
}

// RequestProof mails the user a link that proves the address, unless it is proven or the mailbox has had
// enough mails. It tells neither.
func (s *Service) RequestProof(ctx context.Context, userID string) error {
	return s.inTxWithMail(ctx, func(tx Store, post poster) error {
		c, err := tx.User(ctx, userID)
		if err != nil || !c.ProvenAt.IsZero() {
			return noUser(err)
		}
		return s.askProof(ctx, tx, c, post)
	})
}

// VerifyEmail marks the address of a user as proven, with the token of a mail to it. It is for a session of
// that user, so that nobody proves the address of an account that somebody else made with it. The error is
// VALIDATION_ERROR or ErrLink.
func (s *Service) VerifyEmail(ctx context.Context, userID, token string) error {
	return s.Store.InTx(ctx, func(tx Store) error {
		c, err := tx.User(ctx, userID) // before its links: see Store
		if err != nil {
			return noUser(err)
		}
		t, err := s.link(ctx, tx, LinkVerify, token)
		if err != nil {
			return err
		}
		if t.UserID != c.ID || t.Generation != c.Generation || t.Address != c.Email {
			return ErrLink
		}
		if err := tx.DeleteMailTokens(ctx, c.ID, LinkVerify, LinkDisown); err != nil || !c.ProvenAt.IsZero() {
			return err
		}
		if err := tx.SetProven(ctx, c.ID, s.Now()); err != nil {
			return err
		}
		if err := s.record(ctx, tx, audit.UserVerifyEmail, c.ID, audit.Details{"email": c.Email}); err != nil {
			return err
		}
		return s.announce(ctx, tx, event.UserEmailVerified, c.ID)
	})
}

// DisownEmail shuts an account that somebody made with a mailbox that is not theirs, and frees its
// address. The token comes from a mail to it. It does not work once the address is proven, and never for
// staff. The error is VALIDATION_ERROR or ErrLink.
func (s *Service) DisownEmail(ctx context.Context, token string) error {
	return s.byLink(ctx, LinkDisown, token, func(tx Store, _ poster, c Credentials, t MailToken) error {
		if !c.ProvenAt.IsZero() || c.isStaff() || t.Address != c.Email {
			return ErrLink
		}
		if err := s.reclaim(ctx, tx, c); err != nil {
			return err
		}
		if err := tx.SetEmail(ctx, c.ID, ids.New()+disowned, c.ProvenAt); err != nil {
			return err
		}
		if err := tx.SetActive(ctx, c.ID, false); err != nil {
			return err
		}
		if err := s.record(ctx, tx, audit.UserDisownEmail, c.ID, audit.Details{"email": c.Email}); err != nil {
			return err
		}
		return s.announce(ctx, tx, event.UserEmailChanged, c.ID)
	})
}

// disowned is the domain of the addresses of accounts whose address was freed. No mailbox is there
// (RFC 2606). What stands before it is random: nobody can take it first, as whoever made the account could
// take its id.
const disowned = "@disowned.invalid"

// record appends an entry about a user to the audit log.
func (s *Service) record(
	ctx context.Context, tx Store, action audit.Action, userID string, details audit.Details,
) error {
	return tx.Record(ctx, audit.New(ctx, s.Now(), action, audit.Target{Type: "user", ID: userID}, details))
}

// announce publishes an event about a user.
func (s *Service) announce(ctx context.Context, tx Store, kind event.Type, userID string) error {
	return tx.Publish(ctx, event.New(s.Now(), kind, event.Names{UserID: userID}))
}

// isStaff reports whether u has a role beyond that of a customer, active or not.
func (u User) isStaff() bool { return u.Role != reqctx.RoleUser }

package order

import (
	"context"
	"fmt"
	"time"

	"stoa/internal/caller"
	"stoa/internal/errs"
	"stoa/internal/linktoken"
	"stoa/internal/mail"
)

// ClaimLife is how long the token in a mail works after it was made.
const ClaimLife = time.Hour

// claimMails is how many mails with a token a mailbox gets.
var claimMails = Allowance{AtOnce: 3, Every: 20 * time.Minute}

// ErrClaimToken is returned for every token that claims nothing: unknown,
// expired, used, or another user's.
var ErrClaimToken = errs.New(errs.Invalid, "INVALID_CLAIM_TOKEN", "This token does not work, or not any more. Ask for a new mail.")

// Claim is a mail with a token that gives orders placed without an account to a
// user. It is open until it is used or ClaimLife passes.
//
// An account alone proves nothing about its e-mail address, which nobody
// verified; who read the mail proved it.
type Claim struct {
	Hash      string // of the token, which is not kept
	UserID    string
	EmailKey  string // of the address that was mailed to
	CreatedAt time.Time
}

// RequestClaim mails the user in ctx a token for the orders that were placed
// without an account with the e-mail address of the user's account, if there are
// any, and not more often than allowed. It returns at once and always nothing:
// what there is is looked up in the background, so that neither the answer nor
// its time tells what somebody bought with an address that may be another's.
func (s *Service) RequestClaim(ctx context.Context) {
	user := caller.From(ctx).UserID
	if user == "" {
		return
	}
	s.Poster.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		m, ok, err := s.composeClaim(ctx, user)
		if err != nil {
			return mail.Message{}, false, fmt.Errorf("market: claim: %w", err)
		}
		return m, ok, nil
	})
}

// composeClaim makes a claim and the mail with its token. It returns false when
// there is nothing to claim, or the allowance is used up.
func (s *Service) composeClaim(ctx context.Context, userID string) (mail.Message, bool, error) {
	email, err := s.Users.Email(ctx, userID)
	if errs.KindOf(err) == errs.NotFound {
		return mail.Message{}, false, nil
	} else if err != nil {
		return mail.Message{}, false, err
	}
	key, now := EmailKey(email), s.Now()
	if key == "" {
		return mail.Message{}, false, nil
	}
	if err := s.Claims.DeleteClaims(ctx, now.Add(-ClaimLife)); err != nil {
		return mail.Message{}, false, err
	}
	token, wanted := linktoken.New(), false
	err = s.Claims.InTx(ctx, func(tx ClaimStore) error {
		wanted = false
		if some, err := tx.HasUnclaimed(ctx, key); err != nil || !some {
			return err
		}
		if later, err := tx.Allow(ctx, "claim:"+mailboxKey(email), claimMails, now); err != nil || !later.IsZero() {
			return err
		}
		wanted = true
		return tx.CreateClaim(ctx, Claim{Hash: linktoken.Hash(token), UserID: userID, EmailKey: key, CreatedAt: now})
	})
	if err != nil || !wanted {
		return mail.Message{}, false, err
	}
	return s.claimMail(email, token), true, nil
}

// ClaimRequest is what somebody sends who has a token from a mail.
type ClaimRequest struct {
	Token string `json:"token"`
}

// Issues returns what is wrong with r.
func (r ClaimRequest) Issues() []errs.Issue {
	var is errs.Issues
	if r.Token == "" {
		is.Add("token", "required", "token is required.")
	}
	return is.List()
}

// Claim gives all orders that were placed without an account with the
// address that the token was mailed to, and their licences, to the user in ctx,
// who must have asked for the mail. It returns how many orders they were. Of
// several calls with one token, on whichever replica, one succeeds.
//
// It returns VALIDATION_ERROR for what ClaimRequest.Issues finds, and
// ErrClaimToken.
func (s *Service) Claim(ctx context.Context, r ClaimRequest) (claimed int, err error) {
	if err := errs.Validation(r.Issues()...); err != nil {
		return 0, err
	}
	user := caller.From(ctx).UserID
	if user == "" { // a service: its claims would be those of nobody in particular
		return 0, ErrClaimToken
	}
	err = s.Claims.InTx(ctx, func(tx ClaimStore) error {
		c, err := tx.TakeClaim(ctx, linktoken.Hash(r.Token), user, s.Now().Add(-ClaimLife))
		if errs.KindOf(err) == errs.NotFound {
			return ErrClaimToken
		} else if err != nil {
			return err
		}
		claimed, err = tx.ClaimOrders(ctx, c.EmailKey, user)
		return err
	})
	return claimed, err
}

// claimMail is the mail with a token. Nothing in it was chosen by whoever asked.
func (s *Service) claimMail(to, token string) mail.Message {
	return mail.Message{
		To:      to,
		Subject: "Claim your orders",
		Text: "Somebody signed in at " + siteOf(s.SiteName, s.PublicURL) + " with the e-mail address\n" + to + " wants to have the orders that were placed with\n" +
			"this address, but without an account, in that account.\n\n" +
			"If it was you, open this link within one hour and sign in. It works once:\n\n" +
			s.PublicURL + "/claim-orders#" + token + "\n\n" +
			"If it was not you, ignore this mail: nothing changes, and nobody but you has\nthis link. Do not pass it on: with it, your licence keys can be seen.\n",
	}
}

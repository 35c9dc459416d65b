package order

import (
	"context"
	"fmt"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
)

// ClaimLife is how long a token in a mail is valid.
const ClaimLife = time.Hour

// Claim is a mailed token with which a user takes over orders that were placed without an account. It
// is valid until it is used or ClaimLife has passed.
//
// The address of an account is unverified, so having the account proves nothing. Reading the mail does.
type Claim struct {
	Hash      string // of the token, which is not stored
	UserID    string
	EmailKey  string // of the address that the token was mailed to
	CreatedAt time.Time
}

// RequestClaim mails the user in ctx a token for the orders that were placed without an account but
// with the account's e-mail address. It sends nothing if there are no such orders or the allowance is
// used up.
//
// It works in the background and returns no result: the address may be somebody else's, and neither the
// answer nor its timing may reveal what was bought with it.
func (s *Service) RequestClaim(ctx context.Context) {
	user := reqctx.CallerFrom(ctx).UserID
	if user == "" {
		return
	}
	s.Poster.Post(ctx, func(ctx context.Context) (mail.Message, bool, error) {
		m, ok, err := s.composeClaim(ctx, user)
		if err != nil {
			return mail.Message{}, false, fmt.Errorf("order: claim: %w", err)
		}
		return m, ok, nil
	})
}

// composeClaim creates a claim and the mail with its token. It returns false if there is nothing to
// claim or the allowance is used up.
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
	token, created := ids.NewLinkToken(), false
	err = s.Claims.InTx(ctx, func(tx ClaimStore) error {
		created = false
		if unclaimed, err := tx.HasUnclaimed(ctx, key); err != nil || !unclaimed {
			return err
		}
		if later, err := tx.Allow(ctx, "claim:"+mailboxKey(email), claimMails, now); err != nil || !later.IsZero() {
			return err
		}
		created = true
		return tx.CreateClaim(ctx, Claim{Hash: ids.HashLinkToken(token), UserID: userID, EmailKey: key, CreatedAt: now})
	})
	if err != nil || !created {
		return mail.Message{}, false, err
	}
	return s.claimMail(email, reqctx.LanguageFrom(ctx), token), true, nil
}

// ClaimRequest redeems the token of a Claim.
type ClaimRequest struct {
	Token string `json:"token"`
}

// Issues returns what is wrong with the request.
func (r ClaimRequest) Issues() errs.Issues {
	var is errs.Issues
	if r.Token == "" {
		is.Add("token", errs.CodeRequired, "token is required.")
	}
	return is
}

// Claim gives the user in ctx all orders that were placed without an account but with the address the
// token was mailed to, and their licenses. It returns the number of orders. The user must have requested
// the token, or have an account with the address of the receipt that it was in (Link). Of several calls
// with one token, on any replicas, one succeeds.
//
// It returns VALIDATION_ERROR for what ClaimRequest.Issues finds, and ErrClaimToken.
func (s *Service) Claim(ctx context.Context, r ClaimRequest) (claimed int, err error) {
	if err := r.Issues().Err(); err != nil {
		return 0, err
	}
	user := reqctx.CallerFrom(ctx).UserID
	if user == "" { // a service token: no user could own the orders
		return 0, ErrClaimToken
	}
	email, err := s.Users.Email(ctx, user)
	if errs.KindOf(err) == errs.NotFound {
		return 0, ErrClaimToken
	} else if err != nil {
		return 0, err
	}
	err = s.Claims.InTx(ctx, func(tx ClaimStore) error {
		key, err := s.takeToken(ctx, tx, r.Token, user, email)
		if err != nil {
			return err
		}
		claimed, err = tx.ClaimOrders(ctx, key, user)
		return err
	})
	return claimed, err
}

// claimMail is the mail with a token. Whoever requested it chose nothing in it.
func (s *Service) claimMail(to, language, token string) mail.Message {
	return template.Claim.Message(to, language, map[string]string{template.Link: s.PublicURL + claimPage + "#" + token})
}

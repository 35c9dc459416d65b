package order

import (
	"context"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/ids"
)

// LinkLife is how long the link in a guest's receipt works. Longer than ClaimLife, because nobody asked
// for this mail; short, because people pass receipts on.
const LinkLife = 7 * 24 * time.Hour

// Link is the token in the receipt of an order that was placed without an account. It proves that its
// bearer reads the mail of that address: with it, an account with the same address takes the orders over
// at once. It is valid until it is used or LinkLife has passed.
type Link struct {
	Hash      string // of the token, which is not stored
	EmailKey  string
	Email     string // the address that the receipt was mailed to
	CreatedAt time.Time
}

// OpenLink returns the address to which a link was mailed whose orders nobody has claimed. It does not use
// the link up. It returns VALIDATION_ERROR for what ClaimRequest.Issues finds, and ErrClaimToken.
func (s *Service) OpenLink(ctx context.Context, r ClaimRequest) (email string, err error) {
	if err := r.Issues().Err(); err != nil {
		return "", err
	}
	l, err := s.Claims.Link(ctx, ids.HashLinkToken(r.Token), s.Now().Add(-LinkLife))
	if errs.KindOf(err) == errs.NotFound {
		return "", ErrClaimToken
	} else if err != nil {
		return "", err
	}
	if some, err := s.Claims.HasUnclaimed(ctx, l.EmailKey); err != nil {
		return "", err
	} else if !some {
		return "", ErrClaimToken
	}
	return l.Email, nil
}

// takeToken uses a token up, a Claim's or a Link's, and returns the EmailKey whose orders it is for, or
// ErrClaimToken. email is that of the user's account: a link works for no other.
func (s *Service) takeToken(ctx context.Context, tx ClaimStore, token, userID, email string) (string, error) {
	hash, now := ids.HashLinkToken(token), s.Now()
	c, err := tx.TakeClaim(ctx, hash, userID, now.Add(-ClaimLife))
	if err == nil {
		return c.EmailKey, nil
	}
	if key := EmailKey(email); errs.KindOf(err) == errs.NotFound && key != "" {
		if err = tx.TakeLink(ctx, hash, key, now.Add(-LinkLife)); err == nil {
			return key, nil
		}
	}
	if errs.KindOf(err) == errs.NotFound {
		return "", ErrClaimToken
	}
	return "", err
}

// link makes the link of a receipt, and returns its address; "" if the order belongs to an account.
func (c *Courier) link(ctx context.Context, d DueReceipt, to string) (string, error) {
	if !d.guests() {
		return "", nil
	}
	token := ids.NewLinkToken()
	l := Link{Hash: ids.HashLinkToken(token), EmailKey: EmailKey(to), Email: to, CreatedAt: c.Now()}
	if err := c.Store.CreateLink(ctx, l); err != nil {
		return "", err
	}
	return c.PublicURL + claimPage + "#" + token, nil
}

// claimPage is where stoa's pages take the tokens of links.
const claimPage = "/claim-orders"

// Package sales makes up what a shop has sold within the last thirty days, so that a demo's console
// shows what it is for. It asks the services that sell to people, with a clock that is set to the
// past, and writes nothing beside them. Each order and license is marked as made up.
package sales

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
)

// Start is when a demo began, and what its orders' ids derive from. A Make that was interrupted goes on
// with the same.
type Start struct {
	At   time.Time `json:"at"`
	Seed string    `json:"seed"`
}

// NewStart returns a new Start at now.
func NewStart(now time.Time) Start {
	return Start{At: now.UTC().Truncate(time.Second), Seed: rand.Text()}
}

// Make makes the sales that preceded b.At. It may be repeated with the same b: that changes nothing,
// and completes what an earlier call left undone. Products that the shop does not offer are left out.
func (s *Shop) Make(ctx context.Context, b Start) error { return s.make(ctx, b, plan()) }

func (s *Shop) make(ctx context.Context, b Start, list []sale) error {
	accounts := make(map[string]string) // ids of users by address
	for i, next := range list {
		at := b.At.Add(-next.ago)
		if next.buyer.account && accounts[next.buyer.domain] == "" {
			s.now = at.Add(-7 * time.Minute)
			id, err := s.register(ctx, next.buyer)
			if err != nil {
				return fmt.Errorf("register %s: %w", next.buyer.email(), err)
			}
			accounts[next.buyer.domain] = id
		}
		buying := ctx
		if id := accounts[next.buyer.domain]; id != "" {
			buying = reqctx.WithCaller(ctx, reqctx.Caller{UserID: id, Role: reqctx.RoleUser})
		}
		if err := s.sell(buying, next, at, orderID(b.Seed, i)); err != nil {
			return fmt.Errorf("sell %s to %s: %w", next.offer.slug, next.buyer.email(), err)
		}
	}
	return nil
}

// register returns the id of the buyer's account, which it creates unless there is one.
func (s *Shop) register(ctx context.Context, b buyer) (string, error) {
	name, _, _ := strings.Cut(b.domain, ".")
	made, err := s.accounts.Register(ctx, account.Registration{
		Email: b.email(), Username: name, Password: rand.Text(),
	})
	if !errors.Is(err, account.ErrTaken) {
		return made.User.ID, err
	}
	is, err := s.accounts.Store.UserByEmail(ctx, account.Key(b.email()))
	if errs.KindOf(err) == errs.NotFound {
		return "", nil // somebody else has the name: a guest, then
	}
	return is.ID, err
}

// sell makes a sale and what followed.
func (s *Shop) sell(ctx context.Context, next sale, at time.Time, id string) error {
	s.now = at
	bought, err := s.orders.Purchase(ctx, next.offer.slug, order.PurchaseRequest{
		TierID: next.offer.tier, PaymentMethod: "card", OrderID: id,
		Billing: &order.BillingInfo{Name: next.buyer.name, Email: next.buyer.email(), Company: next.buyer.company},
	})
	if errors.Is(err, order.ErrNotForSale) || errors.Is(err, order.ErrTierNotFound) || errors.Is(err, order.ErrIDTaken) {
		return nil // or it was made before an interruption, and claimed since
	} else if err != nil {
		return err
	}
	for i, name := range next.instances {
		s.now = at.Add(time.Duration(9+i) * time.Minute)
		_, err := s.licenses.Activate(ctx, next.offer.slug, license.UseRequest{
			LicenseKey: bought.LicenseKey.Reveal(), InstanceID: name,
		})
		if errors.Is(err, license.ErrUnusable) || errors.Is(err, license.ErrTooManyInstances) {
			break // refunded before an interruption, or the operator's tier has fewer seats
		} else if err != nil {
			return err
		}
	}
	if next.refund == 0 {
		return nil
	}
	s.now = at.Add(next.refund)
	_, err = s.orders.Refund(ctx, id, order.RefundRequest{})
	return err
}

// orderID returns the id of the order with that number, in the form of ids.New.
func orderID(seed string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", seed, n))
	return "d" + hex.EncodeToString(sum[:])[:23]
}

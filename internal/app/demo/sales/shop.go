package sales

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/event"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// Shop is a running stoa's services with a clock of their own. What they sell is marked as made up.
type Shop struct {
	accounts *account.Service
	orders   *order.Service
	licenses *license.Service
	now      time.Time
}

// NewShop returns a Shop over the same database as the given services. No mail is sent, nothing is
// charged, and no subscriber hears of what it does.
func NewShop(accounts *account.Service, orders *order.Service, licenses *license.Service) *Shop {
	s := &Shop{}
	clock := func() time.Time { return s.now }
	a, o, l := *accounts, *orders, *licenses
	a.NoMail = true // nobody reads mail to addresses that are made up
	a.Book = account.Fixed{}
	a.Now, a.Store, a.Hasher = clock, silent{accounts.Store}, locked{accounts.Hasher}
	l.Now, l.Churn = clock, 0
	o.Now, o.Demo, o.Licenses, o.Payments = clock, true, &l, payment.Test{}
	o.Courier, o.Poster, o.Administrators = nil, nil, nil
	s.accounts, s.orders, s.licenses = &a, &o, &l
	return s
}

// silent is the accounts of a Store whose users are made up: nobody is told of them, and they are
// signed in nowhere.
type silent struct{ account.Store }

func (silent) Publish(context.Context, ...event.Event) error { return nil }

func (silent) CreateSession(context.Context, account.Session) error { return nil }

func (s silent) InTx(ctx context.Context, fn func(account.Store) error) error {
	return s.Store.InTx(ctx, func(tx account.Store) error { return fn(silent{tx}) })
}

// locked gives users a password that nobody has.
type locked struct{ account.Hasher }

func (l locked) Hash(context.Context, string) (string, error) { return l.Dummy(), nil }

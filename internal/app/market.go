package app

import (
	"context"
	"fmt"
	"path/filepath"

	"stoa/internal/blob"
	"stoa/internal/market"
	"stoa/internal/store"
)

// buildMarket makes the market, the files it shows and, at first start, the keys
// that sign for its licenses.
func (a *App) buildMarket(ctx context.Context, cfg Config) error {
	a.LicenseKeys = a.ring(cfg, market.KeyPurpose)
	if err := a.LicenseKeys.Init(ctx); err != nil {
		return err
	}
	if cfg.Leases == (market.LeaseTerms{}) {
		cfg.Leases = market.DefaultLeaseTerms
	}
	if err := cfg.Leases.Check(); err != nil {
		return err
	}
	media, err := blob.Open(filepath.Join(cfg.DataDir, "media"))
	if err != nil {
		return err
	}
	a.media = media
	dev, churn, err := seatRules(cfg)
	if err != nil {
		return err
	}
	payments, err := newPayments(cfg)
	if err != nil {
		return err
	}
	keys := market.NewKeys(cfg.MasterKey)
	a.courier = &market.Courier{
		Outbox: store.NewReceipts(a.DB), Keys: keys, Buyers: buyers{a}, Mailer: a.mailer, Log: cfg.Log, Now: cfg.Now, PublicURL: cfg.PublicURL,
	}
	catalog := &market.CatalogService{Store: store.NewProducts(a.DB), Media: media, Now: cfg.Now}
	licenses := &market.LicenseService{
		Store: store.NewLicenses(a.DB), Products: catalog, Users: buyers{a}, Keys: keys, Now: cfg.Now,
		PublicURL: cfg.PublicURL, LeaseKeys: a.LicenseKeys, Leases: cfg.Leases, DevInstances: dev, Churn: churn,
	}
	orders := &market.OrderService{
		Store: store.NewSales(a.DB), Claims: store.NewOrders(a.DB), Products: catalog, Licenses: licenses, Users: buyers{a},
		Payments: payments, Keys: keys, Now: cfg.Now, Courier: a.courier, Poster: a.Mail, PublicURL: cfg.PublicURL,
	}
	reviews := &market.ReviewService{Store: store.NewReviews(a.DB), Products: catalog, Now: cfg.Now}
	a.Market = &market.Service{CatalogService: catalog, LicenseService: licenses, OrderService: orders, ReviewService: reviews,
		Catalogue: catalog.Store, Sales: orders.Store, Licenses: licenses.Store, Orders: orders.Claims, Reviews: reviews.Store, Keys: keys}
	return nil
}

// buyers implements market.Buyers with the accounts of an App, which are made
// after its market.
type buyers struct{ app *App }

// Email implements market.Buyers.
func (b buyers) Email(ctx context.Context, userID string) (string, error) {
	u, err := b.app.Accounts.User(ctx, userID)
	return u.Email, err
}

// seatRules reads which instances need no seat, and how often others change.
func seatRules(cfg Config) (market.DevInstances, market.ChurnLimit, error) {
	patterns := cfg.DevInstances
	if patterns == nil {
		patterns = market.DefaultDevInstances()
	}
	dev, err := market.ParseDevInstances(patterns)
	if err == nil && (cfg.LicenseChurn < 0 || cfg.LicenseChurn > market.MaxChurn) {
		err = fmt.Errorf("license churn: %d is not between 0 and %d", cfg.LicenseChurn, market.MaxChurn)
	}
	return dev, market.ChurnLimit(cfg.LicenseChurn), err
}

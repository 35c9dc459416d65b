package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"stoa/internal/account"
	"stoa/internal/account/mailbox"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/blob"
	"stoa/internal/message/mail"
	"stoa/internal/operate/settings"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/release"
	"stoa/internal/shop/review"
	"stoa/internal/store"
)

// buildMarket builds the services of the market and the media folder. It creates the
// license signing keys at the first start.
func (a *App) buildMarket(ctx context.Context, cfg Config) error {
	a.LicenseKeys = a.ring(cfg, license.KeyPurpose)
	if err := a.LicenseKeys.Init(ctx); err != nil {
		return err
	}
	if cfg.Leases == (license.LeaseTerms{}) {
		cfg.Leases = license.DefaultLeaseTerms
	}
	if err := cfg.Leases.Check(); err != nil {
		return err
	}
	if err := license.CheckLeeway(cfg.RenewalLeeway); err != nil {
		return err
	}
	media, err := blob.Open(filepath.Join(cfg.DataDir, mediaFolder), cfg.Storage, mediaFolder+"/")
	if err != nil {
		return err
	}
	a.media = media
	if err := media.Bound(cfg.MediaCache); err != nil {
		return err
	}
	dev, churn, err := seatRules(cfg)
	if err != nil {
		return err
	}
	payments, err := newPayments(cfg)
	if err != nil {
		return err
	}
	keys := license.NewVault(cfg.MasterKey)
	a.courier = &order.Courier{
		Store: store.NewReceipts(a.DB), Vault: keys, Users: buyers{a}, Mailer: a.mailer,
		Log: cfg.Log, Now: cfg.Now, PublicURL: cfg.PublicURL, Limit: cfg.InnerLimit,
	}
	a.Catalog = &catalog.Service{
		Store: store.NewProducts(a.DB), Media: media, Known: catalog.NewKnownSlugs(), Now: cfg.Now,
	}
	a.Licenses = &license.Service{
		Store: store.NewLicenses(a.DB), Products: a.Catalog, Users: buyers{a}, Vault: keys, Now: cfg.Now,
		PublicURL: cfg.PublicURL, LeaseKeys: a.LicenseKeys, Leases: cfg.Leases, DevInstances: dev, Churn: churn,
	}
	customers, err := a.hashSecret(ctx, cfg.MasterKey, store.SettingCustomerSecret,
		cfg.MasterKey.Known()[0].Derive(discount.HashPurpose))
	if err != nil {
		return err
	}
	a.Discounts = &discount.Service{
		Store: store.NewDiscounts(a.DB), Now: cfg.Now, Mailbox: mailbox.Key, Secret: customers,
	}
	a.Orders = &order.Service{
		Store: store.NewOrders(a.DB), Claims: store.NewClaims(a.DB), Products: a.Catalog, Licenses: a.Licenses,
		Users: buyers{a}, Payments: payments, Vault: keys, Now: cfg.Now, Courier: a.courier, Poster: a.Mail,
		PublicURL: cfg.PublicURL, RenewalLeeway: cfg.RenewalLeeway,
		Administrators: buyers{a}, Discounts: a.Discounts,
	}
	a.Reviews = &review.Service{Store: store.NewReviews(a.DB), Products: a.Catalog, Now: cfg.Now}
	a.Releases = &release.Service{
		Store: store.NewReleases(a.DB), Products: a.Catalog, Licenses: a.Licenses, Installer: a.installer,
		Now: cfg.Now,
	}
	a.buildMarkets(cfg)
	return a.buildOrigin(ctx, cfg)
}

// fillKeyTails records the last group of the key of licenses that were issued before the database
// stored it, so that administrators can find them by that group.
func (a *App) fillKeyTails(ctx context.Context, cfg Config) {
	err := license.NewVault(cfg.MasterKey).FillTails(ctx, store.NewLicenses(a.DB))
	if err != nil && ctx.Err() == nil {
		cfg.Log.WarnContext(ctx, "old licenses cannot be found by the last group of their key until the next start",
			slog.Any("err", err))
	}
}

// buyers implements order.Users and license.Users with the accounts of an App, which are built after
// its market.
type buyers struct{ app *App }

// Email implements order.Users and license.Users.
func (b buyers) Email(ctx context.Context, userID string) (string, error) {
	u, err := b.app.Accounts.User(ctx, userID)
	return u.Email, err
}

// Language implements order.Users.
func (b buyers) Language(ctx context.Context, userID string) (string, error) {
	return b.app.Accounts.Language(ctx, userID)
}

// Admins implements order.Administrators and webhook.Administrators.
func (b buyers) Admins(ctx context.Context) ([]mail.Reader, error) {
	active := true
	const limit = 100 // more would be a mistake
	users, _, err := b.app.Accounts.ListUsers(ctx,
		account.UserQuery{Role: reqctx.RoleAdmin, Active: &active, Limit: limit})
	readers := make([]mail.Reader, len(users))
	for i, u := range users {
		readers[i] = mail.Reader{Address: u.Email, Language: u.Language}
	}
	return readers, err
}

// seatRules returns the configured rules for development instances and for the churn of the others.
func seatRules(cfg Config) (license.DevInstances, license.ChurnLimit, error) {
	patterns := cfg.DevInstances
	if patterns == nil {
		patterns = license.DefaultDevInstances()
	}
	dev, err := license.ParseDevInstances(patterns)
	if err == nil && (cfg.LicenseChurn < 0 || cfg.LicenseChurn > license.MaxChurn) {
		err = fmt.Errorf("license churn: %d is not between 0 and %d", cfg.LicenseChurn, license.MaxChurn)
	}
	return dev, license.ChurnLimit(cfg.LicenseChurn), settings.Wrong(err)
}

package plugin

import (
	"context"
	"net/url"
	"time"
)

// Page is one page of a list.
type Page[T any] struct {
	Items      []T        `json:"items"`
	Pagination Pagination `json:"pagination"`
}

// Pagination says where in a list a page is.
type Pagination struct {
	Page       int `json:"page"`
	Limit      int `json:"limit"`
	Total      int `json:"total"` // entries on all pages
	TotalPages int `json:"totalPages"`
}

// Product is a published product, as lists show it.
type Product struct {
	ID               string    `json:"id"`
	Type             string    `json:"type"`
	Slug             string    `json:"slug"`
	Name             string    `json:"name"`
	Description      string    `json:"description"`
	ShortDescription string    `json:"shortDescription"`
	Icon             string    `json:"icon"`        // a path on the shop's server or a URL
	Screenshots      []string  `json:"screenshots"` // likewise
	Pricing          Pricing   `json:"pricing"`
	Rating           float64   `json:"rating"`
	ReviewCount      int       `json:"reviewCount"`
	DownloadCount    int       `json:"downloadCount"`
	Featured         bool      `json:"featured"`
	Trending         bool      `json:"trending"`
	CreatedAt        time.Time `json:"createdAt"`
	UpdatedAt        time.Time `json:"updatedAt"`
	Category         string    `json:"category"`
	Highlights       []string  `json:"highlights"`
}

// Pricing is the price that lists show.
type Pricing struct {
	Type     string  `json:"type"` // free or paid
	Price    float64 `json:"price"`
	Currency string  `json:"currency"`
}

// ProductDetail is all that the shop shows of a product.
type ProductDetail struct {
	Product

	FullDescription string           `json:"fullDescription"`
	Features        []FeatureSection `json:"features"`
	PricingTiers    []PricingTier    `json:"pricingTiers"`
	FAQ             []FAQEntry       `json:"faq"`
	Comparison      *Comparison      `json:"comparison"`
	Package         *Package         `json:"package"`
}

// FeatureSection is a list of features with a title.
type FeatureSection struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Items       []string `json:"items"`
}

// PricingTier is one way to buy a product.
type PricingTier struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Description   string   `json:"description"`
	Price         float64  `json:"price"`
	Currency      string   `json:"currency"`
	BillingPeriod string   `json:"billingPeriod"` // monthly, yearly, one-time or empty
	Features      []string `json:"features"`
	Highlighted   bool     `json:"highlighted"`
	MaxInstances  int      `json:"maxInstances"`
	TrialDays     int      `json:"trialDays"` // 0 if the tier cannot be tried
}

// FAQEntry is a question with its answer.
type FAQEntry struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Comparison is a table that compares tiers.
type Comparison struct {
	Columns []string `json:"columns"` // tier ids
	Rows    []struct {
		Feature string         `json:"feature"`
		Values  map[string]any `json:"values"` // by tier id, each a bool or a string
	} `json:"rows"`
}

// Package is the package that a product offers.
type Package struct {
	Kind    string `json:"kind"`
	Slug    string `json:"slug"`
	Version string `json:"version"`
}

// Order is an order.
type Order struct {
	ID             string    `json:"id"`
	ProductID      string    `json:"productId"`
	ProductSlug    string    `json:"productSlug"`
	ProductName    string    `json:"productName"`
	TierID         string    `json:"tierId"`
	UserID         string    `json:"userId"` // "anonymous" if nobody was signed in
	PaymentMethod  string    `json:"paymentMethod"`
	Billing        *Billing  `json:"billingInfo"` // with the permission users:email only
	Amount         float64   `json:"amount"`      // in the currency's main unit, less the discount
	Currency       string    `json:"currency"`
	Discount       *Discount `json:"discount"` // nil without a discount code
	Net            float64   `json:"net"`      // what was paid without tax; 0 if tax is not known
	Tax            float64   `json:"tax"`
	Total          float64   `json:"total"`   // net and tax
	TaxID          string    `json:"taxId"`   // with the permission users:email only
	Country        string    `json:"country"` // of the buyer (ISO 3166)
	Invoice        *Invoice  `json:"invoice"` // nil without one
	PartlyRefunded float64   `json:"partlyRefunded"`
	Status         string    `json:"status"` // pending, paid, refunded or cancelled
	Trial          bool      `json:"trial"`  // the order gave a trial
	LicenseID      string    `json:"licenseId"`
	CreatedAt      time.Time `json:"createdAt"`
}

// Invoice is the invoice that the payment provider made of an order. URL is its page and PDF its file, with the
// permission users:email only.
type Invoice struct {
	Number string `json:"number"`
	URL    string `json:"url"`
	PDF    string `json:"pdf"`
}

// Discount is what a discount code took off the price of an order.
type Discount struct {
	Code     string  `json:"code"`
	Amount   float64 `json:"amount"`   // in the order's currency
	Duration string  `json:"duration"` // once or forever: which payments of a subscription are less
}

// Billing is billing data, as the buyer gave it.
type Billing struct {
	Name    string `json:"name"`
	Email   string `json:"email"`
	Company string `json:"company"`
}

// License is a license without its key.
type License struct {
	ID                   string     `json:"id"`
	ProductID            string     `json:"productId"`
	Type                 string     `json:"type"`   // perpetual or subscription
	Status               string     `json:"status"` // active, expired or revoked
	Features             []string   `json:"features"`
	MaxInstances         int        `json:"maxInstances"`
	CurrentInstances     int        `json:"currentInstances"`
	ExpiresAt            *time.Time `json:"expiresAt"`
	Trial                bool       `json:"trial"` // it was not bought
	CreatedAt            time.Time  `json:"createdAt"`
	ProductSlug          string     `json:"productSlug"`
	ProductName          string     `json:"productName"`
	TierID               string     `json:"tierId"`
	UserID               string     `json:"userId"` // the owner, or "anonymous"
	Paid                 bool       `json:"paid"`   // until then, the license does not work
	DevelopmentInstances int        `json:"developmentInstances"`
	PeriodMonths         int        `json:"periodMonths"` // 0: it cannot be renewed
	RevokedAt            *time.Time `json:"revokedAt"`
}

// User is a user.
type User struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Role     string `json:"role"` // USER, ADMIN, or another
	Avatar   string `json:"avatar"`
	Email    string `json:"email"` // with the permission users:email only
}

// Products lists published products. The query may have category, q, sort, featured, trending, page and
// limit. It needs the permission products:read.
func (p *Platform) Products(ctx context.Context, query url.Values) (Page[Product], error) {
	return list[Product](ctx, p, "products", query)
}

// Product returns a published product, or ErrNotFound.
func (p *Platform) Product(ctx context.Context, slug string) (ProductDetail, error) {
	return entry[ProductDetail](ctx, p, "products", slug)
}

// Orders lists orders, the newest first. The query may have status, product, user, page and limit. It needs
// the permission orders:read.
func (p *Platform) Orders(ctx context.Context, query url.Values) (Page[Order], error) {
	return list[Order](ctx, p, "orders", query)
}

// Order returns an order, or ErrNotFound.
func (p *Platform) Order(ctx context.Context, id string) (Order, error) {
	return entry[Order](ctx, p, "orders", id)
}

// Licenses lists licenses, the newest first. The query may have status, product, user, page and limit. It
// needs the permission licenses:read.
func (p *Platform) Licenses(ctx context.Context, query url.Values) (Page[License], error) {
	return list[License](ctx, p, "licenses", query)
}

// License returns a license, or ErrNotFound.
func (p *Platform) License(ctx context.Context, id string) (License, error) {
	return entry[License](ctx, p, "licenses", id)
}

// Users lists users. The query may have page and limit. It needs the permission users:read.
func (p *Platform) Users(ctx context.Context, query url.Values) (Page[User], error) {
	return list[User](ctx, p, "users", query)
}

// User returns a user, or ErrNotFound.
func (p *Platform) User(ctx context.Context, id string) (User, error) {
	return entry[User](ctx, p, "users", id)
}

func list[T any](ctx context.Context, p *Platform, path string, query url.Values) (page Page[T], err error) {
	err = p.get(ctx, path, query, &page)
	return page, err
}

func entry[T any](ctx context.Context, p *Platform, path, id string) (v T, err error) {
	err = p.get(ctx, path+"/"+url.PathEscape(id), nil, &v)
	return v, err
}

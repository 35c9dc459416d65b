package testkit

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
)

// Paths of the API.
const (
	Products    = "/api/marketplace/products"
	AdminOrders = "/api/v1/admin/orders"
)

// Catalog is the catalog that ImportCatalog imports: mail-pack, with tiers of every
// kind; bare, with the required fields only; and hidden, which is not published. Its
// pictures are SVGs.
const Catalog = `
currency: EUR
products:
  - slug: mail-pack
    name: Mail Pack
    category: marketing
    shortDescription: Mails.
    description: Sends mails.
    fullDescription: Sends a lot of mails.
    icon: ./mail.svg
    screenshots: [./mail.svg]
    highlights: [Fast]
    rating: 4.5
    reviewCount: 12
    downloadCount: 100
    featured: true
    createdAt: 2029-01-02
    features: [{title: Sending, description: Mails., items: [One, Many]}]
    pricingTiers:
      - {id: free, name: Free, description: To try., price: 0, features: [One mail]}
      - {id: once, name: Once, description: For ever., price: 49.90, billingPeriod: one-time, features: [Mails],
         maxInstances: 3, highlighted: true}
      - {id: monthly, name: Monthly, description: By the month., price: 5, billingPeriod: monthly,
         features: [Mails, Support]}
      - {id: yearly, name: Yearly, description: By the year., price: 5000, currency: JPY, billingPeriod: yearly,
         features: [Mails]}
    faq: [{question: Why?, answer: Because.}]
    comparison: {columns: [free, once], rows: [{feature: Mails, values: {free: "1", once: true}}]}
  - {slug: bare, name: Bare, category: other, shortDescription: Little., description: Little more., icon: /i.svg,
     pricingTiers: [{id: only, name: Only, price: 0}]}
  - {slug: hidden, name: Hidden, category: secret, shortDescription: Not., description: Not yet., icon: /i.svg,
     published: false, pricingTiers: [{id: only, name: Only, price: 0}]}
`

// ImportCatalog imports Catalog into an App.
func (a *App) ImportCatalog(tb testing.TB) {
	tb.Helper()
	fsys := fstest.MapFS{"catalog.yaml": {Data: []byte(Catalog)}, "mail.svg": {Data: []byte(SVG)}}
	res, err := a.Catalog.Import(tb.Context(), fsys, "catalog.yaml")
	if err != nil || res.Created != 3 {
		tb.Fatalf("Import = %+v, %v; want 3 created", res, err)
	}
}

// NewShop starts an App with Catalog.
func NewShop(tb testing.TB, options ...Option) *App {
	tb.Helper()
	a := New(tb, options...)
	a.ImportCatalog(tb)
	return a
}

// Purchase returns a request to purchase a tier of mail-pack, as the user of a token or
// as a guest.
func Purchase(token, tier string) Request {
	return Post(token, Products+"/mail-pack/purchase", map[string]any{"tierId": tier, "paymentMethod": "card"})
}

// Buy purchases a tier of mail-pack as the user of a token, or as a guest, and
// returns the answer, which must be 200.
func (a *App) Buy(tb testing.TB, token, tier string) Response {
	tb.Helper()
	return a.bought(tb, Purchase(token, tier))
}

// BuyKey purchases a tier of mail-pack as the user of a token, or as a guest, and
// returns the license key.
func (a *App) BuyKey(tb testing.TB, token, tier string) string {
	tb.Helper()
	return a.Buy(tb, token, tier).Text(tb, "licenseKey")
}

// Order is Buy with an e-mail address for the bill, which may be empty. It advances the
// clock by a second, so that orders have different times.
func (a *App) Order(tb testing.TB, token, tier, email string) Response {
	tb.Helper()
	a.Clock.Advance(time.Second)
	body := map[string]any{"tierId": tier, "paymentMethod": "card"}
	if email != "" {
		body["billingInfo"] = map[string]string{"email": email}
	}
	return a.bought(tb, Post(token, Products+"/mail-pack/purchase", body))
}

func (a *App) bought(tb testing.TB, purchase Request) Response {
	tb.Helper()
	res := a.Do(tb, purchase)
	if res.Status != http.StatusOK {
		tb.Fatalf("purchase = %d %s", res.Status, res.Body)
	}
	return res
}

// Refund refunds an order as the administrator of a token, and returns the answer.
func (a *App) Refund(tb testing.TB, token, orderID string) Response {
	tb.Helper()
	return a.Do(tb, Post(token, AdminOrders+"/"+orderID+"/refund", nil))
}

// Cancel cancels an order as the administrator of a token, and returns the answer.
func (a *App) Cancel(tb testing.TB, token, orderID string) Response {
	tb.Helper()
	return a.Do(tb, Post(token, AdminOrders+"/"+orderID+"/cancel", nil))
}

// StoredOrder returns an order from the database.
func (a *App) StoredOrder(tb testing.TB, id string) order.Order {
	tb.Helper()
	o, err := a.Orders.Store.OrderByID(tb.Context(), id)
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

// Activate activates a license of mail-pack for an instance.
func (a *App) Activate(tb testing.TB, key, instance string) Response {
	tb.Helper()
	return a.Send(tb, Products+"/mail-pack/activate", map[string]any{"licenseKey": key, "instanceId": instance})
}

// Deactivate deactivates a license of mail-pack for an instance.
func (a *App) Deactivate(tb testing.TB, key, instance string) Response {
	tb.Helper()
	return a.Send(tb, Products+"/mail-pack/deactivate", map[string]any{"licenseKey": key, "instanceId": instance})
}

// UseLicense activates a license of mail-pack for the instance first.example and
// returns the license's id.
func (a *App) UseLicense(tb testing.TB, key string) string {
	tb.Helper()
	res := a.Activate(tb, key, "first.example")
	if res.Status != http.StatusOK {
		tb.Fatalf("activate = %d %s", res.Status, res.Body)
	}
	return res.Text(tb, "license.id")
}

// Verify asks whether an instance may use a license of the product slug.
func (a *App) Verify(tb testing.TB, slug, key, instance string) Response {
	tb.Helper()
	return a.Fetch(tb,
		Products+"/"+slug+"/license/verify?"+url.Values{"licenseKey": {key}, "instanceId": {instance}}.Encode())
}

// WantRefused checks a refusal by Verify: its exact body, and the reason in its header.
func WantRefused(tb testing.TB, res Response, reason string) {
	tb.Helper()
	got := res.Header.Get("X-License-Code")
	if res.Status != http.StatusOK || strings.TrimSpace(string(res.Body)) != `{"valid":false}` || got != reason {
		tb.Errorf("verify = %d %s with X-License-Code %q; want {\"valid\":false} with %q", res.Status, res.Body, got,
			reason)
	}
	if cc := res.Header.Get("Cache-Control"); cc != "no-store" {
		tb.Errorf("Cache-Control = %q, want no-store", cc)
	}
}

// UnknownKey returns a well-formed key that no license has.
func UnknownKey() string { return license.NewKey().Reveal() }

// smallCatalog is the catalog of SellMailPack.
const smallCatalog = `
products:
  - slug: mail-pack
    name: Mail Pack
    description: Templates.
    shortDescription: Templates.
    category: marketing
    icon: https://cdn.example/mail.svg
    pricingTiers:
      - {id: monthly, name: Monthly, description: A month., price: 9, currency: EUR, billingPeriod: monthly,
         features: [templates], maxInstances: 1}
`

// SellMailPack puts the product mail-pack on sale with a single tier, monthly: one
// instance, and the feature templates. The tests of the SDKs and of the browser use it.
func (a *App) SellMailPack(tb testing.TB) {
	tb.Helper()
	if _, err := a.Catalog.Import(tb.Context(), fstest.MapFS{
		"c.yaml": {Data: []byte(smallCatalog)},
	}, "c.yaml"); err != nil {
		tb.Fatal(err)
	}
}

// BuyMailPack buys the tier monthly of mail-pack as a guest, and returns the
// license key.
func (a *App) BuyMailPack(tb testing.TB) string {
	tb.Helper()
	return a.BuyKey(tb, "", "monthly")
}

package testkit

import (
	"net/http"
	"testing"
	"testing/fstest"
)

// mailPack is a catalog with one product, which SellMailPack puts on sale.
const mailPack = `
products:
  - slug: mail-pack
    name: Mail Pack
    description: Templates.
    shortDescription: Templates.
    category: marketing
    icon: https://cdn.example/mail.svg
    pricingTiers:
      - {id: monthly, name: Monthly, description: A month., price: 9, currency: EUR, billingPeriod: monthly, features: [templates], maxInstances: 1}
`

// SellMailPack puts the product mail-pack on sale, with the tier monthly: one
// instance, the feature templates.
func (a *App) SellMailPack(tb testing.TB) {
	tb.Helper()
	if _, err := a.Market.Import(tb.Context(), fstest.MapFS{"c.yaml": {Data: []byte(mailPack)}}, "c.yaml"); err != nil {
		tb.Fatal(err)
	}
}

// BuyMailPack buys mail-pack without an account, and returns the license key.
func (a *App) BuyMailPack(tb testing.TB) string {
	tb.Helper()
	bought := a.Do(tb, Request{Method: http.MethodPost, Path: "/api/marketplace/products/mail-pack/purchase", Body: `{"tierId":"monthly","paymentMethod":"card"}`})
	return bought.Text(tb, "licenseKey")
}

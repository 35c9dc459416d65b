package storefront

import (
	"net/url"

	"stoa/internal/shop/product"
)

// checkoutView is what the template of the checkout shows.
type checkoutView struct {
	Product product.Product
	Plan    Plan
	Renews  string // when the price is due; empty for a free tier
	SignIn  string // address of the sign-in page, which leads back to the checkout
}

// Checkout writes the page on which a tier of a product is bought. It says what is bought
// and for how much; the form is the script's.
func (p *Pages) Checkout(site Site, one product.Product, tier product.Tier) (html []byte, err error) {
	plan := p.plan(one.Slug, tier)
	view := checkoutView{
		Product: one, Plan: plan, SignIn: "/sign-in?" + url.Values{"next": {plan.Href}}.Encode(),
	}
	if !plan.Free && tier.Period != "" {
		view.Renews = p.text("checkout.renews." + string(tier.Period))
	}
	return p.render(p.checkout, frame{
		Site: site, Entry: p.app, Head: head{Title: p.named(p.text("checkout.title"), site)}, Body: view,
	})
}

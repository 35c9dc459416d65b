package wire

import (
	"encoding/json"
	"net/http"

	"stoa/internal/errs"
	"stoa/internal/httpapi/web"
	"stoa/internal/market/catalog"
	"stoa/internal/market/product"
)

// Pricing is how a product is sold. Free products have no price and currency.
type Pricing struct {
	Type     product.PricingType `json:"type"`
	Price    json.Number         `json:"price,omitempty"`
	Currency string              `json:"currency,omitempty"`
}

// NewPricing returns the JSON form of p.
func NewPricing(p product.Pricing) Pricing {
	out := Pricing{Type: p.Type}
	if p.Type == product.Paid {
		out.Price, out.Currency = p.Price.Amount(), p.Price.Currency
	}
	return out
}

// Tier is a pricing tier of a product.
type Tier struct {
	ID            string                `json:"id"`
	Name          string                `json:"name"`
	Description   string                `json:"description"`
	Price         json.Number           `json:"price"`
	Currency      string                `json:"currency"`
	BillingPeriod product.BillingPeriod `json:"billingPeriod,omitempty"`
	Features      []string              `json:"features"`
	Highlighted   bool                  `json:"highlighted,omitempty"`
	MaxInstances  int                   `json:"maxInstances"`
}

// NewTier returns the JSON form of t.
func NewTier(t product.Tier) Tier {
	return Tier{
		ID: t.ID, Name: t.Name, Description: t.Description, Price: t.Price.Amount(), Currency: t.Price.Currency,
		BillingPeriod: t.Period, Features: web.OrEmpty(t.Features),
		Highlighted: t.Highlighted, MaxInstances: t.MaxInstances,
	}
}

// NewFeature returns a feature section without null.
func NewFeature(f product.FeatureSection) product.FeatureSection {
	f.Items = web.OrEmpty(f.Items)
	return f
}

// ReadProductFilter reads the query parameters that all lists of products have,
// and reports what is wrong with them. An empty filter counts as absent, because
// forms send it.
func ReadProductFilter(r *http.Request, faults *errs.Issues) (catalog.ListQuery, web.Page) {
	v := r.URL.Query()
	p := web.ReadPage(r, faults)
	q := catalog.ListQuery{
		Page: p.Number, Limit: p.Limit,
		Category: v.Get("category"), Search: v.Get("q"), Sort: catalog.SortFeatured,
		Featured: web.ReadBool(r, "featured", faults), Trending: web.ReadBool(r, "trending", faults),
	}
	if sort := v.Get("sort"); sort != "" {
		q.Sort = catalog.Sort(sort)
	}
	faults.Merge(q.Issues())
	return q, p
}

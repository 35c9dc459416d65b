package httpapi

import (
	"encoding/json"

	"stoa/internal/market"
)

// productItem is a product as lists show it (spec A, Product item).
type productItem struct {
	ID               string      `json:"id"`
	Type             string      `json:"type"` // always PRODUCT
	Slug             string      `json:"slug"`
	Name             string      `json:"name"`
	Description      string      `json:"description"`
	ShortDescription string      `json:"shortDescription"`
	Icon             string      `json:"icon"`
	Screenshots      []string    `json:"screenshots"`
	Pricing          pricingInfo `json:"pricing"`
	Rating           float64     `json:"rating"`
	ReviewCount      int         `json:"reviewCount"`
	DownloadCount    int         `json:"downloadCount"`
	Featured         bool        `json:"featured"`
	Trending         bool        `json:"trending"`
	CreatedAt        timestamp   `json:"createdAt"`
	UpdatedAt        timestamp   `json:"updatedAt"`
	Category         string      `json:"category"`
	Highlights       []string    `json:"highlights"`
}

// pricingInfo leaves price and currency out for free products.
type pricingInfo struct {
	Type     market.PricingType `json:"type"`
	Price    json.Number        `json:"price,omitempty"`
	Currency string             `json:"currency,omitempty"`
}

func toProductItem(p market.Product) productItem {
	return productItem{
		ID: p.ID, Type: "PRODUCT", Slug: p.Slug, Name: p.Name, Description: p.Description, ShortDescription: p.ShortDescription,
		Icon: p.Icon, Screenshots: orEmpty(p.Screenshots), Pricing: toPricing(p.Pricing),
		Rating: p.Rating, ReviewCount: p.ReviewCount, DownloadCount: p.DownloadCount, Featured: p.Featured, Trending: p.Trending,
		CreatedAt: timestamp(p.CreatedAt), UpdatedAt: timestamp(p.UpdatedAt), Category: p.Category, Highlights: orEmpty(p.Highlights),
	}
}

func toPricing(p market.Pricing) pricingInfo {
	out := pricingInfo{Type: p.Type}
	if p.Type == market.Paid {
		out.Price, out.Currency = p.Price.Amount(), p.Price.Currency
	}
	return out
}

// productDetail is a product as its own page shows it (spec A, Product detail).
type productDetail struct {
	productItem
	FullDescription string                  `json:"fullDescription"`
	Features        []market.FeatureSection `json:"features"`
	PricingTiers    []pricingTier           `json:"pricingTiers"`
	FAQ             []market.Question       `json:"faq"`
	Comparison      *market.Comparison      `json:"comparison,omitempty"`
}

type pricingTier struct {
	ID            string               `json:"id"`
	Name          string               `json:"name"`
	Description   string               `json:"description"`
	Price         json.Number          `json:"price"`
	Currency      string               `json:"currency"`
	BillingPeriod market.BillingPeriod `json:"billingPeriod,omitempty"`
	Features      []string             `json:"features"`
	Highlighted   bool                 `json:"highlighted,omitempty"`
	MaxInstances  int                  `json:"maxInstances"`
}

func toProductDetail(p market.Product) productDetail {
	return productDetail{
		productItem: toProductItem(p), FullDescription: p.Detail.FullDescription,
		Features: toFeatures(p.Detail.Features), PricingTiers: toPricingTiers(p.Detail.Tiers),
		FAQ: orEmpty(p.Detail.FAQ), Comparison: p.Detail.Comparison,
	}
}

func toFeatures(list []market.FeatureSection) []market.FeatureSection {
	out := make([]market.FeatureSection, 0, len(list))
	for _, f := range list {
		f.Items = orEmpty(f.Items)
		out = append(out, f)
	}
	return out
}

func toPricingTiers(list []market.Tier) []pricingTier {
	out := make([]pricingTier, 0, len(list))
	for _, t := range list {
		out = append(out, pricingTier{
			ID: t.ID, Name: t.Name, Description: t.Description, Price: t.Price.Amount(), Currency: t.Price.Currency,
			BillingPeriod: t.Period, Features: orEmpty(t.Features), Highlighted: t.Highlighted, MaxInstances: t.MaxInstances,
		})
	}
	return out
}

// licenseInfo is a licence as the API shows it (spec A, License info).
type licenseInfo struct {
	ID               string               `json:"id"`
	ProductID        string               `json:"productId"`
	LicenseKey       string               `json:"licenseKey"`
	Type             market.LicenseType   `json:"type"`
	Status           market.LicenseStatus `json:"status"`
	Features         []string             `json:"features"`
	MaxInstances     int                  `json:"maxInstances"`
	CurrentInstances int                  `json:"currentInstances"`
	ExpiresAt        timestamp            `json:"expiresAt,omitzero"`
	CreatedAt        timestamp            `json:"createdAt"`
}

func toLicenseInfo(g market.Grant) licenseInfo {
	l := g.License
	return licenseInfo{
		ID: l.ID, ProductID: l.ProductID, LicenseKey: g.Key.Reveal(), Type: l.Type, Status: g.Status, Features: orEmpty(l.Features),
		MaxInstances: l.MaxInstances, CurrentInstances: l.Instances, ExpiresAt: timestamp(l.ExpiresAt), CreatedAt: timestamp(l.CreatedAt),
	}
}

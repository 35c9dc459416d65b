package wire

import (
	"encoding/json"
	"maps"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
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
	Price         json.Number           `json:"price,omitempty"`    // absent in a draft without one
	Currency      string                `json:"currency,omitempty"` // the same
	BillingPeriod product.BillingPeriod `json:"billingPeriod,omitempty"`
	Features      []string              `json:"features"`
	Highlighted   bool                  `json:"highlighted,omitempty"`
	MaxInstances  int                   `json:"maxInstances"`
	TrialDays     int                   `json:"trialDays,omitempty"`
}

// newTier returns the JSON form of t.
func newTier(t product.Tier) Tier {
	var price json.Number
	if !t.Unpriced {
		price = t.Price.Amount()
	}
	return Tier{
		ID: t.ID, Name: t.Name, Description: t.Description, Price: price, Currency: t.Price.Currency,
		BillingPeriod: t.Period, Features: web.OrEmpty(t.Features),
		Highlighted: t.Highlighted, MaxInstances: t.MaxInstances, TrialDays: t.TrialDays,
	}
}

// Product is what everybody sees of a product in a list. The shop and the administrators add to it.
type Product struct {
	ID               string        `json:"id"`
	Slug             string        `json:"slug"`
	Name             string        `json:"name"`
	Description      string        `json:"description"`
	ShortDescription string        `json:"shortDescription"`
	Icon             string        `json:"icon"`
	Screenshots      []string      `json:"screenshots"`
	Pricing          Pricing       `json:"pricing"`
	Rating           float64       `json:"rating"`
	ReviewCount      int           `json:"reviewCount"`
	DownloadCount    int           `json:"downloadCount"`
	Featured         bool          `json:"featured"`
	Trending         bool          `json:"trending"`
	CreatedAt        web.Timestamp `json:"createdAt"`
	UpdatedAt        web.Timestamp `json:"updatedAt"`
	Category         string        `json:"category"`
	Highlights       []string      `json:"highlights"`
}

// NewProduct returns the JSON form of p in lists, with the figures that the shop shows.
func NewProduct(p product.Product) Product {
	return Product{
		ID: p.ID, Slug: p.Slug, Name: p.Name,
		Description: p.Description, ShortDescription: p.ShortDescription,
		Icon: p.Icon, Screenshots: web.OrEmpty(p.Screenshots), Pricing: NewPricing(p.Pricing),
		Rating: p.Rating, ReviewCount: p.ReviewCount,
		DownloadCount: p.DownloadCount, Featured: p.Featured, Trending: p.Trending,
		CreatedAt: web.Timestamp(p.CreatedAt), UpdatedAt: web.Timestamp(p.UpdatedAt),
		Category: p.Category, Highlights: web.OrEmpty(p.Highlights),
	}
}

// ProductDetail is what a product's own page shows beyond Product.
type ProductDetail struct {
	FullDescription string                   `json:"fullDescription"`
	Features        []product.FeatureSection `json:"features"`
	PricingTiers    []Tier                   `json:"pricingTiers"`
	FAQ             []product.Question       `json:"faq"`
	Comparison      *product.Comparison      `json:"comparison,omitempty"`
	RefundDays      int                      `json:"refundDays,omitempty"`
}

// NewProductDetail returns the JSON form of a product's detail.
func NewProductDetail(d product.Detail) ProductDetail {
	return ProductDetail{
		FullDescription: d.FullDescription, Features: web.Items(d.Features, newFeature),
		PricingTiers: web.Items(d.Tiers, newTier), FAQ: web.OrEmpty(d.FAQ), Comparison: d.Comparison,
		RefundDays: d.RefundDays,
	}
}

// newFeature returns a feature section without null.
func newFeature(f product.FeatureSection) product.FeatureSection {
	f.Items = web.OrEmpty(f.Items)
	return f
}

// NewTranslations returns the JSON form of what a product says in other languages; nil for none.
func NewTranslations(all map[string]product.Translation) map[string]product.Translation {
	out := maps.Clone(all)
	for tag, t := range out {
		if t.Features != nil {
			t.Features = web.Items(t.Features, newFeature)
			out[tag] = t
		}
	}
	return out
}

// ProductItem is a product as the shop's lists show it (contract 3.1).
type ProductItem struct {
	Type string `json:"type"` // always PRODUCT
	Product
}

// NewProductItem returns the JSON form of p in the shop's lists.
func NewProductItem(p product.Product) ProductItem {
	return ProductItem{Type: "PRODUCT", Product: NewProduct(p)}
}

// ProductPage is a product as its own page shows it (contract 3.1).
type ProductPage struct {
	ProductItem
	ProductDetail

	Package *OfferedPackage `json:"package,omitempty"`
}

// NewProductPage returns the JSON form of p on its own page, without its Package.
func NewProductPage(p product.Product) ProductPage {
	return ProductPage{ProductItem: NewProductItem(p), ProductDetail: NewProductDetail(p.Detail)}
}

// ReadLanguage returns the language that a request wants the texts of products in: the canonical form of
// its parameter lang. It is empty, which means the products' own, if the parameter names none.
func ReadLanguage(r *http.Request) string {
	return product.LanguageTag(r.URL.Query().Get("lang"))
}

// ReadProductFilter reads the query parameters that all lists of products have,
// and reports which of them cannot be read. An empty filter counts as absent,
// because forms send it.
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
	return q, p
}

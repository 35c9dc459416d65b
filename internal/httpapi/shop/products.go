package shop

import (
	"net/http"

	"stoa/internal/errs"
	"stoa/internal/httpapi/web"
	"stoa/internal/httpapi/wire"
	"stoa/internal/market/product"
)

// productItem is a product as lists show it (spec A, Product item).
type productItem struct {
	ID               string        `json:"id"`
	Type             string        `json:"type"` // always PRODUCT
	Slug             string        `json:"slug"`
	Name             string        `json:"name"`
	Description      string        `json:"description"`
	ShortDescription string        `json:"shortDescription"`
	Icon             string        `json:"icon"`
	Screenshots      []string      `json:"screenshots"`
	Pricing          wire.Pricing  `json:"pricing"`
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

func newProductItem(p product.Product) productItem {
	return productItem{
		ID: p.ID, Type: "PRODUCT", Slug: p.Slug, Name: p.Name,
		Description: p.Description, ShortDescription: p.ShortDescription,
		Icon: p.Icon, Screenshots: web.OrEmpty(p.Screenshots), Pricing: wire.NewPricing(p.Pricing),
		Rating: p.Rating, ReviewCount: p.ReviewCount,
		DownloadCount: p.DownloadCount, Featured: p.Featured, Trending: p.Trending,
		CreatedAt: web.Timestamp(p.CreatedAt), UpdatedAt: web.Timestamp(p.UpdatedAt),
		Category: p.Category, Highlights: web.OrEmpty(p.Highlights),
	}
}

// productDetail is a product as its own page shows it (spec A, Product detail).
type productDetail struct {
	productItem

	FullDescription string                   `json:"fullDescription"`
	Features        []product.FeatureSection `json:"features"`
	PricingTiers    []wire.Tier              `json:"pricingTiers"`
	FAQ             []product.Question       `json:"faq"`
	Comparison      *product.Comparison      `json:"comparison,omitempty"`
}

func newProductDetail(p product.Product) productDetail {
	return productDetail{
		productItem: newProductItem(p), FullDescription: p.Detail.FullDescription,
		Features: web.Items(p.Detail.Features, wire.NewFeature), PricingTiers: web.Items(p.Detail.Tiers, wire.NewTier),
		FAQ: web.OrEmpty(p.Detail.FAQ), Comparison: p.Detail.Comparison,
	}
}

// ListProducts serves GET /api/marketplace/products.
func (h *Handlers) ListProducts(w http.ResponseWriter, r *http.Request) error {
	type filters struct {
		Categories []string `json:"categories"`
	}
	type response struct {
		Products   []productItem  `json:"products"`
		Pagination web.Pagination `json:"pagination"`
		Filters    filters        `json:"filters"`
	}

	var faults errs.Issues
	q, p := wire.ReadProductFilter(r, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	found, err := h.Catalog.List(r.Context(), q)
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, response{
		Products: web.Items(found.Products, newProductItem), Pagination: p.Of(found.Total),
		Filters: filters{Categories: web.OrEmpty(found.Categories)},
	})
	return nil
}

// GetProduct serves GET /api/marketplace/products/{slug}.
func (h *Handlers) GetProduct(w http.ResponseWriter, r *http.Request) error {
	p, err := h.Catalog.Published(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	web.WriteJSON(w, http.StatusOK, newProductDetail(p))
	return nil
}

package httpapi

import (
	"net/http"
	"net/url"
	"strconv"

	"stoa/internal/market"
)

// managedItem is a product as administrators' lists show it: the fields of a
// catalogue (docs/catalog.md), so that what was read can be sent back, and what
// stoa adds to them.
type managedItem struct {
	ID               string      `json:"id"`
	Slug             string      `json:"slug"`
	Name             string      `json:"name"`
	Category         string      `json:"category"`
	ShortDescription string      `json:"shortDescription"`
	Description      string      `json:"description"`
	Icon             string      `json:"icon"`
	Screenshots      []string    `json:"screenshots"`
	Highlights       []string    `json:"highlights"`
	Pricing          pricingInfo `json:"pricing"`
	Rating           float64     `json:"rating"`
	ReviewCount      int         `json:"reviewCount"`
	DownloadCount    int         `json:"downloadCount"`
	Featured         bool        `json:"featured"`
	Trending         bool        `json:"trending"`
	Published        bool        `json:"published"`
	Position         int         `json:"position"`
	Shown            shownCounts `json:"shown"`
	CreatedAt        timestamp   `json:"createdAt"`
	UpdatedAt        timestamp   `json:"updatedAt"`
}

// shownCounts are what the shop shows: the catalogue's figures and what came
// since.
type shownCounts struct {
	Rating        float64 `json:"rating"`
	ReviewCount   int     `json:"reviewCount"`
	DownloadCount int     `json:"downloadCount"`
}

// managedProduct is a product with all of its fields.
type managedProduct struct {
	managedItem

	FullDescription string                  `json:"fullDescription"`
	Features        []market.FeatureSection `json:"features"`
	PricingTiers    []pricingTier           `json:"pricingTiers"`
	FAQ             []market.Question       `json:"faq"`
	Comparison      *market.Comparison      `json:"comparison,omitempty"`
}

func toManagedItem(p market.Product) managedItem {
	return managedItem{
		ID: p.ID, Slug: p.Slug, Name: p.Name, Category: p.Category, ShortDescription: p.ShortDescription, Description: p.Description,
		Icon: p.Icon, Screenshots: orEmpty(p.Screenshots), Highlights: orEmpty(p.Highlights), Pricing: toPricing(p.Pricing),
		Rating: p.RatingBase, ReviewCount: p.ReviewBase, DownloadCount: p.DownloadBase,
		Featured: p.Featured, Trending: p.Trending, Published: p.Published, Position: p.Position,
		Shown:     shownCounts{Rating: p.Rating, ReviewCount: p.ReviewCount, DownloadCount: p.DownloadCount},
		CreatedAt: timestamp(p.CreatedAt), UpdatedAt: timestamp(p.UpdatedAt),
	}
}

func toManagedProduct(p market.Product) managedProduct {
	return managedProduct{
		managedItem: toManagedItem(p), FullDescription: p.Detail.FullDescription, Features: toFeatures(p.Detail.Features),
		PricingTiers: toPricingTiers(p.Detail.Tiers), FAQ: orEmpty(p.Detail.FAQ), Comparison: p.Detail.Comparison,
	}
}

// listManagedProducts serves GET /api/v1/admin/products.
func (s *Server) listManagedProducts(w http.ResponseWriter, r *http.Request) error {
	var faults issues
	q, at := readProductFilter(r, &faults)
	q.Shelf = market.AnyShelf
	if published := readBoolean(r, "published", &faults); published != nil {
		q.Shelf = market.Drafts
		if *published {
			q.Shelf = market.OnSale
		}
	}
	if err := faults.err(); err != nil {
		return err
	}
	products, total, err := s.Market.ListAll(r.Context(), q)
	if err != nil {
		return err
	}
	writeList(w, at, products, total, toManagedItem)
	return nil
}

// createProduct serves POST /api/v1/admin/products.
func (s *Server) createProduct(w http.ResponseWriter, r *http.Request) error {
	doc, _, err := readDocument(w, r)
	if err != nil {
		return err
	}
	p, err := s.Market.CreateProduct(r.Context(), doc)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/v1/admin/products/"+url.PathEscape(p.Slug))
	writeProduct(w, http.StatusCreated, p)
	return nil
}

// getManagedProduct serves GET /api/v1/admin/products/{slug}.
func (s *Server) getManagedProduct(w http.ResponseWriter, r *http.Request) error {
	p, err := s.Market.Product(r.Context(), r.PathValue("slug"))
	if err != nil {
		return err
	}
	writeProduct(w, http.StatusOK, p)
	return nil
}

// changeProduct serves PATCH /api/v1/admin/products/{slug}.
func (s *Server) changeProduct(w http.ResponseWriter, r *http.Request) error {
	doc, _, err := readDocument(w, r)
	if err != nil {
		return err
	}
	p, err := s.Market.UpdateProduct(r.Context(), r.PathValue("slug"), doc, ifRevision(r))
	if err != nil {
		return err
	}
	writeProduct(w, http.StatusOK, p)
	return nil
}

// deleteProduct serves DELETE /api/v1/admin/products/{slug}.
func (s *Server) deleteProduct(w http.ResponseWriter, r *http.Request) error {
	if err := s.Market.DeleteProduct(r.Context(), r.PathValue("slug"), ifRevision(r)); err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, envelope{Success: true, Message: "The product is deleted."})
	return nil
}

func writeProduct(w http.ResponseWriter, status int, p market.Product) {
	w.Header().Set("ETag", strconv.Quote(p.Revision()))
	writeData(w, status, toManagedProduct(p))
}

// ifRevision is matchTag for what has a revision.
func ifRevision(r *http.Request) market.ProductMatch {
	match := matchTag(r)
	if match == nil {
		return nil
	}
	return func(revision string) bool { return match(strconv.Quote(revision)) }
}

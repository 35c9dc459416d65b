package extension

import (
	"encoding/json"
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/extension"
	"stoa/internal/market/operation"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
)

// offer is a product of a market on the wire (contract 9.6).
type offer struct {
	ProductSlug string          `json:"productSlug"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	URL         string          `json:"url"`
	Picture     *string         `json:"picture"`
	Tiers       []offerTier     `json:"tiers"`
	Package     *offerPackage   `json:"package"`
	Ways        []operation.Way `json:"ways"`
	Installed   *offerHere      `json:"installed"`
}

type offerTier struct {
	TierID        string                 `json:"tierId"`
	Name          string                 `json:"name"`
	Price         json.Number            `json:"price"`
	Currency      string                 `json:"currency"`
	BillingPeriod *product.BillingPeriod `json:"billingPeriod"`
	TrialDays     int                    `json:"trialDays"`
}

type offerPackage struct {
	Kind        extension.Kind `json:"kind"`
	Slug        string         `json:"slug"`
	Version     string         `json:"version"`
	PublishedAt web.Timestamp  `json:"publishedAt"`
	Permissions []string       `json:"permissions"`
	Signer      signer         `json:"signer"`
	MinPlatform *string        `json:"minPlatform"`
	Compatible  bool           `json:"compatible"`
}

type signer struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

type offerHere struct {
	Version     string `json:"version"`
	SameProduct bool   `json:"sameProduct"`
}

func newOffer(o operation.Offer) offer {
	shown := offer{
		ProductSlug: o.Slug, Name: o.Name, Description: o.Description, URL: o.URL, Picture: web.OrNull(o.Picture),
		Tiers: web.Items(o.Tiers, func(t operation.Tier) offerTier {
			return offerTier{t.ID, t.Name, t.Price, t.Currency, web.OrNull(t.Period), t.TrialDays}
		}),
		Ways: web.OrEmpty(o.Ways),
	}
	if p := o.Package; p != nil {
		shown.Package = &offerPackage{
			Kind: p.Kind, Slug: p.Slug, Version: p.Version, PublishedAt: web.Timestamp(p.PublishedAt),
			Permissions: web.OrEmpty(p.Permissions), Signer: signer{p.SignerName, p.SignerKey},
			MinPlatform: web.OrNull(p.MinPlatform), Compatible: p.Compatible,
		}
	}
	if o.Here != nil {
		shown.Installed = &offerHere{o.Here.Version, o.Here.SameProduct}
	}
	return shown
}

// MarketProducts serves GET /api/v1/admin/markets/{market}/products.
func (h *Handlers) MarketProducts(w http.ResponseWriter, r *http.Request) error {
	var faults errs.Issues
	web.NoParamsBut(r, &faults, "q", "page", "limit")
	page := web.ReadPage(r, &faults)
	search := r.URL.Query().Get("q")
	if !text.Printable(search, catalog.MaxSearch) {
		faults.Add("q", errs.CodeOutOfRange, "q must be at most %d printable characters.", catalog.MaxSearch)
	}
	if err := faults.Err(); err != nil {
		return err
	}
	list, total, err := h.Operations.Offers(r.Context(), r.PathValue("market"),
		operation.Query{Search: search, Page: page.Number, Limit: page.Limit})
	if err != nil {
		return err
	}
	web.WriteList(w, page, list, total, newOffer)
	return nil
}

// MarketProduct serves GET /api/v1/admin/markets/{market}/products/{slug}.
func (h *Handlers) MarketProduct(w http.ResponseWriter, r *http.Request) error {
	o, err := h.Operations.Offer(r.Context(), r.PathValue("market"), r.PathValue("slug"))
	if err != nil {
		return err
	}
	web.WriteData(w, http.StatusOK, newOffer(o))
	return nil
}

package operation

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"stoa/internal/base/paging"
	"stoa/internal/extension"
	"stoa/internal/market/remote"
	"stoa/internal/shop/product"
)

// Limits of what is read of a market's catalog. It is not signed: it only describes and prices.
const (
	catalogPath = "/api/marketplace/products"

	maxList   = 8 << 20 // bytes of a page of products
	maxDetail = 2 << 20 // bytes of one
	maxTiers  = 50
	maxTotal  = 1_000_000 // products that a market may say that it has

	maxName        = 200 // characters
	maxDescription = 600

	detailsAtOnce = 8
	catalogWithin = 20 * time.Second
)

// Way is how an administrator can get the package of a product.
type Way string

// The ways.
const (
	WayFree  Way = "free"
	WayTrial Way = "trial"
	WayBuy   Way = "buy"
	WayKey   Way = "key" // with the key of a license
)

// Query is the part of a market's catalog that is asked for.
type Query struct {
	Search      string
	Page, Limit int
}

// Offer is a product of a market: what its catalog says, and the package that it signed.
type Offer struct {
	Slug        string
	Name        string
	Description string
	URL         string // of its page on the market
	Picture     string // URL; empty for none
	Tiers       []Tier
	Package     *OfferedPackage // nil: there is nothing to install
	Ways        []Way
	Here        *Here // nil: the package is not installed
}

// Tier is a way to pay for a product.
type Tier struct {
	ID        string
	Name      string
	Price     json.Number
	Currency  string
	Period    product.BillingPeriod // empty for none
	TrialDays int
}

// OfferedPackage is the highest version of a product's package, as the market signed it.
type OfferedPackage struct {
	Package

	PublishedAt time.Time
	Permissions []string
	SignerName  string
	SignerKey   string
	MinPlatform string // empty: any
	Compatible  bool   // with this stoa
	Licensed    bool   // the product is not free
}

// Here is what of an offered package is installed.
type Here struct {
	Version     string
	SameProduct bool // else it came from elsewhere
}

// Offers returns a page of the products of a market, and how many there are. The errors are those of remote.Service:
// ErrNotFound, ErrUnreachable and ErrUntrusted.
func (s *Service) Offers(ctx context.Context, market string, q Query) ([]Offer, int, error) {
	installed, err := s.Installer.Installed(ctx)
	if err != nil {
		return nil, 0, err
	}
	if market == remote.Self {
		return s.localOffers(ctx, q, installed)
	}
	m, err := s.Markets.Get(ctx, market)
	if err != nil {
		return nil, 0, err
	}
	offers, total, err := s.seller(m).catalog(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	slugs := make([]string, len(offers))
	for i, o := range offers {
		slugs[i] = o.Slug
	}
	_, signed, err := s.Markets.Offered(ctx, market, slugs)
	if err != nil {
		return nil, 0, err
	}
	for i := range offers {
		if list := signed[offers[i].Slug]; len(list) > 0 {
			offers[i].Package = s.offered(list[0])
		}
		offers[i].complete(market, installed)
	}
	return offers, total, nil
}

// offered returns what a market signed of a package.
func (s *Service) offered(p remote.Package) *OfferedPackage {
	o := &OfferedPackage{
		Package:     Package{Kind: p.Kind, Slug: p.Slug, Version: p.Version},
		PublishedAt: p.PublishedAt, Permissions: p.Permissions,
		SignerName: words(p.Publisher.Name, maxName), SignerKey: p.Publisher.Key, Licensed: p.Paid,
	}
	if p.MinPlatform != nil {
		o.MinPlatform = *p.MinPlatform
	}
	o.Compatible = s.Installer.Fits(o.MinPlatform) == nil
	return o
}

// complete fills in what follows from the package and from what is installed.
func (o *Offer) complete(market string, installed []extension.Present) {
	if o.Package == nil {
		return
	}
	if p, ok := present(installed, o.Package.Kind, o.Package.Slug); ok {
		o.Here = &Here{Version: p.Version, SameProduct: cameFrom(p, market, o.Slug)}
	}
	switch {
	case !o.Package.Compatible:
	case !o.Package.Licensed:
		o.Ways = []Way{WayFree}
	case market == remote.Self: // it is bought in the shop
		o.Ways = []Way{WayKey}
	default:
		if slices.ContainsFunc(o.Tiers, func(t Tier) bool { return t.TrialDays > 0 }) {
			o.Ways = append(o.Ways, WayTrial)
		}
		if len(o.Tiers) > 0 {
			o.Ways = append(o.Ways, WayBuy)
		}
		o.Ways = append(o.Ways, WayKey)
	}
}

// cameFrom reports whether an installed package is from that product of that market.
func cameFrom(p extension.Present, market, productSlug string) bool {
	if market == remote.Self { // which product it was is not recorded
		return p.FromMarket && p.Origin.IsZero()
	}
	return p.Origin.Market == market && p.Origin.Product == productSlug
}

// listed is a product in a market's catalog, in a list and alone.
type listed struct {
	Slug             string   `json:"slug"`
	Name             string   `json:"name"`
	ShortDescription string   `json:"shortDescription"`
	Description      string   `json:"description"`
	Icon             string   `json:"icon"`
	Screenshots      []string `json:"screenshots"`
	Tiers            []struct {
		ID            string      `json:"id"`
		Name          string      `json:"name"`
		Price         json.Number `json:"price"`
		Currency      string      `json:"currency"`
		BillingPeriod string      `json:"billingPeriod"`
		TrialDays     int         `json:"trialDays"`
	} `json:"pricingTiers"`
}

// catalog asks for a page of the products of a market, with their tiers.
func (s seller) catalog(ctx context.Context, q Query) ([]Offer, int, error) {
	ctx, cancel := context.WithTimeout(ctx, catalogWithin)
	defer cancel()
	query := url.Values{"page": {strconv.Itoa(q.Page)}, "limit": {strconv.Itoa(q.Limit)}}
	if q.Search != "" {
		query.Set("q", q.Search)
	}
	var list struct {
		Products   []listed `json:"products"`
		Pagination struct {
			Total int `json:"total"`
		} `json:"pagination"`
	}
	if err := s.get(ctx, catalogPath+"?"+query.Encode(), maxList, &list); err != nil {
		return nil, 0, err
	}
	var offers []Offer
	for _, p := range paging.Cut(list.Products, q.Limit, 0) {
		if o, ok := s.offer(p); ok && !slices.ContainsFunc(offers, func(other Offer) bool { return other.Slug == o.Slug }) {
			offers = append(offers, o)
		}
	}
	var all sync.WaitGroup
	turn := make(chan struct{}, detailsAtOnce)
	for i := range offers {
		turn <- struct{}{}
		all.Go(func() {
			defer func() { <-turn }()
			var detail listed
			if s.get(ctx, catalogPath+"/"+offers[i].Slug, maxDetail, &detail) == nil { // else it is shown without prices
				offers[i].Tiers = tiers(detail)
			}
		})
	}
	all.Wait()
	return offers, min(max(list.Pagination.Total, len(offers)), maxTotal), ctx.Err()
}

// name returns what a market calls a product: its slug, if the catalog does not say.
func (s seller) name(ctx context.Context, productSlug string) string {
	var detail listed
	_ = s.get(ctx, catalogPath+"/"+productSlug, maxDetail, &detail)
	return cmp.Or(words(detail.Name, maxName), productSlug)
}

// offer returns what a catalog says of a product, as far as it can be shown; ok is false if that is nothing.
func (s seller) offer(p listed) (o Offer, ok bool) {
	if !product.ValidSlug(p.Slug) {
		return Offer{}, false
	}
	o = Offer{
		Slug: p.Slug, Name: cmp.Or(words(p.Name, maxName), p.Slug), URL: s.at.URL + "/p/" + p.Slug,
		Description: cmp.Or(words(p.ShortDescription, maxDescription), words(p.Description, maxDescription)),
	}
	for _, picture := range append([]string{p.Icon}, paging.Cut(p.Screenshots, 1, 0)...) {
		if o.Picture = s.picture(picture); o.Picture != "" {
			break
		}
	}
	return o, true
}

// picture returns the address of a picture of the market, or "" for anything else: others would learn who looks at it.
func (s seller) picture(path string) string {
	if strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") {
		path = s.at.URL + path
	}
	if !s.own(path) {
		return ""
	}
	return path
}

var currencyPattern = regexp.MustCompile(`^[A-Z]{3}$`)

// tiers returns the tiers of a product that can be shown.
func tiers(p listed) []Tier {
	var list []Tier
	for _, t := range paging.Cut(p.Tiers, maxTiers, 0) {
		price, err := t.Price.Float64()
		if !plausible(t.ID) || err != nil || price < 0 || !currencyPattern.MatchString(t.Currency) {
			continue
		}
		tier := Tier{
			ID: t.ID, Name: words(t.Name, maxName), Price: t.Price, Currency: t.Currency,
			TrialDays: min(max(t.TrialDays, 0), product.MaxTrialDays),
		}
		if p := product.BillingPeriod(t.BillingPeriod); p.Months() > 0 {
			tier.Period = p
		}
		list = append(list, tier)
	}
	return list
}

package storefront

import (
	"net/url"
	"strconv"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
)

// PageSize is how many products a page of the catalog shows.
const PageSize = 24

// Card is a product in the catalog.
type Card struct {
	Slug, Name, Tagline, Icon string
	Rating                    string // with one decimal; empty without reviews
	Reviews                   int
	Price                     string // of the cheapest plan that costs something; empty for a free product
	FreePlan                  bool   // beside plans that cost something
	Featured, Trending        bool
}

// Link is a choice of the catalog. Current tells that it is the present one.
type Link struct {
	Label, Href string
	Current     bool
}

// catalogView is what the template of the catalog shows.
type catalogView struct {
	Heading    string
	Query      catalog.ListQuery
	Cards      []Card
	Total      int
	Categories []Link
	Sorts      []Sorting
	Pages      []Link
	First      string // its address
	Prev, Next string // addresses; empty at the ends
	Filtered   bool
}

// Sorting is an order that the catalog offers.
type Sorting struct {
	Value, Label string
	Current      bool
}

var sorts = []catalog.Sort{
	catalog.SortFeatured, catalog.SortNewest, catalog.SortRating,
	catalog.SortDownloads, catalog.SortPrice, catalog.SortName,
}

// Catalog writes a page of the catalog: what q found.
func (p *Pages) Catalog(site Site, q catalog.ListQuery, found catalog.Listing) (html []byte, err error) {
	view := catalogView{
		Query: q, Total: found.Total, Heading: p.text("catalog.title"),
		Filtered: q.Search != "" || q.Category != "", First: address(q, q.Category, 1),
	}
	if q.Category != "" {
		view.Heading = q.Category
	}
	for _, one := range found.Products {
		view.Cards = append(view.Cards, p.card(one))
	}
	view.Categories = append(view.Categories, Link{
		Label: p.text("catalog.all"), Href: address(q, "", 1), Current: q.Category == "",
	})
	for _, name := range found.Categories {
		view.Categories = append(view.Categories, Link{Label: name, Href: address(q, name, 1), Current: name == q.Category})
	}
	for _, sort := range sorts {
		view.Sorts = append(view.Sorts, Sorting{
			Value: string(sort), Label: p.text("catalog.sorts." + string(sort)), Current: sort == q.Sort,
		})
	}
	view.pages(q, (found.Total+PageSize-1)/PageSize)
	title := view.Heading
	if site.Name != "" && !view.Filtered {
		title = site.Name
	} else {
		title = p.named(title, site)
	}
	shop := site.Name
	if shop == "" {
		shop = p.text("name")
	}
	canonical := q
	canonical.Search, canonical.Sort = "", catalog.SortFeatured
	return p.render(p.catalog, frame{
		Site: site, Entry: p.page, Query: q.Search, Body: view,
		Head: head{
			Title: title, Kind: "website", Description: p.text("catalog.description", "shop", shop),
			Canonical: site.PublicURL + address(canonical, q.Category, q.Page),
		},
	})
}

// pages links the first, the last and the pages around the present one.
func (v *catalogView) pages(q catalog.ListQuery, last int) {
	if last < 2 {
		return
	}
	for n := 1; n <= last; n++ {
		near := n >= q.Page-2 && n <= q.Page+2
		if n != 1 && n != last && !near {
			if v.Pages[len(v.Pages)-1].Label != "" {
				v.Pages = append(v.Pages, Link{}) // a gap
			}
			continue
		}
		v.Pages = append(v.Pages, Link{
			Label: strconv.Itoa(n), Href: address(q, q.Category, n), Current: n == q.Page,
		})
	}
	if q.Page > 1 {
		v.Prev = address(q, q.Category, min(q.Page-1, last))
	}
	if q.Page < last {
		v.Next = address(q, q.Category, q.Page+1)
	}
}

// address is that of a page of the catalog. What is as usual is not in it.
func address(q catalog.ListQuery, category string, page int) string {
	values := url.Values{}
	if q.Search != "" {
		values.Set("q", q.Search)
	}
	if category != "" {
		values.Set("category", category)
	}
	if q.Sort != catalog.SortFeatured && q.Sort != "" {
		values.Set("sort", string(q.Sort))
	}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	if len(values) == 0 {
		return "/"
	}
	return "/?" + values.Encode()
}

func (p *Pages) card(one product.Product) Card {
	card := Card{
		Slug: one.Slug, Name: one.Name, Tagline: one.ShortDescription, Icon: one.Icon, Reviews: one.ReviewCount,
		Featured: one.Featured, Trending: one.Trending,
	}
	if one.ReviewCount > 0 {
		card.Rating = p.stars(one.Rating)
	}
	if one.Pricing.Type == product.Paid {
		card.Price, card.FreePlan = p.money(one.Pricing.Price), one.HasFreePlan()
	}
	return card
}

package storefront

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"stoa/internal/shop/product"
	"stoa/internal/shop/release"
	"stoa/internal/shop/review"
)

// ReviewsPage is how many reviews a page of a product shows.
const ReviewsPage = 5

// Shown is what a product's page shows.
type Shown struct {
	Product product.Product
	// Offered are the versions of the package that it carries, the highest first; empty if it carries none.
	Offered []release.Release
	Reviews []review.Review
	// Of the reviews: the present page, from 1, and how many there are on all pages.
	ReviewPage, ReviewTotal int
}

// Plan is a tier beside the others.
type Plan struct {
	product.Tier

	Price  string
	Free   bool
	Period string // in words
	Href   string // of the checkout
}

// Fact is a line of the product's details.
type Fact struct {
	Name, Value string
	Codes       []string  // names of permissions, in place of Value
	At          time.Time // a day, after Value; zero: none
}

// Row is a line of the comparison, with a cell for each column.
type Row struct {
	Feature string
	Cells   []Cell
}

// Cell is a text, or else yes or no.
type Cell struct {
	Text string
	Yes  bool
}

// productView is what the template of a product shows.
type productView struct {
	Product product.Product
	Card    Card
	Reviews []review.Review

	Plans        []Plan
	Columns      []string
	Rows         []Row
	Facts        []Fact
	Newer, Older string // addresses of other reviews
	CategoryHref string
}

// Product writes a product's page.
func (p *Pages) Product(site Site, shown Shown) (html []byte, err error) {
	one := shown.Product
	view := productView{
		Product: one, Card: p.card(one), Reviews: shown.Reviews, Facts: p.facts(shown),
		CategoryHref: "/?" + url.Values{"category": {one.Category}}.Encode(),
	}
	for _, tier := range one.Detail.Tiers {
		view.Plans = append(view.Plans, p.plan(one.Slug, tier))
	}
	view.compare(one)
	at := "/p/" + one.Slug
	if shown.ReviewPage > 1 {
		view.Newer = reviewsAt(at, shown.ReviewPage-1)
	}
	if shown.ReviewPage*ReviewsPage < shown.ReviewTotal {
		view.Older = reviewsAt(at, shown.ReviewPage+1)
	}
	h := head{
		Title: p.named(one.Name, site), Kind: "product", Description: one.ShortDescription,
		Canonical: site.PublicURL + at, Data: structured(site, one),
	}
	if len(one.Screenshots) > 0 {
		h.Image = absolute(site, one.Screenshots[0])
	} else if one.Icon != "" {
		h.Image = absolute(site, one.Icon)
	}
	return p.render(p.product, frame{Site: site, Entry: p.page, Head: h, Body: view})
}

func reviewsAt(at string, page int) string { return at + "?reviews=" + strconv.Itoa(page) + "#reviews" }

func (p *Pages) plan(slug string, tier product.Tier) Plan {
	plan := Plan{Tier: tier, Free: tier.Price.Minor == 0, Href: "/checkout/" + slug + "/" + url.PathEscape(tier.ID)}
	if plan.Free {
		plan.Price = p.text("page.free")
		return plan
	}
	plan.Price = p.money(tier.Price)
	if tier.Period != "" {
		plan.Period = p.text("product.period." + string(tier.Period))
	}
	return plan
}

// compare fills the comparison, whose columns are named after tiers.
func (v *productView) compare(one product.Product) {
	table := one.Detail.Comparison
	if table == nil {
		return
	}
	for _, id := range table.Columns {
		name := id
		if tier, ok := one.Tier(id); ok {
			name = tier.Name
		}
		v.Columns = append(v.Columns, name)
	}
	for _, row := range table.Rows {
		cells := make([]Cell, len(table.Columns))
		for i, id := range table.Columns {
			switch value := row.Values[id].(type) {
			case bool:
				cells[i].Yes = value
			case string:
				cells[i].Text = value
			}
		}
		v.Rows = append(v.Rows, Row{row.Feature, cells})
	}
}

// facts are the lines of the details.
func (p *Pages) facts(shown Shown) []Fact {
	one := shown.Product
	facts := []Fact{{Name: p.text("product.category"), Value: one.Category}}
	if len(shown.Offered) > 0 {
		facts = append(facts, p.packageFacts(shown.Offered)...)
	}
	if one.DownloadCount > 0 {
		facts = append(facts, Fact{Name: p.text("product.downloads"), Value: p.words.Number(one.DownloadCount)})
	}
	return append(facts, Fact{Name: p.text("product.added"), At: one.CreatedAt},
		Fact{Name: p.text("product.updated"), At: one.UpdatedAt})
}

// shownVersions is how many versions of a package are shown beside the highest.
const shownVersions = 10

// packageFacts are the lines about the package that a product carries.
func (p *Pages) packageFacts(offered []release.Release) []Fact {
	c := offered[0]
	facts := []Fact{
		{Name: p.text("product.version"), Value: c.Version, At: c.PublishedAt},
		{Name: p.text("product.kind"), Value: string(c.Kind)},
	}
	if c.SignedBy != "" {
		facts = append(facts, Fact{Name: p.text("product.signedBy"), Value: c.SignedBy})
	}
	if c.Described {
		allows := Fact{Name: p.text("product.permissions"), Codes: c.Needs.Permissions}
		if len(allows.Codes) == 0 {
			allows.Value = p.text("product.noPermissions")
		}
		facts = append(facts, allows)
	}
	if least := c.Needs.MinPlatform; least != "" {
		facts = append(facts, Fact{Name: p.text("product.needs"), Value: "stoa " + least})
	}
	for i, one := range offered[1:min(len(offered), shownVersions+1)] {
		f := Fact{Value: one.Version, At: one.PublishedAt}
		if i == 0 {
			f.Name = p.text("product.earlier")
		}
		facts = append(facts, f)
	}
	return facts
}

// structured is a product as schema.org describes it, for search engines.
func structured(site Site, one product.Product) any {
	at := site.PublicURL + "/p/" + one.Slug
	offers := []map[string]any{}
	for _, tier := range one.Detail.Tiers {
		offers = append(offers, map[string]any{
			"@type": "Offer", "name": tier.Name, "price": tier.Price.Amount().String(), "priceCurrency": tier.Price.Currency,
			"availability": "https://schema.org/InStock", "url": at,
		})
	}
	pictures := []string{}
	for _, picture := range one.Screenshots {
		pictures = append(pictures, absolute(site, picture))
	}
	data := map[string]any{
		"@context": "https://schema.org", "@type": "Product", "name": one.Name, "description": one.Description,
		"sku": one.Slug, "category": one.Category, "url": at, "image": pictures, "offers": offers,
	}
	if one.ReviewCount > 0 {
		data["aggregateRating"] = map[string]any{
			"@type": "AggregateRating", "ratingValue": one.Rating, "reviewCount": one.ReviewCount, "bestRating": 5,
		}
	}
	return data
}

// absolute returns the whole address of a picture.
func absolute(site Site, picture string) string {
	if strings.HasPrefix(picture, "/") {
		return site.PublicURL + picture
	}
	return picture
}

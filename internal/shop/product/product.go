package product

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"stoa/internal/base/text"
)

// Product is something that the shop sells: what lists show of it, and its detail
// (contract 3.1). Its id and slug never change.
//
// Pictures are addressed as clients see them: by URLs, or by paths on this server.
type Product struct {
	ID               string
	Slug             string
	Name             string
	Description      string
	ShortDescription string
	Icon             string
	Screenshots      []string
	Category         string
	Highlights       []string
	Pricing          Pricing

	// Rating, from 0 to 5, and ReviewCount are shown to clients. They combine
	// RatingBase and ReviewBase with the reviews in this shop (review.Tally). The
	// database keeps them; saving a product ignores them.
	Rating      float64
	ReviewCount int
	// RatingBase and ReviewBase are the numbers that the product brought along: those
	// in the catalog.
	RatingBase float64
	ReviewBase int
	// DownloadCount is DownloadBase plus one for every purchase. The database keeps
	// it; saving a product ignores it.
	DownloadCount int
	// DownloadBase is the number of downloads that the product brought along.
	DownloadBase int

	Featured bool
	Trending bool
	// Position orders products that are all featured, or all not: lower first. The
	// default is 0.
	Position int
	// Published products are listed and sold. Licenses of the others remain valid. A product that is not
	// published may be half done (Lacks).
	Published bool

	CreatedAt time.Time
	UpdatedAt time.Time

	// Version counts the changes to the product, not those to its ratings and
	// downloads. The database sets it.
	Version int64

	// Detail is empty in lists.
	Detail Detail
	// Translations are what the product says in other languages, by canonical tag. nil if there are none,
	// and in lists that are not in a language.
	Translations map[string]Translation
	// FreePlan says in lists whether one of the tiers is free. It is false elsewhere: see HasFreePlan.
	FreePlan bool
}

// HasFreePlan reports whether one of the tiers is free.
func (p Product) HasFreePlan() bool {
	return p.FreePlan || slices.ContainsFunc(p.Detail.Tiers, func(t Tier) bool { return t.Price.Minor == 0 })
}

// Detail is the part of a product that only its own page shows.
type Detail struct {
	FullDescription string
	Features        []FeatureSection
	Tiers           []Tier
	FAQ             []Question
	Comparison      *Comparison // nil if there is none
	// RefundDays is for how many days after the payment buyers may take back an order. 0: never.
	RefundDays int
}

// PricingType says whether a product costs anything.
type PricingType string

// The pricing types (contract 3.1).
const (
	Free PricingType = "free"
	Paid PricingType = "paid"
)

// Pricing is the price that lists show. Price is zero for a free product.
type Pricing struct {
	Type  PricingType
	Price Money
}

// FeatureSection is a group of features under a title.
type FeatureSection struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Items       []string `json:"items"`
}

// Question is a question with its answer.
type Question struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// Comparison is a table that compares tiers, with one column for each tier and one row
// for each feature (contract 3.1).
type Comparison struct {
	Columns []string        `json:"columns"` // tier ids
	Rows    []ComparisonRow `json:"rows"`
}

// ComparisonRow says which tiers have a feature: each value is true, false or a text.
type ComparisonRow struct {
	Feature string         `json:"feature"`
	Values  map[string]any `json:"values"` // by tier id
}

// BillingPeriod is how often a tier is charged.
type BillingPeriod string

// The billing periods (contract 3.1). A tier without one is charged once.
const (
	Monthly BillingPeriod = "monthly"
	Yearly  BillingPeriod = "yearly"
	OneTime BillingPeriod = "one-time"
)

// Months returns the length of a period, or 0 for a one-time purchase.
func (p BillingPeriod) Months() int {
	switch p {
	case Monthly:
		return 1
	case Yearly:
		return 12
	case OneTime:
	}
	return 0
}

// Tier is one way to buy a product. Licenses keep the terms they were sold with:
// changing a tier affects later purchases only.
type Tier struct {
	ID          string
	Name        string
	Description string
	Price       Money
	// Unpriced is set for a draft's tier whose price nobody has said yet. Price has at most a currency.
	Unpriced    bool
	Period      BillingPeriod // "" if not stated
	Features    []string
	Highlighted bool
	// MaxInstances is how many instances may use a license of this tier at a time.
	MaxInstances int
	// TrialDays is how long the tier may be tried (contract 3.18). Zero means that it is not.
	TrialDays int
}

// Tier returns the tier with that id.
func (p *Product) Tier(id string) (Tier, bool) {
	for _, t := range p.Detail.Tiers {
		if t.ID == id {
			return t, true
		}
	}
	return Tier{}, false
}

// MaxSlug is the length of the longest slug.
const MaxSlug = 100

var slugPattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// ValidSlug reports whether a product may have this slug. If not, no product has it, and
// there is no need to ask the database.
func ValidSlug(s string) bool { return len(s) <= MaxSlug && slugPattern.MatchString(s) }

// SearchText returns the text that searches are matched against, folded by text.Fold. It has the texts of
// every language: readers search for what they see.
func (p *Product) SearchText() string {
	texts := append([]string{p.Name, p.Slug, p.Category, p.ShortDescription, p.Description}, p.Highlights...)
	for _, tag := range slices.Sorted(maps.Keys(p.Translations)) {
		t := p.Translations[tag]
		texts = append(append(texts, t.Name, t.ShortDescription, t.Description), t.Highlights...)
	}
	return text.Fold(strings.Join(texts, "\n"))
}

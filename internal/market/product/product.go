package product

import (
	"regexp"
	"strings"
	"time"

	"stoa/internal/text"
)

// Get is something that can be bought: an item of the list and its detail
// (spec A). Its id and slug never change.
//
// Media and links are given as clients see them: URLs, or paths on this server.
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

	// Rating, from 0 to 5, and ReviewCount are what is shown: RatingBase and
	// ReviewBase together with the reviews that were written here (Tally). They are
	// kept by Store and are not changed by saving the product.
	Rating      float64
	ReviewCount int
	// RatingBase and ReviewBase are what the catalogue says the product had before
	// it came here.
	RatingBase float64
	ReviewBase int
	// DownloadCount is DownloadBase plus one for every purchase. It is kept by
	// Store.CountDownload and is not changed by saving the product.
	DownloadCount int
	// DownloadBase is what the catalogue says the product had before it came here.
	DownloadBase int

	Featured bool
	Trending bool
	// Position is the product's place among those as featured as it is, lower
	// first. 0 is where products are that nobody put anywhere.
	Position int
	// Published products are listed and sold. Licences of others go on working.
	Published bool

	CreatedAt time.Time
	UpdatedAt time.Time

	// Version counts the changes of the product, but not what is counted of it. It
	// is set by the database.
	Version int64

	// Detail is empty in lists.
	Detail Detail
}

// Detail is what only the page of one product shows.
type Detail struct {
	FullDescription string
	Features        []FeatureSection
	Tiers           []Tier
	FAQ             []Question
	Comparison      *Comparison // nil if there is none
}

// PricingType says whether a product has to be paid for.
type PricingType string

// The pricing types of spec A.
const (
	Free PricingType = "free"
	Paid PricingType = "paid"
)

// Pricing is the price that a list shows. Price is the zero Money if the product
// is free.
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

// Comparison is a table with a column for each tier and a row for each feature
// (CONTRACT 3).
type Comparison struct {
	Columns []string        `json:"columns"` // tier ids
	Rows    []ComparisonRow `json:"rows"`
}

// ComparisonRow says what each tier has of one feature: true, false or a text.
type ComparisonRow struct {
	Feature string         `json:"feature"`
	Values  map[string]any `json:"values"` // by tier id
}

// BillingPeriod is how often a tier is paid for.
type BillingPeriod string

// The billing periods of spec A. A tier without one is paid for once.
const (
	Monthly BillingPeriod = "monthly"
	Yearly  BillingPeriod = "yearly"
	OneTime BillingPeriod = "one-time"
)

// Months returns how long one period of a tier lasts; 0 if it is bought for
// ever.
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

// Tier is one of the offers of a product. Licences keep what they were sold
// with: changing a tier changes later purchases only.
type Tier struct {
	ID          string
	Name        string
	Description string
	Price       Money
	Period      BillingPeriod // "" if not stated
	Features    []string
	Highlighted bool
	// MaxInstances is how many instances a licence of this tier may have.
	MaxInstances int
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

// ValidSlug reports whether a product may have this slug. What may not is
// unknown without asking the database.
func ValidSlug(s string) bool { return len(s) <= MaxSlug && slugPattern.MatchString(s) }

// SearchText returns what a search for the product looks at.
func (p *Product) SearchText() string {
	return text.Fold(strings.Join(append([]string{p.Name, p.Slug, p.Category, p.ShortDescription, p.Description}, p.Highlights...), "\n"))
}

package product

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
)

// Limits of a product (docs/catalog.md).
const (
	maxParagraph = 2_000  // characters of a description
	MaxArticle   = 50_000 // characters of fullDescription
	maxCount     = 1_000_000_000
	MaxInstances = 1_000_000
	MaxTrialDays = 90
	maxPosition  = 1_000_000
	maxEntries   = 100 // of each list of a product
)

// maxRefundDays bounds how long buyers may take back what they bought.
const maxRefundDays = 60

// reader reads one product of a document.
type reader struct {
	*Document
	currency string // for prices that name none; "" if there is none
	slug     string
	draft    bool // the product may be half done (reader.needed)
}

// productFields are the fields of a product, in the order in which faults name them.
var productFields = []string{
	"slug", "name", "category", "shortDescription", "description", "fullDescription", "icon", "screenshots",
	"highlights", "currency", "pricing", "rating", "reviewCount", "downloadCount", "featured", "trending", "published",
	"position", "createdAt", "features", "pricingTiers", "faq", "comparison", "refundDays", "translations",
}

func (r reader) product(n *yaml.Node, path string) Product {
	o := r.object(n, path, productFields...)
	r.draft = isDraft(o)
	o.required("slug", "name")
	r.needed(o, "category", "shortDescription", "description", "icon", "pricingTiers")
	p := Product{
		Slug:             o.text("slug", MaxSlug),
		Name:             o.text("name", text.Short),
		Category:         o.text("category", text.Short),
		ShortDescription: o.text("shortDescription", text.Short),
		Description:      o.text("description", maxParagraph),
		Highlights:       o.texts("highlights", text.Short),
		ReviewBase:       o.integer("reviewCount", 0, maxCount, 0),
		DownloadBase:     o.integer("downloadCount", 0, maxCount, 0),
		Featured:         o.boolean("featured", false),
		Trending:         o.boolean("trending", false),
		Published:        o.boolean("published", true),
		Position:         o.integer("position", -maxPosition, maxPosition, 0),
		CreatedAt:        o.moment("createdAt"),
	}
	r.slug = p.Slug
	if p.Slug != "" && !ValidSlug(p.Slug) {
		r.fault(o.fields["slug"], o.at("slug"), errs.CodeInvalid,
			"a slug is lower-case letters and digits, in parts joined by single dashes.")
	}
	if own := o.currency(); own != "" {
		r.currency = own
	}
	p.RatingBase = r.rating(o)
	p.Icon, p.Screenshots = r.pictures(o, len(r.Products))
	p.Detail = Detail{
		FullDescription: o.text("fullDescription", MaxArticle),
		Features:        r.features(o),
		Tiers:           r.tiers(o),
		FAQ:             r.faq(o),
		RefundDays:      o.integer("refundDays", 0, maxRefundDays, 0),
	}
	if p.Detail.FullDescription == "" {
		p.Detail.FullDescription = p.Description
	}
	p.Detail.Comparison = r.comparison(o, p)
	p.Pricing = r.pricing(o, p.Detail.Tiers)
	p.Translations = r.translations(o, p)
	return p
}

// isDraft reports whether a product states that it is not published.
func isDraft(o object) bool {
	n, ok := o.get("published")
	return ok && n.ShortTag() == "!!bool" && strings.EqualFold(n.Value, "false")
}

// needed is required for a product that is published. A draft may lack the fields, and one that shows
// nothing counts as absent.
func (r reader) needed(o object, names ...string) {
	if !r.draft {
		o.required(names...)
		return
	}
	for _, name := range names {
		if n, ok := o.get(name); ok && isBlank(n) {
			delete(o.fields, name)
		}
	}
}

func (r reader) rating(o object) float64 {
	digits, ok := o.decimal("rating")
	if !ok {
		return 0
	}
	v, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(v >= 0 && v <= 5) {
		r.fault(o.fields["rating"], o.at("rating"), errs.CodeOutOfRange, "rating must be a number from 0 to 5.")
		return 0
	}
	return math.Abs(v) // turns -0 into 0
}

func (r reader) features(o object) (out []FeatureSection) {
	o.list("features", func(n *yaml.Node, path string) {
		f := r.object(n, path, "title", "description", "items")
		r.needed(f, "title", "items")
		out = append(out, FeatureSection{
			Title:       f.text("title", text.Short),
			Description: f.text("description", maxParagraph),
			Items:       f.texts("items", text.Short),
		})
	})
	return out
}

func (r reader) faq(o object) (out []Question) {
	o.list("faq", func(n *yaml.Node, path string) {
		f := r.object(n, path, "question", "answer")
		r.needed(f, "question", "answer")
		out = append(out, Question{Question: f.text("question", maxParagraph), Answer: f.text("answer", maxParagraph)})
	})
	return out
}

func (r reader) tiers(o object) (out []Tier) {
	seen := make(map[string]bool)
	o.list("pricingTiers", func(n *yaml.Node, path string) {
		t := r.tier(n, path, seen)
		seen[t.ID] = true
		out = append(out, t)
	})
	if n, ok := o.get("pricingTiers"); ok && n.Kind == yaml.SequenceNode && len(out) == 0 && !r.draft {
		r.fault(n, o.at("pricingTiers"), errs.CodeRequired, "a product needs at least one tier.")
	}
	return out
}

// tier reads one tier. The ids in seen are taken.
func (r reader) tier(n *yaml.Node, path string, seen map[string]bool) Tier {
	o := r.object(n, path,
		"id", "name", "description", "price", "currency", "billingPeriod", "features", "highlighted", "maxInstances",
		"trialDays")
	r.needed(o, "id", "name", "price")
	price, priced := r.price(o, !r.draft)
	t := Tier{
		ID:           o.text("id", MaxSlug),
		Name:         o.text("name", text.Short),
		Description:  o.text("description", maxParagraph),
		Price:        price,
		Unpriced:     !priced,
		Period:       BillingPeriod(o.text("billingPeriod", text.Short)),
		Features:     o.texts("features", text.Short),
		Highlighted:  o.boolean("highlighted", false),
		MaxInstances: o.integer("maxInstances", 1, MaxInstances, 1),
		TrialDays:    o.integer("trialDays", 0, MaxTrialDays, 0),
	}
	if t.ID != "" && seen[t.ID] {
		r.fault(n, path+".id", errs.CodeDuplicate, "another tier has the id %q too.", t.ID)
	}
	switch t.Period {
	case "", Monthly, Yearly, OneTime:
	default:
		r.fault(o.fields["billingPeriod"], o.at("billingPeriod"), errs.CodeUnknownValue,
			"billingPeriod must be monthly, yearly or one-time.")
	}
	return t
}

// comparison reads the table that compares tiers.
func (r reader) comparison(o object, p Product) *Comparison {
	n, ok := o.get("comparison")
	if !ok {
		return nil
	}
	f := r.object(n, o.at("comparison"), "columns", "rows")
	r.needed(f, "columns", "rows")
	c := &Comparison{Columns: []string{}, Rows: []ComparisonRow{}}
	f.list("columns", func(n *yaml.Node, path string) {
		id := r.text(n, path, MaxSlug)
		if _, ok := p.Tier(id); !ok && id != "" {
			r.fault(n, path, errs.CodeUnknownValue, "the product has no tier %q.", text.Clip(id))
		}
		if id != "" && slices.Contains(c.Columns, id) {
			r.fault(n, path, errs.CodeDuplicate, "%q is a column already.", text.Clip(id))
		}
		c.Columns = append(c.Columns, id)
	})
	f.list("rows", func(n *yaml.Node, path string) {
		row := r.object(n, path, "feature", "values")
		r.needed(row, "feature", "values")
		c.Rows = append(c.Rows, ComparisonRow{
			Feature: row.text("feature", text.Short),
			Values:  r.cells(row, c.Columns),
		})
	})
	return c
}

func (r reader) cells(row object, columns []string) map[string]any {
	out := make(map[string]any)
	n, ok := row.get("values")
	if !ok {
		return out
	}
	values := r.object(n, row.at("values"))
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 { // in order, so that faults have one
		id, cell := n.Content[i].Value, n.Content[i+1]
		switch {
		case !slices.Contains(columns, id):
			r.fault(cell, values.at(id), errs.CodeUnknownValue, "%q is not one of the columns.", text.Clip(id))
		case cell.ShortTag() == "!!bool":
			out[id] = values.boolean(id, false)
		default:
			out[id] = r.text(cell, values.at(id), text.Short)
		}
	}
	return out
}

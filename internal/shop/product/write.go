package product

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Format is a file format of catalogs.
type Format string

// The formats of catalogs.
const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// WriteCatalog writes products as a catalog. Reading it returns exactly these products,
// except for what catalogs do not hold: ids, versions, times of changes, and the ratings
// and downloads from this shop.
func WriteCatalog(w io.Writer, format Format, products []Product) error {
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, p := range products {
		list.Content = append(list.Content, productTree(p))
	}
	root := new(tree)
	root.add("products", list)
	if format == JSON {
		var out bytes.Buffer
		if err := json.Indent(&out, appendJSON(nil, root.node()), "", "  "); err != nil {
			return fmt.Errorf("write catalog: %w", err)
		}
		out.WriteByte('\n')
		_, err := out.WriteTo(w)
		return err
	}
	dumper, err := yaml.NewDumper(w, yaml.WithIndent(2), yaml.WithLineWidth(-1))
	if err != nil {
		return fmt.Errorf("write catalog: %w", err)
	}
	if err := dumper.Dump(root.node()); err != nil {
		return err
	}
	return dumper.Close()
}

// tree builds a mapping. Its methods leave out fields that have their default value.
type tree struct {
	content []*yaml.Node
}

func (t *tree) node() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Content: t.content} }

func (t *tree) add(name string, n *yaml.Node) { t.content = append(t.content, textNode(name), n) }

// text adds a text unless it is empty.
func (t *tree) text(name, s string) {
	if s != "" {
		t.add(name, textNode(s))
	}
}

// texts adds a list unless it is empty.
func (t *tree) texts(name string, list []string) {
	if len(list) > 0 {
		t.add(name, textsNode(list))
	}
}

// flag adds a boolean unless it is absent.
func (t *tree) flag(name string, b, absent bool) {
	if b != absent {
		t.add(name, flagNode(b))
	}
}

// integer adds a number unless it is absent.
func (t *tree) integer(name string, n, absent int) {
	if n != absent {
		t.add(name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)})
	}
}

func (t *tree) decimal(name, digits string) {
	t.add(name, &yaml.Node{Kind: yaml.ScalarNode, Tag: numberTag(json.Number(digits)), Value: digits})
}

func (t *tree) money(m Money) {
	t.decimal("price", m.Amount().String())
	t.text("currency", m.Currency)
}

func flagNode(b bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(b)}
}

func textsNode(list []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for _, s := range list {
		n.Content = append(n.Content, textNode(s))
	}
	return n
}

// textNode returns a text. One of several lines becomes a block if YAML can express it
// as one.
func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.Contains(s, "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}

// productTree returns a product as it stands in a catalog.
func productTree(p Product) *yaml.Node {
	t := new(tree)
	t.text("slug", p.Slug)
	t.text("name", p.Name)
	t.text("category", p.Category)
	t.text("shortDescription", p.ShortDescription)
	t.text("description", p.Description)
	if p.Detail.FullDescription != p.Description {
		t.text("fullDescription", p.Detail.FullDescription)
	}
	t.text("icon", p.Icon)
	t.texts("screenshots", p.Screenshots)
	t.texts("highlights", p.Highlights)
	if p.Pricing != listPrice(p.Detail.Tiers) {
		t.add("pricing", pricingTree(p.Pricing))
	}
	if p.RatingBase != 0 {
		t.decimal("rating", strconv.FormatFloat(p.RatingBase, 'f', -1, 64))
	}
	t.integer("reviewCount", p.ReviewBase, 0)
	t.integer("downloadCount", p.DownloadBase, 0)
	t.flag("featured", p.Featured, false)
	t.flag("trending", p.Trending, false)
	t.add("published", flagNode(p.Published)) // always: without it, an import does not change published
	t.integer("position", p.Position, 0)
	if !p.CreatedAt.IsZero() {
		created := p.CreatedAt.UTC().Format("2006-01-02T15:04:05.000Z07:00")
		t.add("createdAt", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!timestamp", Value: created})
	}
	detailTree(t, p.Detail)
	translationsTree(t, p.Translations)
	return t.node()
}

func pricingTree(p Pricing) *yaml.Node {
	t := new(tree)
	t.text("type", string(p.Type))
	if p.Type == Paid {
		t.money(p.Price)
	}
	return t.node()
}

func detailTree(t *tree, d Detail) {
	featuresTree(t, d.Features)
	each(t, "pricingTiers", d.Tiers, func(t *tree, tier Tier) {
		t.text("id", tier.ID)
		t.text("name", tier.Name)
		t.text("description", tier.Description)
		if tier.Unpriced {
			t.text("currency", tier.Price.Currency)
		} else {
			t.money(tier.Price)
		}
		t.text("billingPeriod", string(tier.Period))
		t.texts("features", tier.Features)
		t.flag("highlighted", tier.Highlighted, false)
		t.integer("maxInstances", tier.MaxInstances, 1)
		t.integer("trialDays", tier.TrialDays, 0)
	})
	faqTree(t, d.FAQ)
	if d.Comparison != nil {
		t.add("comparison", comparisonTree(*d.Comparison))
	}
	t.integer("refundDays", d.RefundDays, 0)
}

func featuresTree(t *tree, features []FeatureSection) {
	each(t, "features", features, func(t *tree, f FeatureSection) {
		t.text("title", f.Title)
		t.text("description", f.Description)
		t.add("items", textsNode(f.Items))
	})
}

func faqTree(t *tree, faq []Question) {
	each(t, "faq", faq, func(t *tree, q Question) {
		t.text("question", q.Question)
		t.text("answer", q.Answer)
	})
}

// each adds a list with one mapping for each entry, unless it is empty.
func each[T any](t *tree, name string, list []T, fill func(*tree, T)) {
	if len(list) == 0 {
		return
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	for _, entry := range list {
		e := new(tree)
		fill(e, entry)
		n.Content = append(n.Content, e.node())
	}
	t.add(name, n)
}

func comparisonTree(c Comparison) *yaml.Node {
	t := new(tree)
	t.add("columns", textsNode(c.Columns))
	rows := &yaml.Node{Kind: yaml.SequenceNode}
	for _, row := range c.Rows {
		values, r := new(tree), new(tree)
		for _, id := range c.Columns {
			switch v := row.Values[id].(type) {
			case bool:
				values.add(id, flagNode(v))
			case string:
				values.add(id, textNode(v))
			}
		}
		r.text("feature", row.Feature)
		r.add("values", values.node())
		rows.Content = append(rows.Content, r.node())
	}
	t.add("rows", rows)
	return t.node()
}

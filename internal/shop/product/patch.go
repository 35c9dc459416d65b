package product

import (
	"go.yaml.in/yaml/v4"

	"stoa/internal/base/errs"
)

// Patch is a change to some fields of a product.
type Patch struct {
	root *yaml.Node
	// Pictures holds the references to pictures in the patch. Faults that the caller adds to it are
	// returned by Apply, together with all others.
	Pictures *Document
}

// ReadPatch reads a change to the product with that slug from JSON. The error is for data that is
// not JSON; Apply returns what is wrong with the change.
func ReadPatch(slug string, data []byte) (*Patch, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	scratch := &Document{bare: true} // its faults are dropped: Apply finds them again
	fields := scratch.object(root, "", productFields...)
	reader{Document: scratch, slug: slug}.pictures(fields, 0)
	return &Patch{root: root, Pictures: &Document{bare: true, Stored: scratch.Stored}}, nil
}

// Apply returns old with the change made, or VALIDATION_ERROR with every fault of the resulting
// product. null resets a field to its default; null for published leaves it as it is. A pricing or
// fullDescription that equals the value derived from other fields counts as not sent. It is a fault
// to change slug or createdAt, and to send a currency without prices.
func (pt *Patch) Apply(old Product) (Product, error) {
	d := &Document{bare: true}
	sent := d.object(pt.root, "", productFields...)
	fields := sent.fields
	if _, given := sent.filled("currency"); given && fields["pricingTiers"] == nil && fields["pricing"] == nil {
		d.issues.Add("currency", errs.CodeInvalid, "currency is for the prices that are sent with it: send pricingTiers too.")
	}
	old.dropDerived(fields)
	if n, ok := fields["published"]; ok && n.ShortTag() == "!!null" {
		delete(fields, "published") // its default would put a draft on sale (Document.Upon)
	}
	merged := new(tree)
	for was := productTree(old).Content; len(was) > 0; was = was[2:] {
		if _, replaced := fields[was[0].Value]; !replaced {
			merged.add(was[0].Value, was[1])
		}
	}
	for _, name := range productFields { // in a fixed order, so that faults have one too
		if value, ok := fields[name]; ok {
			merged.add(name, value)
		}
	}
	next := reader{Document: d}.product(merged.node(), "")
	if next.Slug != "" && next.Slug != old.Slug {
		d.issues.Add("slug", errs.CodeReadOnly, "slug never changes: addresses and licenses are bound to it.")
	}
	if !next.CreatedAt.IsZero() && !next.CreatedAt.Equal(old.CreatedAt) {
		d.issues.Add("createdAt", errs.CodeReadOnly, "createdAt never changes.")
	}
	d.issues.Append(pt.Pictures.issues.List()...)
	return next, d.Err()
}

// dropDerived removes the fields of a patch that equal what p derives from its other fields: a
// client that reads a product, changes a tier and sends everything back does not mean to pin the
// old list price.
func (p Product) dropDerived(fields map[string]*yaml.Node) {
	scratch := &Document{bare: true}
	sent := object{doc: scratch, fields: fields}
	_, given := sent.get("fullDescription")
	if given && p.Detail.FullDescription == p.Description && sent.text("fullDescription", MaxArticle) == p.Description {
		delete(fields, "fullDescription")
	}
	if _, ok := sent.get("pricing"); ok && p.Pricing == listPrice(p.Detail.Tiers) {
		r := reader{Document: scratch, currency: sent.currency()}
		if r.pricing(sent, nil) == p.Pricing && scratch.issues.Len() == 0 {
			delete(fields, "pricing")
		}
	}
}

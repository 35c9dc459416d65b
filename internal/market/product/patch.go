package product

import (
	"go.yaml.in/yaml/v4"

	"stoa/internal/errs"
)

// Patch is the fields of a product that somebody wants to change.
type Patch struct {
	root *yaml.Node
	// Pictures has what the patch names of pictures, and takes what is wrong with them: Apply
	// reports it with everything else.
	Pictures *Document
}

// ReadPatch reads the JSON of some fields of the product with that slug. It returns an error for
// what is not JSON.
func ReadPatch(slug string, data []byte) (*Patch, error) {
	root, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	scratch := &Document{bare: true} // its faults are found again when the whole product is read
	fields := scratch.object(root, "", productFields...)
	reader{Document: scratch, slug: slug}.pictures(fields, 0)
	return &Patch{root: root, Pictures: &Document{bare: true, Stored: scratch.Stored}}, nil
}

// Apply returns old with the fields of the patch, or VALIDATION_ERROR with everything that is wrong
// with the product as it would be. null takes a field away, as if a catalog left it out, and leaves
// published as it is. pricing and fullDescription as they follow from other fields at the moment
// count as not sent. Slug and createdAt never change.
func (pt *Patch) Apply(old Product) (Product, error) {
	d := &Document{bare: true}
	fields := d.object(pt.root, "", productFields...).fields
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
	for _, name := range productFields { // in one order, so that faults come in one order
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

// dropDerived takes the fields from a patch that say what p shows because of its other fields:
// whoever reads a product, changes a tier and sends all of it back does not mean to keep the old
// list price.
func (p Product) dropDerived(fields map[string]*yaml.Node) {
	scratch := &Document{bare: true}
	sent := object{doc: scratch, fields: fields}
	_, given := sent.get("fullDescription")
	if given && p.Detail.FullDescription == p.Description && sent.text("fullDescription", maxArticle) == p.Description {
		delete(fields, "fullDescription")
	}
	if _, ok := sent.get("pricing"); ok && p.Pricing == listPrice(p.Detail.Tiers) {
		r := reader{Document: scratch}
		if r.pricing(sent, nil) == p.Pricing && scratch.issues.Len() == 0 {
			delete(fields, "pricing")
		}
	}
}

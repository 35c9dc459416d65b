package product

import (
	"reflect"
	"slices"
	"strconv"
	"time"
)

// Revision names the state of the product that administrators edit: new sales and reviews do not
// change it. No two products share one, even if one took over the other's slug.
func (p *Product) Revision() string { return p.ID + "-" + strconv.FormatInt(p.Version, 10) }

// Upon returns p, a product of the document, as the replacement of old, which is zero for a new
// product. The id stays. So does published if the document does not state it, because an import must
// not put a draft on sale, and so does createdAt. Every other missing field takes its default: the
// document describes the whole product.
func (d *Document) Upon(old, p Product) Product {
	p.ID = old.ID
	if !d.statesPublished[p.Slug] {
		p.Published = old.Published
	}
	if p.CreatedAt.IsZero() {
		p.CreatedAt = old.CreatedAt
	}
	return p
}

// SameContent reports whether replacing stored with p would change nothing. It ignores what a
// document does not decide: the id, the times, the version and the counters.
func SameContent(p, stored Product) bool {
	p.ID, p.CreatedAt, p.UpdatedAt, p.Version = stored.ID, stored.CreatedAt, stored.UpdatedAt, stored.Version
	p.Rating, p.ReviewCount, p.DownloadCount = stored.Rating, stored.ReviewCount, stored.DownloadCount
	return reflect.DeepEqual(normal(p), normal(stored))
}

// normal makes empty lists nil: the database does not distinguish the two.
func normal(p Product) Product {
	p.Screenshots, p.Highlights = orNil(p.Screenshots), orNil(p.Highlights)
	d := &p.Detail
	d.Features, d.Tiers, d.FAQ = slices.Clone(orNil(d.Features)), slices.Clone(orNil(d.Tiers)), orNil(d.FAQ)
	for i := range d.Features {
		d.Features[i].Items = orNil(d.Features[i].Items)
	}
	for i := range d.Tiers {
		d.Tiers[i].Features = orNil(d.Tiers[i].Features)
	}
	return p
}

func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// ChangedFields returns the names of the fields that differ between two states of a product, except
// createdAt.
func ChangedFields(before, after Product) []string {
	old, now := fieldValues(before), fieldValues(after)
	var changed []string
	for _, name := range productFields {
		if name != "createdAt" && old[name] != now[name] {
			changed = append(changed, name)
		}
	}
	return changed
}

// fieldValues returns the JSON of each field by its name.
func fieldValues(p Product) map[string]string {
	values := make(map[string]string)
	for t := productTree(p).Content; len(t) > 0; t = t[2:] {
		values[t[0].Value] = string(appendJSON(nil, t[1]))
	}
	return values
}

// Millis truncates a time to milliseconds, the precision of the database and of documents.
func Millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

package product

import (
	"reflect"
	"slices"
	"strconv"
	"time"
)

// Revision names what administrators made of a product. It differs between two products even when
// one took the other's slug. What is counted of a product does not change it.
func (p *Product) Revision() string { return p.ID + "-" + strconv.FormatInt(p.Version, 10) }

// Upon returns a product of the document as it replaces old, which is zero for a new one. A document
// that does not say whether a product is published must not put a draft on sale, and one that does
// not say when it was created says nothing about it. Every other field that is left out takes its
// default, because the document is the whole product.
func (d *Document) Upon(old, p Product) Product {
	p.ID = old.ID
	if !d.saysPublished[p.Slug] {
		p.Published = old.Published
	}
	if p.CreatedAt.IsZero() {
		p.CreatedAt = old.CreatedAt
	}
	return p
}

// SameContent reports whether a product of a document says what the stored one says already. What
// no document decides is left out: the id, when it was stored, and what was counted since.
func SameContent(p, stored Product) bool {
	p.ID, p.CreatedAt, p.UpdatedAt, p.Version = stored.ID, stored.CreatedAt, stored.UpdatedAt, stored.Version
	p.Rating, p.ReviewCount, p.DownloadCount = stored.Rating, stored.ReviewCount, stored.DownloadCount
	return reflect.DeepEqual(normal(p), normal(stored))
}

// normal makes empty lists nil, which the database does not tell apart.
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

// ChangedFields names the fields in which two states of a product differ.
func ChangedFields(a, b Product) []string {
	fields := func(p Product) map[string]string {
		out := make(map[string]string)
		for t := productTree(p).Content; len(t) > 0; t = t[2:] {
			out[t[0].Value] = string(appendJSON(nil, t[1]))
		}
		return out
	}
	was, is := fields(a), fields(b)
	var changed []string
	for _, name := range productFields {
		if name != "createdAt" && was[name] != is[name] {
			changed = append(changed, name)
		}
	}
	return changed
}

// Millis cuts a time to what the database and documents keep.
func Millis(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

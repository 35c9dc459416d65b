package market

import (
	"encoding/json"
	"testing"
	"time"

	"stoa/internal/errs"
)

// Whatever JSON object is sent, the answer is a product that can be sold or a
// list of faults, for a new product as for a change.
func FuzzProductDocument(f *testing.F) {
	f.Add(`{"slug":"a","name":"A","category":"c","shortDescription":"s","description":"d","icon":"/i.svg","pricingTiers":[{"id":"t","name":"T","price":1.5,"currency":"EUR"}]}`)
	f.Add(`{"comparison":{"columns":["t"],"rows":[{"feature":"f","values":{"t":true,"t":"x"}}]},"rating":1e999,"price":{},"pricing":{"type":"paid","price":""}}`)
	f.Add(`{"screenshots":["/media/x","./y",null,[],{}],"createdAt":20200101,"slug":null,"faq":[[]],"unknown":{"a":[1]}}`)
	old := Product{
		Slug: "a", Name: "A", Category: "c", ShortDescription: "s", Description: "d", Icon: "/i.svg", Published: true, CreatedAt: time.UnixMilli(1).UTC(),
		Detail: Detail{FullDescription: "d", Tiers: []Tier{{ID: "t", Name: "T", Price: Money{Currency: "EUR"}, MaxInstances: 1}}}, Pricing: Pricing{Type: Free},
	}
	f.Fuzz(func(t *testing.T, text string) {
		var o map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &o) != nil || o == nil {
			return // the HTTP layer lets nothing else through
		}
		root, err := parseJSON([]byte(text))
		if err != nil {
			t.Fatalf("valid JSON is refused: %v", err)
		}
		d := &document{bare: true}
		made, _ := d.oneProduct(root)
		changed, err := old.patched(root, new(document))
		for _, got := range []struct {
			p   Product
			err error
		}{{made, d.err()}, {changed, err}} {
			switch {
			case got.err == nil && (!validSlug(got.p.Slug) || got.p.Name == "" || len(got.p.Detail.Tiers) == 0 || got.p.Pricing.Type == ""):
				t.Errorf("a bad product was accepted: %+v", got.p)
			case got.err != nil && errs.KindOf(got.err) != errs.Invalid:
				t.Errorf("error = %v", got.err)
			}
		}
		if err == nil && (changed.Slug != old.Slug || !changed.CreatedAt.IsZero() && !changed.CreatedAt.Equal(old.CreatedAt)) {
			t.Errorf("what never changes did: %+v", changed)
		}
	})
}

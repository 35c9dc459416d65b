package product

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/errs"
)

// plain returns a product with the required fields only.
func plain() Product {
	return Product{
		Slug: "a", Name: "A", Category: "c", ShortDescription: "s", Description: "d", Icon: "/i.svg", Published: true,
		CreatedAt: time.UnixMilli(1).UTC(),
		Detail: Detail{
			FullDescription: "d",
			Tiers:           []Tier{{ID: "t", Name: "T", Price: Money{Currency: "EUR"}, MaxInstances: 1}},
		}, Pricing: Pricing{Type: Free},
	}
}

// patch returns a product after a change, and the faults of the change as "path code".
func patch(t *testing.T, p Product, doc string) (Product, string) {
	t.Helper()
	change, err := ReadPatch(p.Slug, []byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	next, err := change.Apply(p)
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		return next, ""
	}
	var faults []string
	for _, is := range e.Details["issues"].([]errs.Issue) {
		faults = append(faults, is.Path+" "+is.Code)
	}
	return next, strings.Join(faults, "|")
}

// A change that does not mention published must not put a draft on sale.
func TestAPatchKeepsPublishedUnlessItSetsIt(t *testing.T) {
	t.Parallel()

	for _, on := range []bool{true, false} {
		p := plain()
		p.Published = on
		for doc, want := range map[string]bool{
			`{}`: on, `{"published":null}`: on, `{"published":true}`: true,
			`{"published":false}`: false,
		} {
			if got, faults := patch(t, p, doc); faults != "" || got.Published != want {
				t.Errorf("%s of one that is published: %v: is %v, faults %q", doc, on, got.Published, faults)
			}
		}
	}
}

// An empty string counts as absent for a text, and has the wrong type for other fields.
func TestOnlyTextsMayBeEmpty(t *testing.T) {
	t.Parallel()

	for doc, want := range map[string]string{
		`{"fullDescription":"","createdAt":""}`: "",
		`{"pricingTiers":[{"id":"t","name":"T","price":1,"currency":"EUR","description":"","billingPeriod":""}]}`: "",
		`{"name":""}`: "name required",
		`{"icon":""}`: "icon required",
		`{"published":"","featured":"","trending":""}`: "featured wrong_type|trending wrong_type|published wrong_type",
		`{"position":"","reviewCount":"","downloadCount":""}`: "reviewCount wrong_type|downloadCount wrong_type|position " +
			"wrong_type",
		`{"rating":""}`: "rating wrong_type",
		`{"highlights":"","screenshots":"","features":"","faq":""}`: "highlights wrong_type|screenshots " +
			"wrong_type|features wrong_type|faq wrong_type",
		`{"comparison":""}`: "comparison wrong_type",
		`{"pricing":""}`:    "pricing wrong_type",
		`{"pricing":{"type":"paid","price":"","currency":""}}`: "pricing.price wrong_type|pricing.currency required",
		`{"pricingTiers":""}`: "pricingTiers required",
		`{"pricingTiers":[{"id":"t","name":"T","price":"","currency":""}]}`: "pricingTiers[0].price " +
			"required|pricingTiers[0].currency required",
		`{"features":[{"title":"t","items":""}]}`: "features[0].items required",
		`{"comparison":{"columns":"","rows":[{"feature":"f","values":""}]}}`: "comparison.columns " +
			"required|comparison.rows[0].values required",
	} {
		if _, got := patch(t, plain(), doc); got != want {
			t.Errorf("%s: faults = %q, want %q", doc, got, want)
		}
	}
}

// A currency stands once for all prices that are sent with it, and those may have another.
func TestTheCurrencyOfAProductIsThatOfItsPrices(t *testing.T) {
	t.Parallel()

	const free = `{"id":"f","name":"F","price":0}`
	for doc, want := range map[string]string{
		`{"currency":"USD","pricingTiers":[{"id":"t","name":"T","price":9.9},` + free + `]}`:                                     "USD USD USD",
		`{"currency":"USD","pricingTiers":[{"id":"t","name":"T","price":9,"currency":"JPY"},` + free + `]}`:                      "JPY USD JPY",
		`{"pricingTiers":[{"id":"t","name":"T","price":9.9,"currency":"USD"},{"id":"f","name":"F","price":0,"currency":"EUR"}]}`: "USD EUR USD",
		`{"currency":"USD","pricing":{"type":"paid","price":5},"pricingTiers":[{"id":"t","name":"T","price":5,"currency":"EUR"},` +
			free + `]}`: "EUR USD USD",
		`{"currency":null,"name":"N"}`: "",
		`{"currency":"","name":"N"}`:   "",
	} {
		p, faults := patch(t, plain(), doc)
		got := ""
		if len(p.Detail.Tiers) == 2 {
			got = p.Detail.Tiers[0].Price.Currency + " " + p.Detail.Tiers[1].Price.Currency + " " + p.Pricing.Price.Currency
		}
		if faults != "" || got != want {
			t.Errorf("%s: %q, faults %q; want %q", doc, got, faults, want)
		}
	}
	for doc, want := range map[string]string{
		`{"currency":"USD"}`:                               "currency invalid",
		`{"currency":"USD","name":"N"}`:                    "currency invalid",
		`{"currency":"ZZZ","pricingTiers":[` + free + `]}`: "currency unknown_value",
		`{"currency":5,"pricingTiers":[` + free + `]}`:     "currency wrong_type",
		`{"pricingTiers":[` + free + `]}`:                  "pricingTiers[0].currency required",
	} {
		if _, faults := patch(t, plain(), doc); faults != want {
			t.Errorf("%s: faults %q, want %q", doc, faults, want)
		}
	}
}

// Any JSON object results in a product that can be sold or in a list of faults, whether
// it creates a product or changes one.
func FuzzProductDocument(f *testing.F) {
	f.Add(
		`{"slug":"a","name":"A","category":"c","shortDescription":"s","description":"d","icon":"/i.svg",` +
			`"pricingTiers":[{"id":"t","name":"T","price":1.5,"currency":"EUR"}]}`,
	)
	f.Add(
		`{"comparison":{"columns":["t"],"rows":[{"feature":"f","values":{"t":true,"t":"x"}}]},"rating":1e999,"price":{},` +
			`"pricing":{"type":"paid","price":""}}`,
	)
	f.Add(`{"screenshots":["/media/x","./y",null,[],{}],"createdAt":20200101,"slug":null,"faq":[[]],"unknown":{"a":[1]}}`)
	f.Add(`{"translations":{"de":{"name":"","tiers":{"t":{"name":"T"},"x":null},"comparison":{"rows":[{"values":{"t":""}}]}},"DE":{}}}`)
	old := plain()
	f.Fuzz(func(t *testing.T, text string) {
		var o map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &o) != nil || o == nil {
			return // the HTTP layer lets nothing else through
		}
		d, err := ReadProduct([]byte(text))
		if err != nil {
			t.Fatalf("valid JSON is refused: %v", err)
		}
		change, err := ReadPatch(old.Slug, []byte(text))
		if err != nil {
			t.Fatalf("valid JSON is refused: %v", err)
		}
		changed, err := change.Apply(old)
		for _, got := range []struct {
			p   Product
			err error
		}{{d.Products[0], d.Err()}, {changed, err}} {
			switch {
			case got.err == nil && (!ValidSlug(got.p.Slug) || got.p.Name == "" || got.p.Pricing.Type == "" ||
				got.p.Published && len(got.p.Detail.Tiers) == 0):
				t.Errorf("a bad product was accepted: %+v", got.p)
			case got.err != nil && errs.KindOf(got.err) != errs.Invalid:
				t.Errorf("error = %v", got.err)
			}
		}
		if err == nil &&
			(changed.Slug != old.Slug || !changed.CreatedAt.IsZero() && !changed.CreatedAt.Equal(old.CreatedAt)) {
			t.Errorf("what never changes did: %+v", changed)
		}
	})
}

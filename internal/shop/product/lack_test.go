package product

import (
	"strings"
	"testing"

	"stoa/internal/base/errs"
)

// paths returns the fields that issues name, which all must be missing ones.
func paths(t *testing.T, issues []errs.Issue) string {
	t.Helper()
	var out []string
	for _, is := range issues {
		if is.Code != errs.CodeRequired {
			t.Errorf("%s: %s, want only missing fields", is.Path, is.Code)
		}
		out = append(out, is.Path)
	}
	return strings.Join(out, " ")
}

func TestADraftMayBeHalfDone(t *testing.T) {
	t.Parallel()

	const whole = `"category":"c","shortDescription":"s","description":"d","icon":"/i.svg",`
	for rest, lacks := range map[string]string{
		``: "category shortDescription description icon pricingTiers",
		`"category":" ","icon":"","pricingTiers":[],`: "category shortDescription description icon pricingTiers",
		whole: "pricingTiers",
		whole + `"pricingTiers":[{}],`: "pricingTiers[0].id pricingTiers[0].name pricingTiers[0].price " +
			"pricingTiers[0].currency",
		whole + `"pricingTiers":[{"id":"t","name":"T","currency":"EUR"}],`:           "pricingTiers[0].price",
		whole + `"pricingTiers":[{"id":"t","name":"T","price":0,"currency":"EUR"}],`: "",
		whole + `"pricingTiers":[{"id":"t","name":"T","price":0,"currency":"EUR"}],"features":[{}],"faq":[{}],` +
			`"comparison":{"rows":[{}]},`: "features[0].title faq[0].question faq[0].answer comparison.rows[0].feature",
	} {
		d, err := ReadProduct([]byte(`{"slug":"a","name":"A",` + rest + `"published":false}`))
		if err != nil || d.Err() != nil {
			t.Errorf("%s: %v, %v", rest, err, d.Err())
			continue
		}
		p := d.Products[0]
		if got := paths(t, p.Lacks()); got != lacks {
			t.Errorf("%s: lacks %q, want %q", rest, got, lacks)
		}
		change, err := ReadPatch("a", []byte(`{"published":true}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := change.Apply(p); (err == nil) != (lacks == "") {
			t.Errorf("%s: publishing = %v", rest, err)
		}
	}
}

// What a draft has must be readable, and be what identifies it.
func TestADraftIsCheckedWhereItSaysSomething(t *testing.T) {
	t.Parallel()

	p := plain()
	p.Published = false
	for doc, want := range map[string]string{
		`{"name":""}`:            "name required",
		`{"icon":"javascript:"}`: "icon bad_media",
		`{"category":5}`:         "category wrong_type",
		`{"pricingTiers":[{"price":-1,"currency":"EUR"}]}`:        "pricingTiers[0].price out_of_range",
		`{"pricingTiers":[{"price":1}]}`:                          "pricingTiers[0].currency required",
		`{"pricingTiers":[{"id":"t"},{"id":"t"}]}`:                "pricingTiers[1].id duplicate",
		`{"pricing":{"type":"paid"}}`:                             "pricing.currency required|pricing.price required",
		`{"pricingTiers":[{},{}],"category":null,"icon":null}`:    "",
		`{"pricingTiers":[],"published":true}`:                    "pricingTiers required",
		`{"pricingTiers":[],"category":null,"published":null}`:    "",
		`{"pricingTiers":[{"id":"t","name":"T","price":null}]}`:   "",
		`{"comparison":{"columns":["x"]},"shortDescription":" "}`: "comparison.columns[0] unknown_value",
	} {
		if _, got := patch(t, p, doc); got != want {
			t.Errorf("%s: faults = %q, want %q", doc, got, want)
		}
	}
	// A product that buyers see keeps what it needs, unless the change takes it off the shelf.
	if _, got := patch(t, plain(), `{"category":null}`); got != "category required" {
		t.Errorf("a published product: %q", got)
	}
	if _, got := patch(t, plain(), `{"category":null,"published":false}`); got != "" {
		t.Errorf("a product taken off the shelf: %q", got)
	}
}

package product_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/product"
	"stoa/internal/shop/product/producttest"
)

// A few MB of faults must not become an answer of hundreds of MB.
func TestFaultsOfACatalogAreLimited(t *testing.T) {
	t.Parallel()

	unknown := func(n int) string {
		var b strings.Builder
		b.WriteString(`{"products":[]`)
		for i := range n {
			fmt.Fprintf(&b, `,"x%d":1`, i)
		}
		return b.String() + "}"
	}
	for name, tt := range map[string]struct {
		text string
		want int
		more string
	}{
		"at the limit":   {unknown(errs.MaxIssues), errs.MaxIssues, ""},
		"one beyond":     {unknown(errs.MaxIssues + 1), errs.MaxIssues + 1, "There are 1 more."},
		"half a million": {unknown(500_000), errs.MaxIssues + 1, "There are 499000 more."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := product.ParseCatalog([]byte(tt.text))
			e, ok := errors.AsType[*errs.Error](err)
			if !ok {
				t.Fatalf("ParseCatalog = %v", err)
			}
			list := e.Details["issues"].([]errs.Issue)
			last := list[len(list)-1]
			if len(list) != tt.want || tt.more != "" && (last.Code != "more" || last.Message != tt.more) {
				t.Errorf("%d issues, the last %+v; want %d, %q", len(list), last, tt.want, tt.more)
			}
			answer, err := json.Marshal(e.Details)
			if err != nil || len(answer)+len(e.Message) > 200_000 {
				t.Errorf("the answer has %d bytes, the message %d (%v)", len(answer), len(e.Message), err)
			}
		})
	}
}

// Millions of empty products ({}) fit into a file, and each takes hundreds of times as
// much memory.
func TestProductsOfAFaultyCatalogAreDropped(t *testing.T) {
	t.Parallel()

	good := strings.TrimSuffix(strings.TrimPrefix(producttest.Least, "products: ["), "]")
	c, err := product.ParseCatalog(
		[]byte(
			"products: [" + good + strings.Repeat(", {}", 1000) + ", " + strings.Replace(good, "slug: a", "slug: b", 1) + "]",
		),
	)
	if got := len(producttest.Faults(t, err)); got != errs.MaxIssues+1 || len(c.Products) != 1 {
		t.Errorf("%d faults, %d products are kept", got, len(c.Products))
	}
}

// Invalid text must not be stored as another text.
func TestACatalogMustBeUnicode(t *testing.T) {
	t.Parallel()

	as := func(name string) string {
		return `{"products":[{"slug":"a","name":` + name +
			`,"category":"c","shortDescription":"s","description":"d","icon":"/i.svg","pricingTiers":[{"id":"t","name":"T",` +
			`"price":0,"currency":"EUR"}]}]}`
	}
	for text, want := range map[string]string{
		as(`"\ud83d\ude00"`):              "",
		"\ufeff" + as(`"\ud83d\/"`):       " not_unicode",
		"\ufeff" + as(`"\ud83d\ude00\/"`): "",
		"\ufeff# YAML\n" + as(`"A"`):      "",
		as(`"\ufffd"`):                    "",
		as(`"\ud800"`):                    " not_unicode",
		as(`"\ude00\ud83d"`):              " not_unicode",
		as("\"\xff\""):                    " not_unicode",
		as("\"\xed\xa0\xbd\""):            " not_unicode",
		"# YAML\n" + as("\"\xff\""):       " not_unicode",
		"# YAML\n" + as(`"\ud800"`):       " malformed",
	} {
		_, err := product.ParseCatalog([]byte(text))
		if got := strings.Join(producttest.Faults(t, err), "|"); got != want {
			t.Errorf("faults = %q, want %q, of %q", got, want, text)
		}
	}
}

// withFields returns a catalog with one product and one tier. fields and tier are JSON
// to append to their fields.
func withFields(fields, tier string) string {
	return `{"products":[{"slug":"a","name":"A","category":"c","shortDescription":"s","description":"d",` +
		`"icon":"/i.svg","pricingTiers":[{"id":"t","name":"T"` + tier + `}]` + fields + `}]}`
}

const priced = `,"price":1,"currency":"EUR"`

func TestEveryFaultOfAPriceIsReportedOnce(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		withFields("", `,"price":1`): "pricingTiers[0].currency required",
		withFields("", ``):           "pricingTiers[0].price required|pricingTiers[0].currency required",
		withFields("", `,"currency":"ZZZ"`): "pricingTiers[0].price required|pricingTiers[0].currency " +
			"unknown_value",
		withFields("", `,"price":"x","currency":"ZZZ"`): "pricingTiers[0].price wrong_type|pricingTiers[0].currency " +
			"unknown_value",
		withFields("", `,"price":-1,"currency":"ZZZ"`):    "pricingTiers[0].currency unknown_value",
		withFields("", `,"price":0.001,"currency":"EUR"`): "pricingTiers[0].price out_of_range",
		withFields("", `,"price":1,"currency":5`):         "pricingTiers[0].currency wrong_type",

		withFields(`,"pricing":{"type":"free"}`, priced):                              "",
		withFields(`,"pricing":{"type":"free","currency":"ZZZ"}`, priced):             "pricing.currency unknown_value",
		withFields(`,"pricing":{"type":"free","price":1,"currency":"EUR"}`, priced):   "pricing.price out_of_range",
		withFields(`,"pricing":{"type":"paid","price":"5","currency":"EUR"}`, priced): "pricing.price wrong_type",
		withFields(`,"pricing":{"type":"paid","price":0,"currency":"EUR"}`, priced):   "pricing.price out_of_range",
		withFields(`,"pricing":{"type":"paid"}`,
			priced): "pricing.currency required|pricing.price required",
		withFields(`,"pricing":{"type":null}`, priced): "pricing.type required",
		withFields(`,"pricing":{"type":"x"}`, priced):  "pricing.type unknown_value",

		withFields(`,"slug":"`+strings.Repeat("A", 101)+`"`, priced): "slug duplicate", // of the JSON's
	} {
		_, err := product.ParseCatalog([]byte(text))
		if got := strings.ReplaceAll(strings.Join(producttest.Faults(t, err), "|"), "products[0].", ""); got != want {
			t.Errorf("faults = %q, want %q, of %s", got, want, text)
		}
	}
	long := strings.Replace(producttest.Least, "slug: a", "slug: "+strings.Repeat("A", 101), 1)
	_, err := product.ParseCatalog([]byte(long))
	if got := producttest.Faults(t, err); len(got) != 1 {
		t.Errorf("of a slug that is too long: %q", got)
	}
	// A faulty currency that all prices inherit is one fault.
	for top, want := range map[string]string{"ZZZ": "currency unknown_value", "5": "currency wrong_type"} {
		_, err = product.ParseCatalog(
			[]byte("currency: " + top + "\n" + strings.ReplaceAll(producttest.Least, ", currency: EUR", "")),
		)
		if got := strings.Join(producttest.Faults(t, err), "|"); got != want {
			t.Errorf("of the currency %s at the top: %q, want %q", top, got, want)
		}
	}
}

func TestListsOfAProductAreLimited(t *testing.T) {
	t.Parallel()

	for name, entry := range map[string]func(i int) string{
		"highlights":  func(int) string { return `"x"` },
		"screenshots": func(int) string { return `"/a.png"` },
		"features":    func(int) string { return `{"title":"t","items":["x"]}` },
		"faq":         func(int) string { return `{"question":"q","answer":"a"}` },
		"comparison":  func(int) string { return `{"feature":"f","values":{"t":true}}` },
		"pricingTiers": func(i int) string {
			return fmt.Sprintf(`{"id":"t%d","name":"T","price":1,"currency":"EUR"}`, i)
		},
	} {
		for n, want := range map[int]string{100: "", 101: "out_of_range", 100_000: "out_of_range"} {
			var entries []string
			for i := range n {
				entries = append(entries, entry(i))
			}
			list, at := "["+strings.Join(entries, ",")+"]", "products[0]."+name
			text := withFields(`,"`+name+`":`+list, priced)
			switch name {
			case "comparison":
				text, at = withFields(`,"comparison":{"columns":["t"],"rows":`+list+`}`, priced), at+".rows"
			case "pricingTiers":
				text = strings.Replace(text, `"pricingTiers":[{"id":"t","name":"T"`+priced+`}],`, "", 1)
			}
			_, err := product.ParseCatalog([]byte(text))
			if got := strings.Join(producttest.Faults(t, err), "|"); want == "" && got != "" ||
				want != "" && got != at+" "+want {
				t.Errorf("%d %s: %q, want %q", n, name, got, want)
			}
		}
	}
}

// A text must be visible, and must not look like another text.
func TestTextsAreVisibleAndNotMisleading(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{ // the text, or after a space the code
		`" A\u0301 B "`:  "A\u0301 B",
		`"\u200bA"`:      "\u200bA",
		`"👩‍💻"`:          "👩‍💻",
		`"   "`:          " required",
		`"\u00a0\t"`:     " required",
		`"\u200b\ufeff"`: " required",
		`"\u3164"`:       " required",
		`"\u2800\ufe0f"`: " required",
		`"A\nB"`:         " out_of_range",
		`"A\tB"`:         " out_of_range",
		`"A\u2028B"`:     " out_of_range",
		`"A\u007fB"`:     " out_of_range",
		`"A\u0085B"`:     " out_of_range",
		`"A\u202eB"`:     " out_of_range",
		`"A\u2066B"`:     " out_of_range",
		`"A\u0000B"`:     " out_of_range",
	} {
		c, err := product.ParseCatalog([]byte(strings.Replace(withFields("", priced), `"name":"A"`, `"name":`+text, 1)))
		got := producttest.Faults(t, err)
		switch {
		case want[0] == ' ' && strings.Join(got, "|") != "products[0].name"+want:
			t.Errorf("%s: faults = %q", text, got)
		case want[0] != ' ' && (err != nil || c.Products[0].Name != want):
			t.Errorf("%s: %v, faults = %q", text, c.Products, got)
		}
	}
	for text, want := range map[string]string{
		`" A\n\tB\r\nC\n"`: "A\n\tB\nC",
		`" \n"`:            " required",
		`"A\u0001"`:        " out_of_range",
		`"A\u001b[2J"`:     " out_of_range",
		`"A\rB"`:           " out_of_range",
		`"A\u202eB"`:       " out_of_range",
	} {
		c, err := product.ParseCatalog(
			[]byte(strings.Replace(withFields("", priced), `"description":"d"`, `"description":`+text, 1)),
		)
		got := producttest.Faults(t, err)
		switch {
		case want[0] == ' ' && strings.Join(got, "|") != "products[0].description"+want:
			t.Errorf("%s: faults = %q", text, got)
		case want[0] != ' ' && (err != nil || c.Products[0].Description != want):
			t.Errorf("%s: faults = %q", text, got)
		}
	}
}

// Clients put references into their pages.
func TestAReferenceIsAHarmlessAddress(t *testing.T) {
	t.Parallel()

	for ref, ok := range map[string]bool{
		"/i.svg": true, "/a/b.png?c=d#e": true, "https://example.com/a.png": true, "https://example.com": true,
		"https://[::1]:8443/a": true, "/ü.png": true, "/a%20b": true,
		"": false, "//example.com/a": false, "///example.com/a": false, `/\\evil.com/x`: false, `/\t/evil.com`: false,
		`/a\u2028b`: false, `https:\\\\evil.com`: false, "https://user:pw@example.com/a": false,
		"https://user@example.com/a": false, `https://example.com/\"onload=x`: false, "/a'b": false, "/a`b": false,
		"/<b>": false, "/a b": false, "/a\u202eb": false,
		"http://example.com/a": false, "javascript:alert(1)": false, "data:image/png,a": false, "https://": false,
		"https:/a": false, "https:a": false, "a.png": false, "https://example.com:x/": false,
		"/a%zz": false,
	} {
		_, err := product.ParseCatalog(
			[]byte(strings.Replace(withFields("", priced), `"icon":"/i.svg"`, `"icon":"`+ref+`"`, 1)),
		)
		if got := producttest.Faults(t, err); ok != (err == nil) {
			t.Errorf("%s: faults = %q, want it accepted: %v", ref, got, ok)
		}
	}
}

// The YAML parser gives an alias the tag of its target and the name of its anchor as its
// value, which may look like a valid value.
func TestAliasesAreRefused(t *testing.T) {
	t.Parallel()

	with := func(anchor, fields string) string {
		return "x: " + anchor + "\n" + strings.Replace(producttest.Least, "slug: a,", "slug: a, "+fields+",", 1)
	}
	for text, want := range map[string]string{
		with("&yes true", "trending: *yes"):                      "trending wrong_type",
		with("&true false", "published: *true"):                  "published wrong_type",
		with("&1 2", "reviewCount: *1"):                          "reviewCount wrong_type",
		with("&1 2", "rating: *1"):                               "rating wrong_type",
		with("&2020-01-01 2021-01-01", "createdAt: *2020-01-01"): "createdAt wrong_type",
		with("&b B", "highlights: [*b]"):                         "highlights[0] wrong_type",
		with("&none ~", "faq: *none"):                            "faq wrong_type",
		with("&true false", "comparison: {columns: [t], rows: [{feature: f, values: {t: *true}}]}"): "comparison.rows[0].values.t wrong_type",
		strings.Replace(with("&9 1", "trending: true"), "price: 0", "price: *9",
			1): "pricingTiers[0].price wrong_type",
		with("!!bool yes", "trending: !!bool yes"): "trending wrong_type",
	} {
		_, err := product.ParseCatalog([]byte(text))
		if got := strings.ReplaceAll(strings.Join(producttest.Faults(t, err), "|"),
			"products[0].", ""); got != "x unknown_field|"+want {
			t.Errorf("faults = %q, want %q, of %s", got, want, text)
		}
	}
}

// Every accepted createdAt can be exported, in UTC, and read again.
func TestCreatedAtHasAYearThatCanBeWritten(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"1970-01-01":                    "1970-01-01T00:00:00Z",
		"1970-01-01T01:00:00+01:00":     "1970-01-01T00:00:00Z",
		"1969-12-31T23:00:00-01:00":     "1970-01-01T00:00:00Z",
		"1970-01-01T00:59:59.999+01:00": "",
		"9999-12-31T23:59:59.9999Z":     "9999-12-31T23:59:59.999Z",
		"9999-12-31T23:00:00-01:00":     "",
	} {
		c, err := product.ParseCatalog(
			[]byte(strings.Replace(producttest.Least, "slug: a,", "slug: a, createdAt: "+text+",", 1)),
		)
		switch got := strings.Join(producttest.Faults(t, err), "|"); {
		case want == "" && got != "products[0].createdAt out_of_range":
			t.Errorf("%s: faults = %q", text, got)
		case want != "" && (err != nil || c.Products[0].CreatedAt.Format(time.RFC3339Nano) != want):
			t.Errorf("%s: %v, faults = %q", text, c.Products, got)
		}
	}
}

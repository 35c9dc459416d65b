package market_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"stoa/internal/errs"
	"stoa/internal/market"
)

// A few MB of faults must not become hundreds of MB of answer.
func TestFaultsOfACatalogueAreBounded(t *testing.T) {
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
		"as many as are named": {unknown(errs.MaxIssues), errs.MaxIssues, ""},
		"one more":             {unknown(errs.MaxIssues + 1), errs.MaxIssues + 1, "There are 1 more."},
		"half a million":       {unknown(500_000), errs.MaxIssues + 1, "There are 499000 more."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := market.ParseCatalog([]byte(tt.text))
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

// What is no text must not be stored as another one.
func TestACatalogueIsUnicode(t *testing.T) {
	t.Parallel()

	as := func(name string) string {
		return `{"products":[{"slug":"a","name":` + name + `,"category":"c","shortDescription":"s","description":"d","icon":"/i.svg","pricingTiers":[{"id":"t","name":"T","price":0,"currency":"EUR"}]}]}`
	}
	for text, want := range map[string]string{
		as(`"\ud83d\ude00"`):        "",
		as(`"\ufffd"`):              "",
		as(`"\ud800"`):              " not_unicode",
		as(`"\ude00\ud83d"`):        " not_unicode",
		as("\"\xff\""):              " not_unicode",
		as("\"\xed\xa0\xbd\""):      " not_unicode",
		"# YAML\n" + as("\"\xff\""): " not_unicode",
		"# YAML\n" + as(`"\ud800"`): " malformed",
	} {
		_, err := market.ParseCatalog([]byte(text))
		if got := strings.Join(faults(t, err), "|"); got != want {
			t.Errorf("faults = %q, want %q, of %q", got, want, text)
		}
	}
}

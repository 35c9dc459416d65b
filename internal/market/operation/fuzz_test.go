package operation

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"stoa/internal/base/errs"
	"stoa/internal/base/text"
	"stoa/internal/market/remote"
)

// Whatever a catalog says, what is shown of it is short, on one line, valid, and on the market's own address.
func FuzzCatalog(f *testing.F) {
	f.Add([]byte(`{"slug":"tool","name":"Tool","icon":"/media/x.png","pricingTiers":[{"id":"pro","price":9.5,"currency":"EUR"}]}`))
	f.Add([]byte(`{"slug":"tool","name":"\u202e\n\u0000","icon":"//evil.example/x","screenshots":["https://a.example:443@evil.example/"]}`))
	f.Add([]byte(`{"slug":"tool","pricingTiers":[{"id":"a","price":1e999,"currency":"EUR"},{"id":"b","price":-0,"currency":"EUR"}]}`))
	s := seller{at: remote.Market{URL: "https://a.example"}}
	line := func(t *testing.T, what, s string, limit int) {
		t.Helper()
		if !utf8.ValidString(s) || utf8.RuneCountInString(s) > limit || strings.ContainsFunc(s, text.Misleading) {
			t.Errorf("%s: %q", what, s)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var p listed
		if json.Unmarshal(body, &p) != nil {
			return
		}
		o, ok := s.offer(p)
		if !ok {
			return
		}
		line(t, "name", o.Name, maxName)
		line(t, "description", o.Description, maxDescription)
		if o.Picture != "" && !strings.HasPrefix(o.Picture, "https://a.example/") {
			t.Errorf("picture %q", o.Picture)
		}
		for _, tier := range tiers(p) {
			line(t, "tier", tier.Name, maxName)
			if price, err := tier.Price.Float64(); err != nil || price < 0 {
				t.Errorf("price %s", tier.Price)
			}
			if _, err := json.Marshal(tier.Price); err != nil {
				t.Errorf("price %q: %v", tier.Price, err)
			}
		}
	})
}

// Whatever a market answers, it is one of the refusals that a client is told of.
func FuzzRefusal(f *testing.F) {
	f.Add(403, []byte(`{"error":"LICENSE_REFUSED","message":"x","details":{"reason":"revoked"}}`))
	f.Add(302, []byte(``))
	f.Add(400, []byte(`{"error":"VALIDATION_ERROR","message":"\u202e"}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e, ok := errors.AsType[*errs.Error](refusal(status, body))
		if !ok {
			t.Fatal("no error")
		}
		if reason, _ := e.Details["reason"].(string); strings.ContainsFunc(reason, text.Misleading) || utf8.RuneCountInString(reason) > maxReason {
			t.Errorf("reason %q", reason)
		}
	})
}

package shop

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/api/web"
	"stoa/internal/shop/license"
)

// The answer has two definitions: its type, which the API document is compared with,
// and the function that writes it. They must agree.
func TestAVerificationIsWrittenAsEncodingJSONWritesIt(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		text := func(name string) string {
			return rapid.OneOf(rapid.StringN(0, 8, -1),
				rapid.SampledFrom([]string{
					"support", `"`, `\\`, "<&>", "\u2028", "\x7f", "\x1f", "ü", "\xff",
				})).Draw(t, name)
		}
		moment := func(name string) web.Timestamp {
			return web.Timestamp(time.UnixMilli(rapid.Int64Range(-1, 253402300799999).Draw(t, name)))
		}
		l := licenseInfo{
			ID: text("id"), ProductID: text("productId"), LicenseKey: text("licenseKey"),
			Type: license.Type(text("type")), Status: license.Status(text("status")), Features: []string{},
			MaxInstances:     rapid.Int().Draw(t, "maxInstances"),
			CurrentInstances: rapid.Int().Draw(t, "currentInstances"),
			CreatedAt:        moment("createdAt"),
		}
		for range rapid.IntRange(0, 3).Draw(t, "features") {
			l.Features = append(l.Features, text("feature"))
		}
		if rapid.Bool().Draw(t, "expires") {
			l.ExpiresAt = moment("expiresAt")
		}
		development := rapid.Bool().Draw(t, "development")
		trial := rapid.Bool().Draw(t, "trial")
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(granted{Valid: true, Development: development, Trial: trial, License: l, Features: l.Features}); err != nil {
			t.Fatal(err)
		}
		if got := appendGranted([]byte("x"), l, development, trial); string(got) != "x"+want.String() {
			t.Errorf("wrote %s\nwant  x%s", got, want.String())
		}
	})
}

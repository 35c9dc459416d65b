package auth

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"stoa/internal/api/web"
	"stoa/internal/api/wire"
)

// The answer with tokens is written by hand and must be what encoding/json makes of it: a field that is
// added to the type and forgotten there fails this.
func TestTokensAreWrittenAsEncodingJSONWritesThem(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		set := tokenSet{
			User: wire.User{
				ID: text.Draw(t, "id"), Email: text.Draw(t, "email"), Username: text.Draw(t, "username"),
				Role:   text.Draw(t, "role"),
				Avatar: rapid.Ptr(text, true).Draw(t, "avatar"),
			},
			AccessToken: text.Draw(t, "access"), TokenType: text.Draw(t, "type"), ExpiresIn: rapid.Int().Draw(t, "expires"),
			RefreshToken: text.Draw(t, "refresh"), Token: text.Draw(t, "token"),
		}
		message := rapid.SampledFrom([]string{"", "Signed in.", "a <b> \"c\" \u2028"}).Draw(t, "message")
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(web.Envelope{Success: true, Message: message, Data: set}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(set.append(nil, message)), want.String()); diff != "" {
			t.Error(diff)
		}
	})
}

package reqctx_test

import (
	"testing"

	"stoa/internal/base/reqctx"
)

// Nobody's request chooses the language of a mail to somebody else.
func TestAMailIsInTheLanguageOfItsReader(t *testing.T) {
	t.Parallel()

	guest := reqctx.Caller{}
	for _, tt := range []struct {
		name         string
		caller       reqctx.Caller
		user, chosen string
		want         string
	}{
		{"a guest's request", guest, "ada", "", "fr"},
		{"a guest's request to somebody unknown", guest, "", "", "fr"},
		{"a choice", guest, "ada", "de", "de"},
		{"one's own request", reqctx.Caller{UserID: "ada"}, "ada", "", "fr"},
		{"one's own request with a choice", reqctx.Caller{UserID: "ada"}, "ada", "de", "de"},
		{"somebody else's request", reqctx.Caller{UserID: "root"}, "ada", "", ""},
		{"somebody else's request with a choice", reqctx.Caller{UserID: "root"}, "ada", "de", "de"},
		{"staff in the user's place", reqctx.Caller{UserID: "ada", Impersonator: "root"}, "ada", "", ""},
		{"a service", reqctx.Caller{Service: "shop"}, "ada", "", ""},
		{"a service's request to somebody unknown", reqctx.Caller{Service: "shop"}, "", "", ""},
		{"a user's request to somebody unknown", reqctx.Caller{UserID: "root"}, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			ctx := reqctx.WithCaller(reqctx.WithLanguage(t.Context(), "fr"), tt.caller)
			if got := reqctx.LanguageFor(ctx, tt.user, tt.chosen); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

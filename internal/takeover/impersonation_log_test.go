package takeover_test

import (
	"context"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
)

// The line about a request as a whole is written outside of what knows the caller.
func TestTheLogNamesWhoActsAsAUser(t *testing.T) {
	t.Parallel()

	var log logtest.Buffer
	configured(t, func(cfg *app.Config) { cfg.Log = log.Logger() }, func(t *testing.T, w *world) {
		root, ada := w.Admin(t, "root"), w.Register(t, "ada")
		token, _ := w.seeing(t, root.Access, ada.UserID, false)
		names := "user=" + ada.UserID + " impersonator=" + root.UserID
		for _, tt := range []struct {
			who   string
			ask   testkit.Request
			named bool
		}{
			{"staff", testkit.Get(token, "/auth/account"), true},
			{"the user", testkit.Get(ada.Access, "/auth/account"), false},
			// These read the token themselves.
			{"staff", testkit.Me(token), true},
			{"the user", testkit.Me(ada.Access), false},
			{"staff", testkit.Post(token, "/auth/logout", nil), true},
			{"the user", testkit.Post(ada.Access, "/auth/logout", nil), false},
		} {
			log.Reset()
			w.Do(t, tt.ask)
			found := false
			for line := range strings.Lines(log.String()) {
				if !strings.Contains(line, "msg=request ") {
					continue
				}
				found = true
				if strings.Contains(line, names) != tt.named || strings.Contains(line, "impersonator=") != tt.named {
					t.Errorf("%s by %s: %s", tt.ask.Path, tt.who, line)
				}
			}
			if !found {
				t.Errorf("no line about %s by %s: %s", tt.ask.Path, tt.who, log.String())
			}
		}
	})
}

// A request's caller is looked up again beside it while a plugin answers, so a look-up alone writes nothing where lines
// of the log read.
func TestALookUpOfACallerWritesNothingForTheLog(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, ada := w.Admin(t, "root"), w.Register(t, "ada")
		token, _ := w.seeing(t, root.Access, ada.UserID, false)
		var noticed reqctx.Behalf
		ctx := context.WithValue(t.Context(), reqctx.BehalfSlotKey(), &noticed)
		who, err := w.Accounts.Authenticate(ctx, token)
		if err != nil || who.Impersonator != root.UserID {
			t.Fatalf("the caller is %+v, %v", who, err)
		}
		if noticed.Any() {
			t.Errorf("a look-up wrote %+v", noticed)
		}
	})
}

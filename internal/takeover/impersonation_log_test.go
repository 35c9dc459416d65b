package takeover_test

import (
	"strings"
	"testing"

	"stoa/internal/app"
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
		for who, tt := range map[string]struct {
			token string
			named bool
		}{"staff": {token, true}, "the user": {ada.Access, false}} {
			log.Reset()
			w.Do(t, testkit.Get(tt.token, "/auth/account")) // /auth/me reads its token itself
			found := false
			for line := range strings.Lines(log.String()) {
				if !strings.Contains(line, "msg=request ") {
					continue
				}
				found = true
				if strings.Contains(line, names) != tt.named || strings.Contains(line, "impersonator=") != tt.named {
					t.Errorf("a request by %s: %s", who, line)
				}
			}
			if !found {
				t.Errorf("no line about a request by %s: %s", who, log.String())
			}
		}
	})
}

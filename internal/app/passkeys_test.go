package app_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/passkeytest"
)

// Operators learn at the start why there are no passkeys, and that some do not work anymore.
func TestTheStartTellsOfPasskeysThatDoNotWork(t *testing.T) {
	t.Parallel()

	url := dbtest.SQLite(t)
	start := func(id string, origins ...string) (*testkit.App, string) {
		t.Helper()
		var log logtest.Buffer
		a := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
			cfg.DatabaseURL, cfg.Log, cfg.PasskeyID, cfg.PasskeyOrigins = url, log.Logger(), id, origins
		})
		return a, log.String()
	}
	const origin = "https://shop.example.com"
	a, log := start("example.com", origin)
	if strings.Contains(log, "passkeys") {
		t.Errorf("the log has\n%s", log)
	}
	a.Accounts.NoMail = true // nobody has to prove a mailbox
	user := a.Register(t, "ada")
	asked := a.Do(t, testkit.Post(user.Access, "/auth/passkeys/options", nil)).Get(t, "data.publicKey")
	made := passkeytest.New(passkeytest.EdDSA, origin).Create(passkeytest.Read(asked))
	res := a.Do(t, testkit.Post(user.Access, "/auth/passkeys", map[string]any{"name": "Phone", "credential": made}))
	if res.Status != http.StatusCreated {
		t.Fatalf("POST /auth/passkeys = %d %s", res.Status, res.Body)
	}
	if _, log := start("example.com", origin); strings.Contains(log, "passkeys") {
		t.Errorf("with the same name, the log has\n%s", log)
	}
	const foreign = "level=WARN msg=\"there are passkeys for another host name"
	_, log = start("shop.example.com", origin)
	if !strings.Contains(log, foreign) || !strings.Contains(log, "passkeys=1 name=shop.example.com") {
		t.Errorf("with another name, the log has\n%s", log)
	}
	_, log = start("")
	if !strings.Contains(log, foreign) || !strings.Contains(log, "passkeys are off") || !strings.Contains(log, "passkeys need a name") {
		t.Errorf("at an address, the log has\n%s", log)
	}
}

func TestANameForPasskeysThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()

	cfg := testkit.Config(t, func(_ testing.TB, cfg *app.Config) {
		cfg.PublicURL, cfg.PasskeyID = "https://shop.example.com", "example.org"
	})
	a, err := app.New(t.Context(), cfg)
	if err == nil {
		_ = a.Close(t.Context())
	}
	if err == nil || !strings.Contains(err.Error(), `"example.org" is neither the host of https://shop.example.com nor a domain above it`) {
		t.Errorf("New = %v", err)
	}
}

package portable_test

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// The language that a user chose is in the copy; of one who chose none there is none.
func TestACopyHasTheLanguageOfTheAccount(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		ada, eve := a.Register(t, "ada"), a.Register(t, "eve")
		a.Do(t, testkit.Request{
			Method: http.MethodPut, Path: "/auth/language", Token: ada.Access, Body: map[string]any{"language": "de"},
		})
		var chose, none map[string]any
		readCopy(t, a, ada, "account.json", &chose)
		readCopy(t, a, eve, "account.json", &none)
		if chose["language"] != "de" || chose["username"] != "ada" {
			t.Errorf("the account is %v", chose)
		}
		if tag, ok := none["language"]; ok {
			t.Errorf("nobody chose %v", tag)
		}
	})
}

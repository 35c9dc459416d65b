package takeover_test

import (
	"fmt"
	"net/http"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/passkeytest"
)

const (
	keyOrigin  = "https://shop.example.com"
	keyParty   = "example.com"
	keySignIn  = "/auth/login/passkey"
	keyOptions = "/auth/login/passkey/options"
	stepAsk    = "/auth/login/second-factor/options"
	againAsk   = "/auth/reauthenticate/options"
	keys       = "/auth/passkeys"
)

// withKeys has browsers make passkeys: the address of a test's server is a number, for which they make none.
func withKeys(_ testing.TB, cfg *app.Config) {
	cfg.PasskeyID, cfg.PasskeyOrigins = keyParty, []string{keyOrigin}
}

// onKeys is attack on a stoa where browsers make passkeys.
func onKeys(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		test(t, &world{App: testkit.New(t, append(options, withKeys)...)})
	})
}

// racedKeys is onKeys on both engines in every run.
func racedKeys(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		test(t, &world{App: testkit.New(t, append(options, withKeys)...)})
	})
}

// newKey returns a passkey that nobody registered.
func newKey() *passkeytest.Passkey { return passkeytest.New(passkeytest.EdDSA, keyOrigin) }

// ask returns what a browser is asked.
func (w *world) ask(t *testing.T, bearer, path string, body any) passkeytest.Options {
	t.Helper()
	return passkeytest.Read(w.post(t, bearer, path, body, http.StatusOK).Get(t, "data.publicKey"))
}

// add adds a passkey to the account of a session, and returns its id.
func (w *world) add(t *testing.T, bearer string, key *passkeytest.Passkey) string {
	t.Helper()
	made := key.Create(w.ask(t, bearer, keys+"/options", nil))
	return w.post(t, bearer, keys, named(made), http.StatusCreated).Text(t, "data.id")
}

// withKey adds a new passkey.
func (w *world) withKey(t *testing.T, bearer string) (key *passkeytest.Passkey, id string) {
	t.Helper()
	key = newKey()
	return key, w.add(t, bearer, key)
}

func named(credential any) map[string]any {
	return map[string]any{"name": "Phone", "credential": credential}
}

func proof(credential any) map[string]any { return map[string]any{"credential": credential} }

// byKey signs in with a passkey alone.
func (w *world) byKey(t *testing.T, key *passkeytest.Passkey) testkit.Tokens {
	t.Helper()
	res := w.Do(t, testkit.Post("", keySignIn, proof(key.Get(w.ask(t, "", keyOptions, nil)))))
	return testkit.TokensOf(t, res, http.StatusOK)
}

// noKey fails the test unless a proof signs nobody in, as any that is not genuine.
func (w *world) noKey(t *testing.T, what string, credential any) {
	t.Helper()
	res := w.Do(t, testkit.Post("", keySignIn, proof(credential)))
	none := w.Do(t, testkit.Post("", keySignIn, proof(map[string]any{})))
	testkit.WantError(t, none, http.StatusUnauthorized, "LOGIN_FAILED")
	if res.Status != none.Status || string(res.Body) != string(none.Body) {
		t.Errorf("%s: %d %s", what, res.Status, res.Body)
	}
}

// notAdded fails the test unless a registration is refused, as any that is not genuine.
func (w *world) notAdded(t *testing.T, what, bearer string, credential any) {
	t.Helper()
	res := w.Do(t, testkit.Post(bearer, keys, named(credential)))
	none := w.Do(t, testkit.Post(bearer, keys, named(map[string]any{})))
	testkit.WantError(t, none, http.StatusBadRequest, "PASSKEY_INVALID")
	if res.Status != none.Status || string(res.Body) != string(none.Body) {
		t.Errorf("%s: %d %s", what, res.Status, res.Body)
	}
}

// byStep gives a passkey as the second step.
func byStep(challenge string, credential any) testkit.Request {
	return testkit.Post("", secondStep, map[string]any{"challenge": challenge, "method": "passkey", "credential": credential})
}

// listed returns how many passkeys an account has.
func (w *world) listed(t *testing.T, bearer string) int {
	t.Helper()
	items := w.Do(t, testkit.Get(bearer, keys)).Get(t, "data.items").([]any)
	if got := w.account(t, bearer).Get(t, "data.secondFactor.passkeys"); got != float64(len(items)) {
		t.Errorf("the account has %v, the list %d", got, len(items))
	}
	return len(items)
}

// dies fails the test unless a session has ended.
func (w *world) dies(t *testing.T, what string, tokens testkit.Tokens) {
	t.Helper()
	if res := w.Do(t, testkit.Me(tokens.Access)); res.Status != http.StatusUnauthorized {
		t.Errorf("%s: GET /auth/me = %d", what, res.Status)
	}
	testkit.WantError(t, w.Do(t, testkit.Refresh(tokens.Refresh)), http.StatusUnauthorized, "REFRESH_FAILED")
}

// lastWay fails the test unless a change is refused because nobody could sign in then.
func (w *world) lastWay(t *testing.T, bearer, path string) {
	t.Helper()
	testkit.WantError(t, w.Do(t, testkit.Delete(bearer, path)), http.StatusConflict, "LAST_SIGN_IN_METHOD")
}

// detailsOf returns the details of an error.
func detailsOf(t *testing.T, res testkit.Response, name string) string {
	t.Helper()
	return fmt.Sprint(res.Get(t, "error.details."+name))
}

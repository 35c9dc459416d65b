package takeover_test

import (
	"encoding/base32"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/testkit/passkeytest"
)

const (
	secondStep = "/auth/login/second-factor"
	notMe      = "/auth/second-factor/not-me"
)

// phone is somebody's authenticator app.
type phone struct {
	secret   []byte
	recovery []string // the codes that came with it
}

// code returns the code at a time.
func (p phone) code(at time.Time) string { return passkeytest.AppCode(p.secret, at) }

// wrong returns a code that is not p's, now or just before.
func (p phone) wrong(at time.Time) string {
	for _, code := range []string{"000000", "111111", "222222"} {
		if code != p.code(at) && code != p.code(at.Add(-30*time.Second)) {
			return code
		}
	}
	panic("three codes at once")
}

// now returns the code that p shows now.
func (w *world) now(p phone) string { return p.code(w.Clock.Now()) }

// later returns a code of a period in which none was used.
func (w *world) later(p phone) string {
	w.Clock.Advance(30 * time.Second)
	return w.now(p)
}

// proven makes an account whose address is proven.
func (w *world) proven(t *testing.T, email, username string) testkit.Tokens {
	t.Helper()
	owner := w.register(t, email, username)
	w.works(t, owner.Access, verify, w.mustMail(t, email, "verify-email"))
	return owner
}

// setUp sets an app up, which is not on yet.
func (w *world) setUp(t *testing.T, bearer string) phone {
	t.Helper()
	secret, err := base32.StdEncoding.DecodeString(w.post(t, bearer, "/auth/totp", nil, http.StatusCreated).Text(t, "data.secret"))
	if err != nil {
		t.Fatal(err)
	}
	return phone{secret: secret}
}

// withApp switches codes of an app on.
func (w *world) withApp(t *testing.T, bearer string) phone {
	t.Helper()
	p := w.setUp(t, bearer)
	res := w.post(t, bearer, "/auth/totp/confirm", map[string]string{"code": w.now(p)}, http.StatusOK)
	for _, code := range res.Get(t, "data.recoveryCodes").([]any) {
		p.recovery = append(p.recovery, code.(string))
	}
	return p
}

// passwordStep returns the challenge of a sign-in whose password was right.
func (w *world) passwordStep(t *testing.T, email, password string) string {
	t.Helper()
	res := w.Do(t, testkit.SignIn(email, password))
	testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_REQUIRED")
	return res.Text(t, "error.details.challenge")
}

func step(challenge, method, code string) testkit.Request {
	return testkit.Post("", secondStep, map[string]string{"challenge": challenge, "method": method, "code": code})
}

// both signs in with both steps.
func (w *world) both(t *testing.T, email, password, method, code string) testkit.Tokens {
	t.Helper()
	return testkit.TokensOf(t, w.Do(t, step(w.passwordStep(t, email, password), method, code)), http.StatusOK)
}

// refused fails the test unless a second step is refused, with that many attempts left; -1: without saying how
// many, as for any challenge that is not there.
func (w *world) refused(t *testing.T, res testkit.Response, left int) {
	t.Helper()
	testkit.WantError(t, res, http.StatusUnauthorized, "SECOND_FACTOR_FAILED")
	if left < 0 {
		none := w.Do(t, step("stoa_ch_"+strings.Repeat("A", 43), "totp", "123456"))
		if string(res.Body) != string(none.Body) {
			t.Errorf("a dead challenge is told from none: %s", res.Body)
		}
		return
	}
	if got := res.Get(t, "error.details.attemptsLeft"); got != float64(left) {
		t.Errorf("%v attempts are left, want %d", got, left)
	}
}

// again proves to be there.
func again(bearer, method, code string) testkit.Request {
	return testkit.Post(bearer, "/auth/reauthenticate", map[string]string{"method": method, "code": code})
}

// proves proves to be there with a code.
func (w *world) proves(t *testing.T, bearer, method, code string) {
	t.Helper()
	if res := w.Do(t, again(bearer, method, code)); res.Status != http.StatusOK {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
}

// level returns the level of a session, and its methods.
func (w *world) level(t *testing.T, bearer string) string {
	t.Helper()
	res := w.account(t, bearer)
	return fmt.Sprintf("%v%v", res.Get(t, "data.session.level"), res.Get(t, "data.session.methods"))
}

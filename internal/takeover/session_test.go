package takeover_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/app"
	"stoa/internal/operate/settings"
	"stoa/internal/testkit"
)

// configured is attack on a stoa with settings of its own.
func configured(t *testing.T, set func(cfg *app.Config), test func(t *testing.T, w *world)) {
	t.Helper()
	testkit.OnEnginesOfRun(t, func(t *testing.T, options ...testkit.Option) {
		option := func(_ testing.TB, cfg *app.Config) { set(cfg) }
		test(t, &world{App: testkit.New(t, append(options, option)...)})
	})
}

// ended fails the test unless a session answers like one that its user has ended.
func (w *world) ended(t *testing.T, held testkit.Tokens) {
	t.Helper()
	name := "gone" + held.Refresh[len(held.Refresh)-12:]
	out := w.register(t, name+"@example.com", name)
	w.post(t, out.Access, "/auth/logout", nil, http.StatusOK)
	for _, same := range [][2]testkit.Request{
		{testkit.Me(held.Access), testkit.Me(out.Access)},
		{testkit.Get(held.Access, "/auth/account"), testkit.Get(out.Access, "/auth/account")},
		{testkit.Refresh(held.Refresh), testkit.Refresh(out.Refresh)},
	} {
		got, want := w.Do(t, same[0]), w.Do(t, same[1])
		if got.Status != http.StatusUnauthorized || string(got.Body) != string(want.Body) {
			t.Errorf("%s = %d %s, want %s", same[0].Path, got.Status, got.Body, want.Body)
		}
	}
}

// expiry returns when a token expires, as everybody can read in it.
func expiry(t *testing.T, raw string) time.Time {
	t.Helper()
	var claims jwt.RegisteredClaims
	if _, _, err := jwt.NewParser().ParseUnverified(raw, &claims); err != nil {
		t.Fatal(err)
	}
	return claims.ExpiresAt.Time
}

// Programs that check tokens by themselves do not hear of the end of a session.
func TestNoTokenOutlivesItsSession(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) { cfg.SignIn.SessionMax = "2h" }, func(t *testing.T, w *world) {
		w.Clock.Advance(700 * time.Millisecond)
		w.register(t, victims, "ada")
		end := w.Clock.Now().Truncate(time.Second).Add(2 * time.Hour)
		res := w.Do(t, testkit.Request{Method: http.MethodPost, Path: "/auth/login", Body: map[string]string{"email": victims, "password": testkit.Password}})
		for range 3 {
			if got, want := res.Get(t, "data.expires_in"), end.Sub(w.Clock.Now().Truncate(time.Second)).Seconds(); got != want {
				t.Errorf("expires_in %v, want %v", got, want)
			}
			held := testkit.TokensOf(t, res, http.StatusOK)
			for _, raw := range []string{held.Access, held.Refresh} {
				if got := expiry(t, raw); !got.Equal(end) {
					t.Errorf("a token expires at %s, want %s", got, end)
				}
			}
			w.Clock.Advance(39*time.Minute + 59*time.Second)
			res = w.Do(t, testkit.Refresh(held.Refresh))
		}
	})
}

// The attacker has a refresh token, and uses it whenever it is due.
func TestASessionEndsByItsAgeWhateverIsRefreshed(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) { cfg.SignIn.SessionMax = "48h" }, func(t *testing.T, w *world) {
		held := w.register(t, victims, "ada")
		sessions := func(bearer string) []any {
			return w.Do(t, testkit.Get(bearer, "/auth/sessions")).Get(t, "data.items").([]any)
		}
		if got := sessions(held.Access)[0].(map[string]any)["expiresAt"]; got != "2030-03-03T12:00:00.000Z" {
			t.Errorf("the session is said to end at %v", got)
		}
		for range 47 {
			w.Clock.Advance(time.Hour)
			held = testkit.TokensOf(t, w.Do(t, testkit.Refresh(held.Refresh)), http.StatusOK)
		}
		w.Clock.Advance(time.Hour - time.Millisecond)
		held = testkit.TokensOf(t, w.Do(t, testkit.Refresh(held.Refresh)), http.StatusOK)
		if got := w.Do(t, testkit.Me(held.Access)).Status; got != http.StatusOK {
			t.Fatalf("just before its end: %d", got)
		}
		w.Clock.Advance(time.Millisecond)
		w.ended(t, held)
		fresh := w.signIn(t, victims, testkit.Password)
		if got := len(sessions(fresh.Access)); got != 1 {
			t.Errorf("%d sessions are listed", got)
		}
	})
}

// A customer's session is worth more to a thief once the customer is staff.
func TestSessionsOfWhoeverBecomesStaffEndAsThoseOfStaff(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) { cfg.SignIn.StaffSessionMax = "12h" }, func(t *testing.T, w *world) {
		held := w.register(t, victims, "ada")
		w.Clock.Advance(12*time.Hour - time.Millisecond)
		if _, err := w.Accounts.Promote(t.Context(), victims); err != nil {
			t.Fatal(err)
		}
		if got := w.Do(t, testkit.Get(held.Access, "/api/v1/admin/users")).Status; got != http.StatusOK {
			t.Fatalf("before its end: %d", got)
		}
		w.Clock.Advance(time.Millisecond)
		w.ended(t, held)
	})
}

// The attacker has a session, and signs the owner out of all others.
func TestAStolenSessionEndsNoOtherUnderASVS(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) {
		cfg.SignIn = settings.SignIn{AuthPolicy: "asvs", Registration: "open", PasswordPolicy: "standard", NewSignInMail: "off"}
	}, func(t *testing.T, w *world) {
		stolen := w.register(t, victims, "ada")
		w.Clock.Advance(time.Hour)
		owners := w.signIn(t, victims, testkit.Password)
		id := w.account(t, owners.Access).Text(t, "data.session.id")
		for _, path := range []string{"/auth/sessions", "/auth/sessions/" + id} {
			testkit.WantError(t, w.Do(t, testkit.Delete(stolen.Access, path)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		}
		if got := w.Do(t, testkit.Me(owners.Access)).Status; got != http.StatusOK {
			t.Fatalf("the owner's session: %d", got)
		}
		if got := w.Do(t, testkit.Delete(owners.Access, "/auth/sessions")).Get(t, "data.ended"); got != 1.0 {
			t.Errorf("%v sessions ended", got)
		}
		w.ended(t, stolen)
	})
}

// One request ends all sessions but the one at hand, and nobody else's.
func TestAllOtherSessionsEndAtOnce(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		other := w.register(t, attackers, "mallory")
		first := w.register(t, victims, "ada")
		w.Clock.Advance(24 * time.Hour) // nobody is asked by default
		second, third := w.signIn(t, victims, testkit.Password), w.signIn(t, victims, testkit.Password)
		if got := w.Do(t, testkit.Delete(first.Access, "/auth/sessions")).Get(t, "data.ended"); got != 2.0 {
			t.Errorf("%v sessions ended", got)
		}
		w.ended(t, second)
		w.ended(t, third)
		for _, held := range []testkit.Tokens{first, other} {
			if got := w.Do(t, testkit.Me(held.Access)).Status; got != http.StatusOK {
				t.Errorf("another session: %d", got)
			}
		}
		if got := w.Do(t, testkit.Delete(first.Access, "/auth/sessions")).Get(t, "data.ended"); got != 0.0 {
			t.Errorf("again: %v sessions ended", got)
		}
		testkit.WantError(t, w.Do(t, testkit.Delete("", "/auth/sessions")), http.StatusUnauthorized, "UNAUTHORIZED")
	})
}

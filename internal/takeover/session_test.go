package takeover_test

import (
	"net/http"
	"testing"
	"time"

	"stoa/internal/app"
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

// The attacker has a refresh token, and uses it whenever it is due.
func TestASessionEndsByItsAgeWhateverIsRefreshed(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) { cfg.SessionMax = 48 * time.Hour }, func(t *testing.T, w *world) {
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

	configured(t, func(cfg *app.Config) { cfg.StaffSessionMax = 12 * time.Hour }, func(t *testing.T, w *world) {
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

package auth_test

import (
	"context"
	"net/http"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/password"
	"stoa/internal/testkit"
)

// fullHasher is a hasher whose queue is full.
type fullHasher struct{ account.Hasher }

func (fullHasher) Hash(context.Context, string) (string, error) { return "", password.ErrBusy }

func (fullHasher) Verify(context.Context, string, string) (match, outdated bool, err error) {
	return false, false, password.ErrBusy
}

func TestAFloodOfSignInsIsToldToComeBack(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	tokens := a.Register(t, "ada")
	a.Accounts.Hasher = fullHasher{a.Accounts.Hasher}
	for _, req := range []testkit.Request{
		testkit.SignIn("ada@example.com", testkit.Password), testkit.SignIn("eve@example.com", "wrong"),
		register("bob@example.com", "bob", testkit.Password),
		changePassword(tokens.Access, testkit.Password, "another secret"),
	} {
		res := a.Do(t, req)
		testkit.WantError(t, res, http.StatusServiceUnavailable, "BUSY")
		if got := res.Header.Get("Retry-After"); got != "2" {
			t.Errorf("%s: Retry-After = %q, want 2", req.Path, got)
		}
	}
	if got := a.Do(t, testkit.Me(tokens.Access)).Status; got != http.StatusOK {
		t.Errorf("who is signed in already = %d, want 200", got)
	}
}

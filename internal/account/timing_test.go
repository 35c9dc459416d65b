package account_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/password"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

// The answer's time must not tell whether an e-mail address has an account. The
// kinds of failure are tried in turn, in random order, so that whatever else the
// machine does hits all alike, and their medians are compared. A look-up more or
// less disappears in the cost of a hash; a hash more or less does not.
func TestFailedLoginsTakeTheSameTime(t *testing.T) {
	t.Parallel()

	s := service(t, dbtest.SQLite(t), clocktest.New(t0))
	mustRegister(t, s, "warm")
	// About 4 ms: what is compared must stand out from the noise.
	s.Hasher = password.NewHasher(password.Params{MemoryKiB: 4 << 10, Time: 2, Threads: 1, SaltLen: 16, KeyLen: 32},
		password.Limits{})
	mustRegister(t, s, "ada")
	bob := mustRegister(t, s, "bob").User
	if err := s.SetActive(t.Context(), bob.ID, false); err != nil {
		t.Fatal(err)
	}
	kinds := []struct{ name, email, secret string }{
		{"wrong password", "ada@example.com", "wrong"}, // what the others are compared with
		{"unknown address", "eve@example.com", "wrong"},
		{"no address", "eve", "wrong"},
		{"inactive user", "bob@example.com", secret},
		{"password too long", "ada@example.com", strings.Repeat("x", 2000)},
	}
	const rounds = 61
	took := make([][]time.Duration, len(kinds))
	for range rounds {
		for _, i := range rand.Perm(len(kinds)) {
			start := time.Now()
			_, err := s.Login(t.Context(), kinds[i].email, kinds[i].secret)
			took[i] = append(took[i], time.Since(start))
			if !errors.Is(err, account.ErrLogin) {
				t.Fatalf("%s: Login = %v, want ErrLogin", kinds[i].name, err)
			}
		}
	}
	for i := range took {
		slices.Sort(took[i])
	}
	want := took[0][rounds/2]
	for i, kind := range kinds {
		got := took[i][rounds/2]
		t.Logf("%s: median %s, quartiles %s and %s", kind.name, got, took[i][rounds/4], took[i][3*rounds/4])
		if ratio := float64(got) / float64(want); ratio < 0.6 || ratio > 1/0.6 {
			t.Errorf("%s: median %s, %.2f times that of a wrong password", kind.name, got, ratio)
		}
	}
}

package account_test

import (
	"cmp"
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

// BenchmarkFailedLogins measures whether the time of an answer tells if an e-mail address
// has an account; TestEveryFailedLoginCostsOneHash says why it does not. The kinds of
// failure are tried in turn, in random order, so that whatever else the machine does hits
// all alike. The ratio is that of the slowest median to the quickest. A look-up more or less
// disappears in the cost of a hash; a hash more or less does not.
func BenchmarkFailedLogins(b *testing.B) {
	s := service(b, dbtest.SQLite(b), clocktest.New(t0))
	// About 4 ms: what is compared must stand out from the noise.
	s.Hasher = password.NewHasher(password.Params{MemoryKiB: 4 << 10, Time: 2, Threads: 1, SaltLen: 16, KeyLen: 32},
		password.Limits{})
	mustRegister(b, s, "ada")
	bob := mustRegister(b, s, "bob").User
	if err := s.SetActive(b.Context(), bob.ID, false); err != nil {
		b.Fatal(err)
	}
	kinds := []struct{ name, email, secret string }{
		{"wrong password", "ada@example.com", "wrong"},
		{"unknown address", "eve@example.com", "wrong"},
		{"no address", "eve", "wrong"},
		{"inactive user", "bob@example.com", secret},
		{"password too long", "ada@example.com", strings.Repeat("x", 2000)},
	}
	took := make([][]time.Duration, len(kinds))
	for b.Loop() {
		for _, i := range rand.Perm(len(kinds)) {
			start := time.Now()
			_, err := s.Login(b.Context(), kinds[i].email, kinds[i].secret)
			took[i] = append(took[i], time.Since(start))
			if !errors.Is(err, account.ErrLogin) {
				b.Fatalf("%s: Login = %v, want ErrLogin", kinds[i].name, err)
			}
		}
	}
	medians := make([]time.Duration, len(kinds))
	for i := range took {
		slices.Sort(took[i])
		medians[i] = took[i][len(took[i])/2]
	}
	b.ReportMetric(float64(slices.Max(medians))/float64(cmp.Or(slices.Min(medians), 1)), "slowest/quickest")
}

package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/api/limit"
	"stoa/internal/testkit"
)

func logInFrom(address, email, password string) testkit.Request {
	return testkit.Request{
		Method: "POST", Path: "/auth/login", Header: testkit.From(address),
		Body: map[string]string{"email": email, "password": password},
	}
}

// logInPage is logInFrom for a page with a cookie.
func logInPage(address, origin, email, password, cookie string) testkit.Request {
	r := logInFrom(address, email, password)
	r.Header.Set("X-Refresh-Token", "cookie")
	r.Header.Set("Origin", origin)
	r.Header.Set("Cookie", cookie)
	return r
}

// Guesses at one account from ever new addresses are slowed, and its owner gets
// in all the same. An address without an account behaves no differently.
func TestManyAddressesAreSlowedAtOneAccountAndTheOwnerIsNotLockedOut(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, testkit.Limited)
	registered(t, a)
	owner := logInPage("198.51.100.2", a.URL, "u@example.com", "correct horse", "none=1") // whose browser is known then
	testkit.TokensOf(t, a.Do(t, owner), http.StatusOK)
	for name, email := range map[string]string{"an account": "u@example.com", "no account": "nobody@example.com"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var (
				wg   sync.WaitGroup
				mu   sync.Mutex
				slow int
			)
			for i := range limit.LoginAccount.Limit + 3 {
				wg.Go(func() {
					start := time.Now()
					spelling := email
					if i%2 == 0 {
						spelling = strings.ToUpper(email)
					}
					res := a.Do(t, logInFrom(fmt.Sprintf("203.0.113.%d", i), spelling, "wrong horse"))
					if res.Status != http.StatusUnauthorized {
						t.Errorf("guess %d = %d %s", i, res.Status, res.Body)
					}
					if time.Since(start) >= time.Second {
						mu.Lock()
						defer mu.Unlock()
						slow++
					}
				})
			}
			wg.Wait()
			if slow < 3 {
				t.Errorf("%d guesses were slowed, want 3 or more", slow)
			}
			want := http.StatusUnauthorized
			if email == "u@example.com" {
				want = http.StatusOK
			}
			start := time.Now()
			res := a.Do(t, logInFrom("198.51.100.7", email, "correct horse"))
			if took := time.Since(start); res.Status != want || took < time.Second {
				t.Errorf("the owner = %d after %s, want %d after a second", res.Status, took, want)
			}
			start = time.Now()
			res = a.Do(t, logInPage("192.0.2.3", a.URL, email, "correct horse", "stoa-device=AAAAAAAAAAAAAAAAAAAAAA"))
			if took := time.Since(start); res.Status != want || took < time.Second {
				t.Errorf("with a cookie that was made up = %d after %s, want %d after a second", res.Status, took, want)
			}
		})
	}
}

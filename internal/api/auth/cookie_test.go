package auth_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

// fromPage returns req as a browser sends it from a page on origin that keeps its
// refresh token in the cookie.
func fromPage(req testkit.Request, origin string, cookies ...string) testkit.Request {
	req.Header = http.Header{"X-Refresh-Token": {"cookie"}, "Origin": {origin}}
	if len(cookies) > 0 {
		req.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	return req
}

// refreshCookie returns the one cookie that an answer sets, besides that of the device.
func refreshCookie(t *testing.T, res testkit.Response, want int) *http.Cookie {
	t.Helper()
	cookies := slices.DeleteFunc((&http.Response{Header: res.Header}).Cookies(), func(c *http.Cookie) bool {
		return strings.HasSuffix(c.Name, "stoa-device")
	})
	if res.Status != want || len(cookies) != 1 {
		t.Fatalf("answer %d with the cookies %v, want %d with one:\n%s", res.Status, cookies, want, res.Body)
	}
	return cookies[0]
}

// pair returns a cookie as browsers send it.
func pair(c *http.Cookie) string { return c.Name + "=" + c.Value }

func refresh() testkit.Request {
	return testkit.Request{Method: http.MethodPost, Path: "/auth/refresh"}
}

func TestPagesKeepTheRefreshTokenOutOfScriptsReach(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		registered := refreshCookie(t,
			a.Do(t, fromPage(register("ada@example.com", "ada", testkit.Password), a.URL)), http.StatusCreated)
		res := a.Do(t, fromPage(testkit.SignIn("ada@example.com", testkit.Password), a.URL))
		signedIn := refreshCookie(t, res, http.StatusOK)
		if got := res.Text(t, "data.refresh_token"); got != "" {
			t.Errorf("the body has the refresh token %q too", got)
		}
		want := "stoa-refresh=" + signedIn.Value + "; Path=/auth; Max-Age=2592000; HttpOnly; SameSite=Strict"
		if got := res.Header.Get("Set-Cookie"); got != want || signedIn.Value == registered.Value {
			t.Errorf("Set-Cookie = %s, want %s", got, want)
		}
		res = a.Do(t, fromPage(refresh(), a.URL, "other=1", pair(signedIn)))
		next := refreshCookie(t, res, http.StatusOK)
		if next.Value == signedIn.Value {
			t.Error("a refresh did not rotate the token in the cookie")
		}
		if res := a.Do(t, testkit.Get(res.Text(t, "data.access_token"), "/auth/me")); res.Status != http.StatusOK {
			t.Errorf("the new access token answers %d", res.Status)
		}
		for name, cookies := range map[string][]string{
			"no cookie":       nil,
			"two of the name": {pair(next), "stoa-refresh=other"},
			"of https":        {"__Secure-stoa-refresh=" + next.Value},
			"no token":        {"stoa-refresh=x"},
		} {
			t.Run(name, func(t *testing.T) {
				testkit.WantError(t, a.Do(t, fromPage(refresh(), a.URL, cookies...)), http.StatusUnauthorized, "REFRESH_FAILED")
			})
		}
	})
}

func TestThePublicURLsPagesGetASecureCookie(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.PublicURL = "https://shop.example" })
	for name, host := range map[string]string{"direct": "shop.example", "behindproxy": ""} {
		in := fromPage(register(name+"@example.com", name, testkit.Password), "https://shop.example")
		in.Host = host // a proxy may send the name that it has for stoa
		got := refreshCookie(t, a.Do(t, in), http.StatusCreated)
		if got.Name != "__Secure-stoa-refresh" || !got.Secure || !got.HttpOnly ||
			got.SameSite != http.SameSiteStrictMode || got.MaxAge != int(account.RefreshLife.Seconds()) {
			t.Errorf("%s: the cookie is %+v", name, got)
		}
	}
	plain := fromPage(testkit.SignIn("ada@example.com", testkit.Password), "http://shop.example")
	plain.Host = "shop.example"
	testkit.WantError(t, a.Do(t, plain), http.StatusForbidden, "FORBIDDEN")
}

// Neither does a page elsewhere get a cookie set, nor one read that is there.
func TestForeignPagesCannotUseTheRefreshCookie(t *testing.T) {
	t.Parallel()

	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.CORSOrigins = []string{"https://front.example"} })
	a.Register(t, "ada")
	cookie := refreshCookie(t, a.Do(t, fromPage(testkit.SignIn("ada@example.com", testkit.Password), a.URL)), http.StatusOK)
	for _, origin := range []string{
		"", "null", "https://front.example", "https://evil.example", "http://127.0.0.1", "http://127.0.0.1:1",
		a.URL + ".evil.example", a.URL + "@evil.example", a.URL + ", https://evil.example", "file://" + a.URL[len("http://"):],
		"http://localhost" + a.URL[strings.LastIndex(a.URL, ":"):],
	} {
		for _, req := range []testkit.Request{
			register("eve@example.com", "eve", testkit.Password),
			testkit.SignIn("ada@example.com", testkit.Password), refresh(), testkit.Post("", "/auth/logout", nil),
		} {
			req = fromPage(req, origin, pair(cookie))
			if origin == "" {
				delete(req.Header, "Origin")
			}
			res := a.Do(t, req)
			testkit.WantError(t, res, http.StatusForbidden, "FORBIDDEN")
			if got := res.Header.Get("Set-Cookie"); got != "" {
				t.Errorf("%s from %q sets %s", req.Path, origin, got)
			}
		}
	}
	two := fromPage(refresh(), a.URL, pair(cookie))
	two.Header.Add("Origin", "https://evil.example")
	testkit.WantError(t, a.DoUnchecked(t, two), http.StatusForbidden, "FORBIDDEN")
	if res := a.Do(t, testkit.SignIn("eve@example.com", testkit.Password)); res.Status != http.StatusUnauthorized {
		t.Errorf("a refused registration made an account: %d", res.Status)
	}
	refreshCookie(t, a.Do(t, fromPage(refresh(), a.URL, pair(cookie))), http.StatusOK) // still alive
}

func TestWithoutTheHeaderCookiesAreNotRead(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.Register(t, "ada")
	cookie := refreshCookie(t, a.Do(t, fromPage(testkit.SignIn("ada@example.com", testkit.Password), a.URL)), http.StatusOK)
	req := fromPage(testkit.Post("", "/auth/refresh", map[string]any{}), a.URL, pair(cookie))
	delete(req.Header, "X-Refresh-Token")
	if got := testkit.IssuePaths(t, a.Do(t, req)); got != "refresh_token" {
		t.Errorf("faults of %q, want of refresh_token", got)
	}

	req = fromPage(testkit.Post("", "/auth/login", map[string]any{"email": "ada@example.com"}), a.URL)
	req.Header.Set("X-Refresh-Token", "cookies")
	if got := testkit.IssuePaths(t, a.DoUnchecked(t, req)); got != "X-Refresh-Token password" {
		t.Errorf("faults of %q, want of the header and of password", got)
	}
}

func TestLogoutEndsTheCookiesSession(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.Register(t, "ada")
		cookie := refreshCookie(t, a.Do(t, fromPage(testkit.SignIn("ada@example.com", testkit.Password), a.URL)), http.StatusOK)
		out := refreshCookie(t, a.Do(t, fromPage(testkit.Post("", "/auth/logout", nil), a.URL, pair(cookie))), http.StatusOK)
		if out.Name != cookie.Name || out.Path != cookie.Path || out.MaxAge >= 0 {
			t.Errorf("the browser keeps the cookie: %+v", out)
		}
		again := a.Do(t, fromPage(refresh(), a.URL, pair(cookie)))
		testkit.WantError(t, again, http.StatusUnauthorized, "REFRESH_FAILED")
	})
}

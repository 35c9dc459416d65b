package takeover_test

import (
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit"
)

const (
	reason         = "Ticket 4711: the page of licenses is empty."
	impersonations = "/api/v1/admin/impersonations"
)

// as asks to see the shop as a user does.
func as(token, userID string, write bool) testkit.Request {
	return testkit.Post(token, "/api/v1/admin/users/"+userID+"/impersonate", map[string]any{"reason": reason, "write": write})
}

// seeing begins to see the shop as a user does, and returns the token and the id.
func (w *world) seeing(t *testing.T, staff, userID string, write bool) (token, id string) {
	t.Helper()
	res := w.Do(t, as(staff, userID, write))
	if res.Status != http.StatusCreated {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	if strings.Contains(string(res.Body), "refresh") || res.Get(t, "data.expires_in") != 1800.0 {
		t.Errorf("it began with %s", res.Body)
	}
	return res.Text(t, "data.access_token"), res.Text(t, "data.session.id")
}

// support makes somebody of the staff who may see the shop as users do, and change nothing.
func (w *world) support(t *testing.T, name string) testkit.Tokens {
	t.Helper()
	tokens := w.Register(t, name)
	if err := w.Accounts.Store.SetRole(t.Context(), tokens.UserID, "SUPPORT"); err != nil {
		t.Fatal(err)
	}
	return tokens
}

// first returns the first item of a list in an answer.
func first(t *testing.T, res testkit.Response, list string) map[string]any {
	t.Helper()
	items, _ := res.Get(t, list).([]any)
	if len(items) == 0 {
		t.Fatalf("no %s in %s", list, res.Body)
	}
	return items[0].(map[string]any)
}

// over fails the test unless a token opens nothing.
func (w *world) over(t *testing.T, what, token string) {
	t.Helper()
	if res := w.Do(t, testkit.Me(token)); res.Status != http.StatusUnauthorized {
		t.Errorf("%s: %d %s", what, res.Status, res.Body)
	}
}

// T109. The attacker is of the staff, and would be somebody who may do more.
func TestNobodyActsAsStaffAsThemselvesOrAsTheBlocked(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) {
		cfg.ServiceIssuer, cfg.ServiceSecret = testkit.ServiceIssuer, testkit.ServiceSecret
	}, func(t *testing.T, w *world) {
		root, staff, ada := w.Admin(t, "root"), w.support(t, "sam"), w.Register(t, "ada")
		refused := func(what, token, userID, code string) {
			t.Helper()
			res := w.Do(t, as(token, userID, false))
			if res.Status != http.StatusForbidden {
				t.Fatalf("%s: %d %s", what, res.Status, res.Body)
			}
			testkit.WantError(t, res, http.StatusForbidden, code)
		}
		const forbidden = "IMPERSONATION_FORBIDDEN"
		refused("an administrator", staff.Access, root.UserID, forbidden)
		refused("somebody of the staff, by an administrator", root.Access, staff.UserID, forbidden)
		refused("oneself", staff.Access, staff.UserID, forbidden)
		refused("by a user", ada.Access, root.UserID, "FORBIDDEN")
		testkit.WantError(t, w.Do(t, as(staff.Access, ada.UserID, true)), http.StatusForbidden, "FORBIDDEN")
		now := w.Clock.Now()
		refused("by a service", testkit.ServiceToken(t, jwt.MapClaims{
			"sub": "billing", "iss": testkit.ServiceIssuer, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
		}), ada.UserID, forbidden)
		bob := w.Register(t, "bob")
		seen, _ := w.seeing(t, root.Access, ada.UserID, true)
		refused("from within one", seen, bob.UserID, forbidden)
		if err := w.Accounts.SetActive(t.Context(), bob.UserID, false); err != nil {
			t.Fatal(err)
		}
		refused("a blocked user", root.Access, bob.UserID, forbidden)
		testkit.WantError(t, w.Do(t, testkit.Post(root.Access, "/api/v1/admin/users/"+staff.UserID+"/impersonate", map[string]any{})),
			http.StatusForbidden, forbidden) // whatever else is wrong
		testkit.WantError(t, w.Do(t, as(staff.Access, root.UserID, true)), http.StatusForbidden, forbidden)
		testkit.WantError(t, w.Do(t, as(staff.Access, "nobody", true)), http.StatusForbidden, "FORBIDDEN")
		testkit.WantError(t, w.Do(t, as(root.Access, "nobody", true)), http.StatusNotFound, "USER_NOT_FOUND")
		w.Clock.Advance(11 * time.Minute) // nobody proves to be there for what is refused all the same
		refused("somebody of the staff, long after signing in", root.Access, staff.UserID, forbidden)
		testkit.WantError(t, w.Do(t, as(staff.Access, ada.UserID, true)), http.StatusForbidden, "FORBIDDEN")
		refused("a user, long after signing in", root.Access, ada.UserID, "REAUTHENTICATION_REQUIRED")
		w.rules(func(r *account.Rules) { r.Impersonation = account.ImpersonationOff })
		refused("where it is off", root.Access, ada.UserID, forbidden)
	})
}

// ownChanges are what nobody does for a user, and secrets what nobody sees.
func ownChanges() []testkit.Request {
	var all []testkit.Request
	for _, route := range []string{
		"POST /auth/change-password", "POST /auth/email/change", "DELETE /auth/email/change", "POST /auth/password",
		"DELETE /auth/password", "POST /auth/totp", "POST /auth/totp/confirm", "DELETE /auth/totp", "POST /auth/passkeys",
		"POST /auth/passkeys/options", "DELETE /auth/passkeys/x", "POST /auth/recovery-codes", "DELETE /auth/second-factor",
		"DELETE /auth/identities/x", "DELETE /auth/sessions", "DELETE /auth/sessions/x", "POST /auth/reauthenticate",
		"POST /auth/email/verification", "POST /auth/email/verify", "POST /auth/oidc/google/start",
		"POST /api/marketplace/products/mail-pack/reviews", "DELETE /api/marketplace/products/mail-pack/reviews",
		"POST /api/marketplace/orders/x/end-subscription", "POST /api/marketplace/orders/x/portal",
		"POST /api/marketplace/orders/claim",
	} {
		method, path, _ := strings.Cut(route, " ")
		all = append(all, testkit.Request{Method: method, Path: path})
	}
	return append(all, testkit.Purchase("", "once"))
}

// T110. The attacker is of the staff, and would have the user's account, money and licenses.
func TestWhoActsAsAUserChangesNothingOfTheAccountAndSpendsNothing(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		root, ada := w.Admin(t, "root"), w.Register(t, "ada")
		key := w.BuyKey(t, ada.Access, "once")
		reading, _ := w.seeing(t, root.Access, ada.UserID, false)
		writing, _ := w.seeing(t, root.Access, ada.UserID, true)
		for token, code := range map[string]string{reading: "IMPERSONATION_READ_ONLY", writing: "IMPERSONATION_FORBIDDEN"} {
			for _, req := range ownChanges() {
				req.Token = token
				res := w.Do(t, req)
				if res.Status != http.StatusForbidden || !strings.Contains(string(res.Body), code) {
					t.Errorf("%s %s = %d %s, want %s", req.Method, req.Path, res.Status, res.Body, code)
				}
			}
			for _, path := range []string{"/users", "/orders", "/audit", "/system", "/impersonations", "/plugins/none/api/x"} {
				testkit.WantError(t, w.Do(t, testkit.Get(token, "/api/v1/admin"+path)), http.StatusForbidden, "IMPERSONATION_FORBIDDEN")
			}
			testkit.WantError(t, w.Do(t, testkit.Get(token, "/auth/account/export/any/archive")), http.StatusForbidden, "IMPERSONATION_FORBIDDEN")
			if res := w.Do(t, testkit.Get(token, "/auth/account/export")); res.Status != http.StatusOK {
				t.Errorf("the state of copies is %d %s", res.Status, res.Body)
			}
			w.showsNoKey(t, token, key)
			list := w.Do(t, testkit.Get(token, "/api/marketplace/licenses"))
			if list.Status != http.StatusOK || strings.Contains(string(list.Body), key) {
				t.Errorf("licenses = %d %s", list.Status, list.Body)
			}
			license := first(t, list, "licenses")
			if got, want := license["licenseKey"], "STOA-…-"+key[len(key)-5:]; got != want {
				t.Errorf("the key is shown as %s, want %s", got, want)
			}
			one := w.Do(t, testkit.Get(token, "/api/marketplace/licenses/"+license["id"].(string)))
			if one.Status != http.StatusOK || strings.Contains(string(one.Body), key) {
				t.Errorf("license = %d %s", one.Status, one.Body)
			}
		}
		testkit.WantFlatError(t, w.Do(t, testkit.Purchase(reading, "free")), http.StatusForbidden, "IMPERSONATION_READ_ONLY")
		upgrade := testkit.Get(reading, "/api/v1/shop/plugins/none/api/socket")
		upgrade.Header = http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}
		testkit.WantError(t, w.DoUnchecked(t, upgrade), http.StatusForbidden, "IMPERSONATION_READ_ONLY")
		free := w.Do(t, testkit.Purchase(writing, "free"))
		if free.Status != http.StatusOK || !strings.HasPrefix(free.Text(t, "licenseKey"), "STOA-…-") {
			t.Errorf("a free tier = %d %s", free.Status, free.Body)
		}
		w.signIn(t, "ada@example.com", testkit.Password) // nothing has changed
	})
}

// showsNoKey fails the test if an answer of the marketplace to a reader has a key, or a lease for it.
func (w *world) showsNoKey(t *testing.T, token, key string) {
	t.Helper()
	license := first(t, w.Do(t, testkit.Get(token, "/api/marketplace/licenses")), "licenses")["id"].(string)
	order := first(t, w.Do(t, testkit.Get(token, "/api/marketplace/orders")), "orders")["id"].(string)
	seen := 0
	for _, op := range testkit.Operations(t) {
		if op.Method != http.MethodGet || !strings.HasPrefix(op.Path, "/api/marketplace/") {
			continue
		}
		path := op.Path
		switch {
		case strings.Contains(path, "/licenses/{id}"):
			path = strings.Replace(path, "{id}", license, 1)
		case strings.Contains(path, "/orders/{id}"):
			path = strings.Replace(path, "{id}", order, 1)
		}
		path = strings.Replace(path, "{slug}", "mail-pack", 1)
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			seen++
			res := w.DoUnchecked(t, testkit.Request{Method: method, Path: path, Token: token})
			if strings.Contains(string(res.Body)+fmt.Sprint(res.Header), key) {
				t.Errorf("%s %s has the key: %s", method, path, res.Body)
			}
		}
	}
	if seen < 16 {
		t.Errorf("%d answers", seen)
	}
}

// The attacker is of the staff, and has the receipt, which has the key, mailed elsewhere.
func TestAReceiptOfAnOrderByStaffGoesToTheUser(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		root, ada := w.Admin(t, "root"), w.Register(t, "ada")
		writing, _ := w.seeing(t, root.Access, ada.UserID, true)
		req := testkit.Purchase(writing, "free")
		req.Body = map[string]any{
			"tierId": "free", "paymentMethod": "card", "billingInfo": map[string]string{"name": "Ada", "email": attackers},
		}
		if res := w.Do(t, req); res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		for _, m := range w.read(t) {
			if m.To == attackers {
				t.Errorf("a mail went to %s: %s", m.To, m.Subject)
			}
		}
	})
}

// The user used an Idempotency-Key, and staff repeat it.
func TestNoAnswerToTheUserIsRepeatedForStaff(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		root, ada := w.Admin(t, "root"), w.Register(t, "ada")
		req := testkit.Purchase(ada.Access, "free")
		req.Header = http.Header{"Idempotency-Key": {"once"}}
		key := w.Do(t, req).Text(t, "licenseKey")
		req.Token, _ = w.seeing(t, root.Access, ada.UserID, true)
		if res := w.Do(t, req); strings.Contains(string(res.Body), key) {
			t.Errorf("%d %s", res.Status, res.Body)
		}
	})
}

// T111. The attacker is of the staff no longer, or not here, and goes on.
func TestActingAsAUserEndsWithWhatItRestsOn(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		w, other := &world{App: a}, &world{App: b}
		ada := w.Register(t, "ada")
		root := w.Admin(t, "root")
		for what, end := range map[string]func(t *testing.T, staff testkit.Tokens, token, id string){
			"logout": func(t *testing.T, staff testkit.Tokens, _, _ string) {
				t.Helper()
				w.post(t, staff.Access, "/auth/logout", nil, http.StatusOK)
			},
			"its own logout": func(t *testing.T, _ testkit.Tokens, token, _ string) {
				t.Helper()
				w.post(t, token, "/auth/logout", nil, http.StatusOK)
			},
			"demotion": func(t *testing.T, staff testkit.Tokens, _, _ string) {
				t.Helper()
				if _, err := w.Accounts.UpdateUser(t.Context(), staff.UserID, account.UserChange{Role: reqctx.RoleUser}); err != nil {
					t.Fatal(err)
				}
			},
			"deactivation": func(t *testing.T, staff testkit.Tokens, _, _ string) {
				t.Helper()
				if err := w.Accounts.SetActive(t.Context(), staff.UserID, false); err != nil {
					t.Fatal(err)
				}
			},
			"another's end": func(t *testing.T, _ testkit.Tokens, _, id string) {
				t.Helper()
				if res := w.Do(t, testkit.Delete(root.Access, impersonations+"/"+id)); res.Status != http.StatusOK || res.Text(t, "data.endedAt") == "" {
					t.Errorf("%d %s", res.Status, res.Body)
				}
			},
			"the user's end": func(t *testing.T, _ testkit.Tokens, _, id string) {
				t.Helper()
				if res := w.Do(t, testkit.Delete(ada.Access, "/auth/sessions/"+id)); res.Status != http.StatusOK {
					t.Errorf("%d %s", res.Status, res.Body)
				}
			},
		} {
			staff := w.support(t, "sam"+strings.Map(func(r rune) rune {
				if r == ' ' || r == '\'' {
					return -1
				}
				return r
			}, what))
			token, id := w.seeing(t, staff.Access, ada.UserID, false)
			for _, replica := range []*world{w, other} { // which may remember it
				if res := replica.Do(t, testkit.Me(token)); res.Status != http.StatusOK {
					t.Fatalf("%s: %d %s", what, res.Status, res.Body)
				}
			}
			end(t, staff, token, id)
			other.over(t, what+", elsewhere", token)
			w.over(t, what, token)
			w.recorded(t, root.Access, what, id)
		}
		for what, end := range map[string]func(userID string) error{
			"the user is blocked": func(userID string) error { return w.Accounts.SetActive(t.Context(), userID, false) },
			"the user is staff": func(userID string) error {
				_, err := w.Accounts.UpdateUser(t.Context(), userID, account.UserChange{Role: reqctx.RoleAdmin})
				return err
			},
		} {
			bob := w.Register(t, "bob"+strings.ReplaceAll(what, " ", ""))
			token, id := w.seeing(t, root.Access, bob.UserID, false)
			other.Do(t, testkit.Me(token))
			if err := end(bob.UserID); err != nil {
				t.Fatal(err)
			}
			other.over(t, what, token)
			w.recorded(t, root.Access, what, id)
		}
	})
}

// The operator switches it off, and the attacker has begun before.
func TestActingAsAUserEndsWhenItIsSwitchedOff(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, ada := w.Admin(t, "root"), w.Register(t, "ada")
		token, id := w.seeing(t, root.Access, ada.UserID, true)
		if res := w.Do(t, testkit.Me(token)); res.Status != http.StatusOK { // which may be remembered
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		w.rules(func(r *account.Rules) { r.Impersonation = account.ImpersonationOff })
		w.over(t, "where it is off", token)
		w.recorded(t, root.Access, "off", id)
		if res := w.Do(t, testkit.Me(ada.Access)); res.Status != http.StatusOK {
			t.Errorf("the user's own session: %d %s", res.Status, res.Body)
		}
	})
}

// The attacker's own session is about to end by its age.
func TestActingAsAUserEndsWithTheAgeOfTheSessionItBeganIn(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		ada, root := w.Register(t, "ada"), w.Admin(t, "root")
		w.rules(func(r *account.Rules) { r.Safeguards.StaffSessionMax = 15 * time.Minute })
		w.Clock.Advance(5 * time.Minute)
		res := w.Do(t, as(root.Access, ada.UserID, false))
		if res.Status != http.StatusCreated || res.Get(t, "data.expires_in") != 600.0 {
			t.Fatalf("it began with %d %s", res.Status, res.Body)
		}
		token := res.Text(t, "data.access_token")
		w.Clock.Advance(10*time.Minute - time.Second)
		if res := w.Do(t, testkit.Me(token)); res.Status != http.StatusOK {
			t.Errorf("too early: %d %s", res.Status, res.Body)
		}
		w.Clock.Advance(time.Second)
		w.over(t, "after the session it began in", token)
	})
}

// recorded fails the test unless the end of an impersonation is recorded, once.
func (w *world) recorded(t *testing.T, root, what, id string) {
	t.Helper()
	w.Do(t, testkit.Get(root, impersonations))
	log := w.Do(t, testkit.Get(root, "/api/v1/admin/audit?limit=100&action=impersonation.end"))
	if n := strings.Count(string(log.Body), `"id":"`+id+`"`); n != 1 {
		t.Errorf("%s: the end is recorded %d times", what, n)
	}
}

func TestActingAsAUserEndsAfterHalfAnHour(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root, ada := w.Admin(t, "root"), w.Register(t, "ada")
		token, id := w.seeing(t, root.Access, ada.UserID, false)
		w.Clock.Advance(30*time.Minute - time.Second)
		if res := w.Do(t, testkit.Me(token)); res.Status != http.StatusOK {
			t.Fatalf("too early: %d", res.Status)
		}
		w.Clock.Advance(time.Second)
		w.over(t, "after half an hour", token)
		w.recorded(t, root.Access, "time", id)
		if res := w.Do(t, testkit.Refresh(token)); res.Status != http.StatusUnauthorized {
			t.Errorf("it is refreshed: %d", res.Status)
		}
	})
}

// The attacker cuts act out, or has a token of the user's own session say it.
func TestTheUserSeesWhoActedAndTheAuditNamesBoth(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		root, ada := w.Admin(t, "root"), w.proven(t, victims, "ada")
		token, id := w.seeing(t, root.Access, ada.UserID, true)
		w.Do(t, testkit.Purchase(token, "free"))
		order := w.Do(t, testkit.Get(root.Access, "/api/v1/admin/audit?action=order.create"))
		entry := first(t, order, "data.items")
		if entry["actor"].(map[string]any)["id"] != root.UserID ||
			!maps.Equal(entry["onBehalfOf"].(map[string]any), map[string]any{"id": ada.UserID, "name": victims}) {
			t.Errorf("the order is recorded as %s", order.Body)
		}
		if got := w.account(t, token).Text(t, "data.session.impersonator.name"); got != "root" {
			t.Errorf("the session is of %s", got)
		}
		if got := w.account(t, ada.Access).Body; strings.Contains(string(got), "impersonator") {
			t.Errorf("the user's own session has somebody else: %s", got)
		}
		sessions := w.Do(t, testkit.Get(ada.Access, "/auth/sessions"))
		if !strings.Contains(string(sessions.Body), id) || !strings.Contains(string(sessions.Body), `"impersonator":{"id":"`+root.UserID) {
			t.Errorf("sessions are %s", sessions.Body)
		}
		if activity := w.Do(t, testkit.Get(ada.Access, "/auth/activity")); !strings.Contains(string(activity.Body), "impersonation.start") {
			t.Errorf("activity is %s", activity.Body)
		}
		told := 0
		for _, m := range w.read(t) {
			if m.To == victims && m.Subject == "Our staff looked at your account" {
				told++
			}
		}
		if told != 1 {
			t.Errorf("the user was told %d times", told)
		}
	})
}

package takeover_test

import (
	"context"
	"database/sql"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/account/apikey"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/testkit"
)

const (
	apiKeys  = "/auth/api-keys"
	services = "/api/v1/admin/service-accounts"
	orders   = "/api/marketplace/orders"
)

// keyForm is the form of a key.
func keyForm(scopes ...string) map[string]any {
	return map[string]any{"name": "a script", "scopes": scopes}
}

// key makes a personal key.
func (w *world) key(t *testing.T, bearer string, scopes ...string) (id, key string) {
	t.Helper()
	res := w.post(t, bearer, apiKeys, keyForm(scopes...), http.StatusCreated)
	return res.Text(t, "data.id"), res.Text(t, "data.key")
}

// service makes a service account with a key.
func (w *world) service(t *testing.T, bearer string, scopes ...string) (account, id, key string) {
	t.Helper()
	account = w.post(t, bearer, services, map[string]string{"name": "books"}, http.StatusCreated).Text(t, "data.id")
	res := w.post(t, bearer, services+"/"+account+"/keys", keyForm(scopes...), http.StatusCreated)
	return account, res.Text(t, "data.id"), res.Text(t, "data.key")
}

// sees fails the test unless a GET with a token has a status.
func (w *world) sees(t *testing.T, token, path string, status int) testkit.Response {
	t.Helper()
	res := w.Do(t, testkit.Get(token, path))
	if res.Status != status {
		t.Errorf("GET %s = %d %s, want %d", path, res.Status, res.Body, status)
	}
	return res
}

// staff makes an account with a role of staff.
func (w *world) staff(t *testing.T, email, name, role string) testkit.Tokens {
	t.Helper()
	member := w.proven(t, email, name)
	w.role(t, member.UserID, role)
	return member
}

func (w *world) role(t *testing.T, id, role string) {
	t.Helper()
	if err := w.Accounts.Store.SetRole(t.Context(), id, reqctx.Role(role)); err != nil {
		t.Fatal(err)
	}
}

// The attacker made an account with the victim's address.
func TestAnUnprovenAccountGetsNoKeyAndAReclaimedOneKeepsNone(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		early := w.register(t, victims, "ada")
		testkit.WantError(t, w.Do(t, testkit.Post(early.Access, apiKeys, keyForm("self:read"))),
			http.StatusForbidden, "EMAIL_UNVERIFIED")
		outbox := w.Keys.Outbox
		w.Keys.Outbox, w.Accounts.NoMail = nil, true // it has a key all the same, from before mail was set up
		_, left := w.key(t, early.Access, "self:read")
		w.Keys.Outbox, w.Accounts.NoMail = outbox, false
		w.sees(t, left, orders, http.StatusOK)
		w.reset(t, victims)
		w.sees(t, left, orders, http.StatusUnauthorized)
		if items := w.sees(t, w.signIn(t, victims, chosen).Access, apiKeys, http.StatusOK).Get(t, "data.items").([]any); len(items) != 0 {
			t.Errorf("there are keys: %v", items)
		}
	})
}

// The attacker has a key of the victim's, who recovers.
func TestKeysEndWithThePasswordUnlessTheirUserKeepsThem(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		id, kept := w.key(t, owner.Access, "self:read")
		_, ended := w.key(t, owner.Access, "self:read")
		other := w.proven(t, attackers, "eve")
		foreign, _ := w.key(t, other.Access, "self:read")
		change := map[string]any{"currentPassword": testkit.Password, "newPassword": chosen, "keepApiKeys": []string{id, foreign}}
		w.post(t, owner.Access, "/auth/change-password", change, http.StatusOK)
		w.sees(t, kept, orders, http.StatusOK)
		w.sees(t, ended, orders, http.StatusUnauthorized)
		change = map[string]any{"currentPassword": chosen, "newPassword": testkit.Password}
		w.post(t, owner.Access, "/auth/change-password", change, http.StatusOK)
		w.sees(t, kept, orders, http.StatusUnauthorized)

		_, third := w.key(t, owner.Access, "self:read")
		w.reset(t, victims)
		w.sees(t, third, orders, http.StatusUnauthorized)
	})
}

// A key is made for whoever asks, by whatever name the body calls somebody else.
func TestNoFieldMakesAKeyForSomebodyElse(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		attacker, victim := w.proven(t, attackers, "eve"), w.proven(t, victims, "ada")
		for _, field := range []string{"userId", "user_id", "user", "owner", "ownerId", "serviceAccountId", "id", "key", "role"} {
			body := keyForm("self:read")
			body[field] = victim.UserID
			testkit.WantError(t, w.Do(t, testkit.Post(attacker.Access, apiKeys, body)), http.StatusBadRequest, "VALIDATION_ERROR")
		}
		id, key := w.key(t, victim.Access, "self:read")
		for _, req := range []testkit.Request{
			testkit.Patch(attacker.Access, apiKeys+"/"+id, map[string]string{"name": "mine"}),
			{Method: http.MethodDelete, Token: attacker.Access, Path: apiKeys + "/" + id},
			testkit.Post(attacker.Access, apiKeys+"/"+id+"/rotate", nil),
		} {
			testkit.WantError(t, w.Do(t, req), http.StatusNotFound, "NOT_FOUND")
		}
		w.sees(t, key, orders, http.StatusOK)
	})
}

// What a key may do is asked at every call.
func TestAKeyMayDoNoMoreThanItsOwner(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		member := w.staff(t, attackers, "eve", "SUPPORT")
		res := w.Do(t, testkit.Post(member.Access, apiKeys, keyForm("orders:read", "orders:refund")))
		testkit.WantError(t, res, http.StatusForbidden, "SCOPE_NOT_HELD")
		if got := res.Get(t, "error.details.permission"); got != "orders:refund" {
			t.Errorf("lacks %v", got)
		}
		for _, scope := range []string{"staff:write", "users:impersonate", "api-keys:admin", "sign-in:write", "any", "all", "*"} {
			testkit.WantError(t, w.Do(t, testkit.Post(member.Access, apiKeys, keyForm(scope))), http.StatusBadRequest, "VALIDATION_ERROR")
		}
		_, key := w.key(t, member.Access, "orders:read")
		admin := func(path string) string { return "/api/v1/admin/" + path }
		w.sees(t, key, admin("orders"), http.StatusOK)
		testkit.WantError(t, w.sees(t, key, admin("users"), http.StatusForbidden), http.StatusForbidden, "FORBIDDEN")
		if got := w.sees(t, key, orders, http.StatusForbidden).Text(t, "error"); got != "FORBIDDEN" {
			t.Errorf("code %s", got)
		}

		w.role(t, member.UserID, "CATALOG") // who sees no orders
		w.sees(t, key, admin("orders"), http.StatusForbidden)
		w.role(t, member.UserID, "ADMIN") // and not more because its owner is
		w.sees(t, key, admin("orders"), http.StatusOK)
		w.sees(t, key, admin("users"), http.StatusForbidden)
		w.role(t, member.UserID, "USER")
		w.sees(t, key, admin("orders"), http.StatusForbidden)
	})
}

// A key of somebody who was deactivated comes back with nothing.
func TestAKeyEndsWithItsOwnerForGood(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		_, key := w.key(t, owner.Access, "self:read")
		w.sees(t, key, orders, http.StatusOK)
		for _, active := range []bool{false, true} {
			if err := w.Accounts.SetActive(t.Context(), owner.UserID, active); err != nil {
				t.Fatal(err)
			}
			w.sees(t, key, orders, http.StatusUnauthorized)
		}
	})
}

// Nothing tells a key that ended from one that never was.
func TestAKeyThatEndedIsToldFromNone(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		id, key := w.key(t, owner.Access, "self:read")
		_, expiring := w.key(t, owner.Access, "self:read")
		w.Do(t, testkit.Request{Method: http.MethodDelete, Token: owner.Access, Path: apiKeys + "/" + id})
		w.Clock.Advance(90 * 24 * time.Hour)
		want := ""
		for name, one := range map[string]string{
			"revoked": key, "expired": expiring, "mistyped": strings.Replace(expiring, "stoa_pk_", "stoa_sk_", 1),
			"nonsense": "stoa_pk_x",
		} {
			res := w.sees(t, one, orders, http.StatusUnauthorized)
			if want == "" {
				want = string(res.Body)
			}
			if string(res.Body) != want {
				t.Errorf("%s: %s", name, res.Body)
			}
		}
	})
}

// A key lets nobody in, and makes nothing that outlives it.
func TestNoKeyOpensWhatLetsPeopleIn(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.staff(t, "root@example.com", "root", "ADMIN")
		scopes := keyScopes()
		_, personal := w.key(t, root.Access, append(scopes, "self:read", "self:write")...)
		_, _, service := w.service(t, root.Access, scopes...)
		before := w.account(t, root.Access).Body
		n := 0
		for _, op := range testkit.Operations(t) {
			closed := strings.HasPrefix(op.Path, "/auth/") && len(op.Callers) > 0
			for _, part := range []string{
				"/sign-in-settings", "/identity-providers", "/api-keys", "/service-accounts", "/second-factor", "/password-reset",
				"/email/revert", "/impersonate", "/roles", "/invitations", "/staff",
			} {
				closed = closed || strings.HasPrefix(op.Path, "/api/v1/admin/") && strings.Contains(op.Path, part)
			}
			if !closed {
				continue
			}
			n++
			for _, key := range []string{personal, service} {
				path := strings.NewReplacer("{id}", root.UserID, "{slug}", "x", "{keyId}", "x").Replace(op.Path)
				res := w.Do(t, testkit.Request{Method: op.Method, Path: path, Token: key, Body: op.Example})
				testkit.WantError(t, res, http.StatusForbidden, "NOT_FOR_KEYS")
			}
		}
		if n < 45 {
			t.Errorf("%d operations", n)
		}
		res := w.Do(t, testkit.Patch(personal, "/api/v1/admin/users/"+root.UserID, map[string]any{"role": "ADMIN", "active": true}))
		testkit.WantError(t, res, http.StatusForbidden, "NOT_FOR_KEYS")
		if after := w.account(t, root.Access).Body; string(after) != string(before) {
			t.Errorf("the account is another: %s", after)
		}
	})
}

// keyScopes returns every permission that a key can have.
func keyScopes() (all []string) {
	for _, name := range permission.Catalog() {
		if apikey.IsScope(name) {
			all = append(all, string(name))
		}
	}
	return all
}

// A key in an address opens nothing, and what is stored of it opens nothing either.
func TestAKeyWorksInItsHeaderOnlyAndIsNotInTheDatabase(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		id, key := w.key(t, owner.Access, "self:read")
		for _, name := range []string{"key", "api_key", "apiKey", "access_token", "token"} {
			w.sees(t, "", orders+"?"+name+"="+key, http.StatusUnauthorized)
		}
		for _, header := range []http.Header{
			{"X-Api-Key": {key}}, {"Cookie": {"token=" + key}}, {"Authorization": {"Basic " + key}}, {"Authorization": {key}},
		} {
			if res := w.Do(t, testkit.Request{Method: "GET", Path: orders, Header: header}); res.Status != http.StatusUnauthorized {
				t.Errorf("%v = %d", header, res.Status)
			}
		}
		stored, err := w.Keys.Store.Key(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if stored.Hash == "" || strings.Contains(key, stored.Hash) {
			t.Errorf("stored is %q", stored.Hash)
		}
		w.sees(t, key[:21]+stored.Hash, orders, http.StatusUnauthorized)
		w.sees(t, stored.Hash, orders, http.StatusUnauthorized)
	})
}

// Of two who replace a secret at once one gets it, and no more than two secrets live.
func TestOfManyRotationsAtOnceOneWins(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		id, first := w.key(t, owner.Access, "self:read")
		var made, refused atomic.Int32
		var second atomic.Value
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				res := w.Do(t, testkit.Post(owner.Access, apiKeys+"/"+id+"/rotate", nil))
				switch res.Status {
				case http.StatusCreated:
					made.Add(1)
					second.Store(res.Text(t, "data.key"))
				case http.StatusConflict:
					refused.Add(1)
				}
			})
		}
		all.Wait()
		if made.Load() != 1 || refused.Load() != 7 {
			t.Fatalf("%d made, %d refused", made.Load(), refused.Load())
		}
		w.sees(t, first, orders, http.StatusOK)
		w.sees(t, second.Load().(string), orders, http.StatusOK)
		w.Clock.Advance(time.Minute)
		third := w.post(t, w.signIn(t, victims, testkit.Password).Access, apiKeys+"/"+id+"/rotate", nil, http.StatusCreated).Text(t, "data.key")
		w.sees(t, first, orders, http.StatusUnauthorized)
		w.sees(t, second.Load().(string), orders, http.StatusOK)
		w.Clock.Advance(24 * time.Hour)
		w.sees(t, second.Load().(string), orders, http.StatusUnauthorized)
		w.sees(t, third, orders, http.StatusOK)
		w.Do(t, testkit.Request{Method: http.MethodDelete, Token: w.signIn(t, victims, testkit.Password).Access, Path: apiKeys + "/" + id})
		w.sees(t, third, orders, http.StatusUnauthorized)
	})
}

// Replacing the secret of a key does not make the former one, which may be with others, last longer.
func TestAReplacedSecretLivesNoLongerThanItWouldHave(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		form := keyForm("self:read")
		form["expiresAt"] = w.Clock.Now().Add(time.Hour)
		made := w.post(t, owner.Access, apiKeys, form, http.StatusCreated)
		path, first := apiKeys+"/"+made.Text(t, "data.id")+"/rotate", made.Text(t, "data.key")
		w.Clock.Advance(5 * time.Minute)
		second := w.post(t, owner.Access, path, nil, http.StatusCreated).Text(t, "data.key")
		w.sees(t, first, orders, http.StatusOK)
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, path, nil)), http.StatusConflict, "CONFLICT") // a moment ago
		w.Clock.Advance(55 * time.Minute)
		w.sees(t, first, orders, http.StatusUnauthorized)
		w.sees(t, second, orders, http.StatusOK)
		again := w.signIn(t, victims, testkit.Password)
		third := w.post(t, again.Access, path, nil, http.StatusCreated).Text(t, "data.key") // with the term of an hour
		w.Clock.Advance(5 * time.Minute)
		w.sees(t, second, orders, http.StatusUnauthorized)
		w.Clock.Advance(54 * time.Minute)
		w.sees(t, third, orders, http.StatusOK)
		w.Clock.Advance(time.Minute)
		w.sees(t, third, orders, http.StatusUnauthorized)
	})
}

// A key that was revoked is dead everywhere when the answer arrives.
func TestARevokedKeyIsDeadOnEveryReplica(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		w, other := &world{App: a}, &world{App: b}
		b.Outbox.Close() // the first one sends all mails
		owner := w.proven(t, victims, "ada")
		id, key := w.key(t, owner.Access, "self:read")
		for range 3 {
			w.sees(t, key, orders, http.StatusOK)
			other.sees(t, key, orders, http.StatusOK)
		}
		w.Do(t, testkit.Request{Method: http.MethodDelete, Token: owner.Access, Path: apiKeys + "/" + id})
		other.sees(t, key, orders, http.StatusUnauthorized)
	})
}

// A stolen session makes no key that outlives it.
func TestAStolenSessionMakesNoKey(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		id, _ := w.key(t, owner.Access, "self:read")
		w.Clock.Advance(11 * time.Minute)
		for _, path := range []string{apiKeys, apiKeys + "/" + id + "/rotate"} {
			testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, path, keyForm("self:read"))),
				http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		}
	})
}

// Whoever may manage keys gives none more than they have, and ends none of somebody above.
func TestWhoManagesKeysGetsNoMoreByThem(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		root := w.staff(t, "root@example.com", "root", "ADMIN")
		account, id, _ := w.service(t, root.Access, "orders:refund")
		own, _ := w.key(t, root.Access, "orders:read")
		manager := w.staff(t, attackers, "eve", "KEYS")
		w.ownRole(t, "KEYS", "api-keys:admin orders:read")
		keys := services + "/" + account + "/keys"
		testkit.WantError(t, w.Do(t, testkit.Post(manager.Access, keys, keyForm("orders:refund"))), http.StatusForbidden, "SCOPE_NOT_HELD")
		testkit.WantError(t, w.Do(t, testkit.Post(manager.Access, keys+"/"+id+"/rotate", nil)), http.StatusForbidden, "SCOPE_NOT_HELD")
		endless := keyForm("orders:read")
		endless["expiresAt"] = nil
		testkit.WantError(t, w.Do(t, testkit.Post(manager.Access, keys, endless)), http.StatusForbidden, "FORBIDDEN")
		testkit.WantError(t, w.Do(t, testkit.Patch(manager.Access, keys+"/"+id, map[string]string{"name": "the shop's"})),
			http.StatusForbidden, "FORBIDDEN")
		for _, path := range []string{keys + "/" + id, services + "/" + account, "/api/v1/admin/api-keys/" + own, "/api/v1/admin/api-keys/" + id} {
			testkit.WantError(t, w.Do(t, testkit.Request{Method: http.MethodDelete, Token: manager.Access, Path: path}),
				http.StatusForbidden, "FORBIDDEN")
		}
		made := w.post(t, manager.Access, keys, keyForm("orders:read"), http.StatusCreated).Text(t, "data.key")
		w.sees(t, made, "/api/v1/admin/orders", http.StatusOK)
		w.role(t, manager.UserID, "USER") // the account belongs to the shop
		w.sees(t, made, "/api/v1/admin/orders", http.StatusOK)
		w.post(t, root.Access, keys, endless, http.StatusCreated)
	})
}

// ownRole makes a role.
func (w *world) ownRole(t *testing.T, name, permissions string) {
	t.Helper()
	_, err := w.DB.Conn().Write.ExecContext(context.WithoutCancel(t.Context()),
		`INSERT INTO roles (name, permissions, created_at_ms) VALUES ($1, $2, 1)`, name, permissions)
	if err != nil {
		t.Fatal(err)
	}
}

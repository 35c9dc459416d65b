package store_test

import (
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/federated"
	"stoa/internal/base/errs"
	"stoa/internal/store"
)

func testFederation(t *testing.T, open Open) {
	t.Run("providers are stored", func(t *testing.T) { t.Parallel(); testProviders(t, withUsers(t, open)) })
	t.Run("identities are stored", func(t *testing.T) { t.Parallel(); testIdentities(t, withUsers(t, open)) })
	t.Run("identities are ways in", func(t *testing.T) { t.Parallel(); testIdentitiesAsWaysIn(t, withUsers(t, open)) })
	t.Run("flows are taken once", func(t *testing.T) { t.Parallel(); testFlows(t, withUsers(t, open)) })
	t.Run("users are found by mailbox", func(t *testing.T) { t.Parallel(); testUserByMailbox(t, withUsers(t, open)) })
}

func provider(id string) account.Provider {
	return account.Provider{
		ID: id, Slug: id, Kind: federated.OIDC, Name: "Provider " + id, Issuer: "https://" + id + ".example", ClientID: "c",
		Sealed: "sealed", Scopes: []string{"profile", "groups"}, Enabled: true, SignUp: true, Staff: true,
		VerifiesAddresses: true, AllowedDomains: []string{"a.example", "b.example"}, CreatedAt: T0,
	}
}

func testProviders(t *testing.T, s *store.Account) {
	put := func(p account.Provider) error {
		return s.InTx(t.Context(), func(tx account.Store) error { return tx.PutProvider(t.Context(), p) })
	}
	must(t, put(provider("b")))
	must(t, put(provider("a")))
	changed := provider("a")
	changed.Enabled, changed.Scopes, changed.Name = false, nil, "Another name"
	must(t, put(changed))
	taken := provider("c")
	taken.Issuer = "https://b.example"
	mustBe(t, "the issuer of another", put(taken), errs.Conflict)
	taken = provider("c")
	taken.Slug = "b"
	mustBe(t, "the slug of another", put(taken), errs.Conflict)
	changed.Issuer = "https://b.example"
	mustBe(t, "a change to the issuer of another", put(changed), errs.Conflict)
	list, err := s.Providers(t.Context())
	if err != nil || len(list) != 2 || list[0].Name != "Another name" || list[0].Enabled || list[0].Issuer != "https://a.example" {
		t.Fatalf("Providers = %+v, %v", list, err)
	}
	if got, want := list[1], provider("b"); got.Sealed != want.Sealed || len(got.Scopes) != 2 || len(got.AllowedDomains) != 2 ||
		!got.SignUp || !got.Staff || !got.VerifiesAddresses || !got.CreatedAt.Equal(T0) || got.Kind != want.Kind || got.ClientID != "c" {
		t.Errorf("= %+v", got)
	}
	must(t, s.DeleteProvider(t.Context(), "b"))
	mustBe(t, "twice", s.DeleteProvider(t.Context(), "b"), errs.NotFound)
	again := provider("d")
	again.Issuer = "https://b.example"
	must(t, put(again)) // the issuer is free
}

func identity(id, user, issuer string) account.Identity {
	return account.Identity{
		ID: id, UserID: user, ProviderID: "p-" + issuer, Issuer: issuer, Subject: "s-" + id, Generation: 3, Email: "e@x.example",
		CreatedAt: T0, LastUsedAt: T0.Add(time.Hour),
	}
}

func testIdentities(t *testing.T, s *store.Account) {
	first := identity("i1", "u1", "x")
	must(t, s.CreateIdentity(t.Context(), first))
	same := identity("i2", "u2", "x")
	same.Subject = first.Subject
	mustBe(t, "what another has", s.CreateIdentity(t.Context(), same), errs.Conflict)
	mustBe(t, "a second one of the provider", s.CreateIdentity(t.Context(), identity("i3", "u1", "x")), errs.Conflict)
	must(t, s.CreateIdentity(t.Context(), identity("i4", "u1", "y")))
	got, err := s.IdentityWith(t.Context(), "x", "s-i1")
	if err != nil || got != first {
		t.Errorf("IdentityWith = %+v, %v", got, err)
	}
	_, err = s.IdentityWith(t.Context(), "y", "s-i1")
	mustBe(t, "the subject elsewhere", err, errs.NotFound)
	first.ProviderID, first.Email, first.LastUsedAt = "p2", "n@x.example", T0.Add(2*time.Hour)
	must(t, s.UseIdentity(t.Context(), first))
	list, err := s.IdentitiesOf(t.Context(), "u1")
	if err != nil || len(list) != 2 || list[0] != first {
		t.Errorf("IdentitiesOf = %+v, %v", list, err)
	}
	mustBe(t, "somebody else's", s.DeleteIdentity(t.Context(), "u2", "i1"), errs.NotFound)
	must(t, s.DeleteIdentity(t.Context(), "u1", "i1"))
	mustBe(t, "one that is gone", s.UseIdentity(t.Context(), first), errs.NotFound)
}

// What is linked counts as a way in while its provider signs people in.
func testIdentitiesAsWaysIn(t *testing.T, s *store.Account) {
	put := func(p account.Provider) {
		t.Helper()
		must(t, s.InTx(t.Context(), func(tx account.Store) error { return tx.PutProvider(t.Context(), p) }))
	}
	p := provider("x")
	put(p)
	must(t, s.CreateIdentity(t.Context(), identity("i1", "u1", p.Issuer)))
	must(t, s.CreateIdentity(t.Context(), identity("i2", "u2", p.Issuer)))
	must(t, s.SetPassword(t.Context(), "u1", ""))
	has := func(want bool, only int) {
		t.Helper()
		if got, err := s.HasIdentity(t.Context(), "u1"); err != nil || got != want {
			t.Errorf("HasIdentity = %t, %v", got, err)
		}
		if a, o, err := s.CountIdentities(t.Context(), p.Issuer); err != nil || a != 2 || o != only {
			t.Errorf("CountIdentities = %d, %d, %v, want 2, %d", a, o, err, only)
		}
	}
	has(true, 1)
	p.Enabled = false
	put(p)
	has(false, 1)
	other := provider("y")
	put(other)
	must(t, s.CreateIdentity(t.Context(), identity("i3", "u1", other.Issuer)))
	has(true, 0)
	if a, o, err := s.CountIdentities(t.Context(), other.Issuer); err != nil || a != 1 || o != 1 {
		t.Errorf("of the other: %d, %d, %v", a, o, err)
	}
	// Staff come in only through providers that are for staff.
	must(t, s.SetRole(t.Context(), "u1", "SUPPORT"))
	has(true, 0)
	other.Staff = false
	put(other)
	has(false, 1)
	must(t, s.SetRole(t.Context(), "u1", "USER"))
	has(true, 0)
}

func flow(state, user string) account.Flow {
	return account.Flow{
		State: state, Cookie: "c-" + state, ProviderID: "p", Mode: account.FlowLink, UserID: user, SessionID: "s", Generation: 2,
		Username: "name", Nonce: "n", Verifier: "v", ReturnTo: "/x", Code: "code", Tries: 3, CreatedAt: T0,
	}
}

func testFlows(t *testing.T, s *store.Account) {
	f := flow("f1", "u1")
	must(t, s.CreateFlow(t.Context(), f))
	anybody := account.Flow{State: "f2", Cookie: "c-f2", ProviderID: "p", Mode: account.FlowSignIn, CreatedAt: T0}
	must(t, s.CreateFlow(t.Context(), anybody))
	for _, want := range []account.Flow{f, anybody} {
		if got, err := s.FlowOf(t.Context(), want.Cookie); err != nil || got != want {
			t.Errorf("FlowOf = %+v, %v", got, err)
		}
	}
	_, err := s.FlowOf(t.Context(), "c")
	mustBe(t, "no flow", err, errs.NotFound)
	if n := wins(t, func() error { return s.KeepResult(t.Context(), "f1", "sealed") }); n != 1 {
		t.Errorf("%d callers kept a result", n)
	}
	if n := wins(t, func() error { _, err := s.TakeFlow(t.Context(), "f1"); return err }); n != 1 {
		t.Errorf("%d callers took the flow", n)
	}
	mustBe(t, "a result of what is gone", s.KeepResult(t.Context(), "f1", "x"), errs.NotFound)
	got, err := s.TakeFlow(t.Context(), "f2")
	if err != nil || got != anybody {
		t.Errorf("TakeFlow = %+v, %v", got, err)
	}
}

func testUserByMailbox(t *testing.T, s *store.Account) {
	older := credentials("m1")
	older.Email, older.CreatedAt = "a@xn--bcher-kva.example", T0.Add(-time.Hour)
	newer := credentials("m2")
	newer.Email = "a@bücher.example"
	mustCreateUser(t, s, newer)
	mustCreateUser(t, s, older)
	got, err := s.UserByMailbox(t.Context(), "a@xn--bcher-kva.example")
	if err != nil || got.ID != "m1" {
		t.Errorf("UserByMailbox = %s, %v", got.ID, err)
	}
	_, err = s.UserByMailbox(t.Context(), "")
	mustBe(t, "no mailbox", err, errs.NotFound)
}

package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/account/leave"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/store"
	"stoa/internal/trust/audit"
)

func testLeaving(t *testing.T, open Open) {
	t.Run("PlanDeletion shuts a user, and CancelDeletion lets the ways in back", func(t *testing.T) {
		t.Parallel()
		testPlanDeletion(t, open(t))
	})
	t.Run("DueDeletions has the longest due first", func(t *testing.T) {
		t.Parallel()

		s := store.Leave{Account: withUsers(t, open)}
		mustCreateUser(t, s.Account, credentials("u3"))
		mustCreateUser(t, s.Account, credentials("u4"))
		for id, at := range map[string]time.Time{"u1": T0.Add(time.Hour), "u2": T0, "u3": T0.Add(time.Hour + time.Millisecond)} {
			if err := s.PlanDeletion(t.Context(), id, at); err != nil {
				t.Fatal(err)
			}
		}
		for limit, want := range map[int][]string{10: {"u2", "u1"}, 1: {"u2"}} {
			if got, err := s.DueDeletions(t.Context(), T0.Add(time.Hour), limit); err != nil || !slices.Equal(got, want) {
				t.Errorf("DueDeletions(%d) = %v, %v; want %v", limit, got, err, want)
			}
		}
		mustBe(t, "PlanDeletion of nobody", s.PlanDeletion(t.Context(), "u9", T0), errs.NotFound)
		mustBe(t, "Erase of nobody", s.Erase(t.Context(), credentials("u9"), T0), errs.NotFound)
	})
	t.Run("Erase leaves what others need", func(t *testing.T) { t.Parallel(); testErase(t, open) })
	t.Run("Erase takes no trial that was not bought", func(t *testing.T) {
		t.Parallel()
		testEraseUnpaid(t, shopDB(t, open))
	})
	t.Run("Erase is part of its transaction", func(t *testing.T) {
		t.Parallel()

		s := store.Leave{Account: withUsers(t, open)}
		undo := errors.New("undo")
		err := s.InTx(t.Context(), func(tx leave.Store) error {
			return errors.Join(tx.Erase(t.Context(), credentials("u1"), T0), undo)
		})
		if _, found := s.User(t.Context(), "u1"); !errors.Is(err, undo) || found != nil {
			t.Errorf("InTx: %v; the user is %v", err, found)
		}
	})
	t.Run("the audit log is blanked for those who are gone, and in nothing else", func(t *testing.T) {
		t.Parallel()
		testBlankAudit(t, open(t))
	})
}

func testPlanDeletion(t *testing.T, db *database.DB) {
	s := store.Leave{Account: store.NewAccount(db)}
	for _, id := range []string{"u1", "u2"} {
		mustCreateUser(t, s.Account, credentials(id))
		mustCreateSession(t, s.Account, session("s-"+id, id))
		mustCreateReset(t, s, "r-"+id, id, T0)
		mustExec(t, db, `INSERT INTO api_keys (id, user_id, name, scopes, secret_hash, created_at_ms, created_by, creator_permissions)
			VALUES ('k-`+id+`', '`+id+`', 'k', '', 'x', 1, '`+id+`', '')`)
	}
	at := T0.Add(14 * 24 * time.Hour)
	if err := s.PlanDeletion(t.Context(), "u1", at); err != nil {
		t.Fatal(err)
	}
	c, err := s.User(t.Context(), "u1")
	if err != nil || c.Active || !c.DeletionAt.Equal(at) || c.Generation != 1 {
		t.Errorf("User = %+v, %v", c, err)
	}
	if c, err := s.Candidate(t.Context(), account.Key(c.Email)); err != nil || c.Active || c.ID != "u1" {
		t.Errorf("Candidate = %+v, %v", c, err)
	}
	mustHaveSessions(t, s.Account, "u1")
	mustHaveSessions(t, s.Account, "u2", "s-u2")
	for id, want := range map[string]errs.Kind{"r-u1": errs.NotFound, "r-u2": ""} {
		_, err := s.OpenReset(t.Context(), id)
		mustBe(t, "OpenReset of "+id, err, want)
	}
	if got := texts(t, db, `SELECT id FROM api_keys ORDER BY id`); !slices.Equal(got, []string{"k-u2"}) {
		t.Errorf("keys are left: %v", got)
	}
	active := false
	list, n, err := s.ListUsers(t.Context(), account.UserQuery{Active: &active, Limit: 10})
	if err != nil || n != 1 || list[0].ID != "u1" {
		t.Errorf("inactive are %v, %v", list, err)
	}

	if err := s.CancelDeletion(t.Context(), "u1"); err != nil {
		t.Fatal(err)
	}
	if c, err := s.User(t.Context(), "u1"); err != nil || !c.Active || !c.DeletionAt.IsZero() || c.PasswordHash == "" {
		t.Errorf("User = %+v, %v", c, err)
	}

	// An administrator who leaves is none.
	if err := s.SetRole(t.Context(), "u1", reqctx.RoleAdmin); err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{at, {}} {
		want := at.IsZero()
		err := s.CancelDeletion(t.Context(), "u1")
		if !want {
			err = s.PlanDeletion(t.Context(), "u1", at)
		}
		has, err2 := s.HasAdmin(t.Context())
		admins, err3 := s.LockAdmins(t.Context())
		if err := errors.Join(err, err2, err3); err != nil || has != want || slices.Contains(admins, "u1") != want {
			t.Errorf("an administrator: %v %v, %v; want %v", has, admins, err, want)
		}
	}
}

func testErase(t *testing.T, open Open) {
	db := shopDB(t, open)
	s, orders, all := store.Leave{Account: store.NewAccount(db)}, store.NewOrders(db), store.NewReviews(db)
	ada, bob := credentials("ada"), credentials("bob")
	ada.Email, ada.ProvenAt = "Ätna@example.com", T0
	mustCreateUser(t, s.Account, ada)
	mustCreateUser(t, s.Account, bob)
	mustOrder(t, orders, Order("own", "a", "ada", "x@example.com", T0))
	mustOrder(t, orders, Order("old", "a", "ada", "x@example.com", T0.Add(-time.Hour)))
	mustOrder(t, orders, Order("guests", "a", reqctx.Anonymous, "Ätna@Example.com", T0))
	mustOrder(t, orders, Order("like", "a", reqctx.Anonymous, "ätna@example.com", T0))
	mustOrder(t, orders, Order("bobs", "a", "bob", ada.Email, T0))
	mustOrder(t, orders, Order("tried", "a", reqctx.Anonymous, ada.Email, T0))
	mustExec(t, db, `UPDATE licenses SET user_id = 'bob' WHERE id = 'tried'`) // who bought what a guest only tried
	mustSave(t, all, reviewOf("r1", "a", "ada"))
	mustSave(t, all, reviewOf("r2", "b", "ada"))
	mustSave(t, all, reviewOf("r3", "a", "bob"))
	mustCreateSession(t, s.Account, session("s", "ada"))
	mustExec(t, db, `INSERT INTO order_claims (token_hash, user_id, email_key, created_at_ms) VALUES ('c', 'ada', 'x', 1)`)

	erase := func(ctx context.Context, c account.Credentials) {
		err := s.InTx(ctx, func(tx leave.Store) error { return tx.Erase(ctx, c, T0.Add(-time.Minute)) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"bobs", "guests", "old", "own"} {
		p := order.Payment{OrderID: id, Seq: 1, At: T0, Minor: 100, Currency: "EUR"}
		p.Bill = payment.Bill{Taxed: true, Tax: 19, TaxID: "DE1", Number: "A-1", URL: "https://bill.example/1", PDF: "https://bill.example/1.pdf"}
		if err := store.NewOrders(db).PutPayment(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	named := `SELECT order_id FROM payments WHERE tax_id IS NOT NULL AND invoice_url IS NOT NULL AND invoice_pdf IS NOT NULL
		AND invoice_number = 'A-1' AND tax_minor = 19 ORDER BY order_id`
	erase(t.Context(), ada)
	if got := texts(t, db, named); !slices.Equal(got, []string{"bobs", "guests", "own"}) {
		t.Errorf("invoices have the buyers of %v", got)
	}
	rest := []string{"bobs bob", "guests deleted", "like anonymous", "old deleted", "own deleted"}
	for table, tried := range map[string]string{"orders": "tried deleted", "licenses": "tried bob"} {
		want := append(slices.Clone(rest), tried)
		if got := texts(t, db, `SELECT id || ' ' || user_id FROM `+table+` ORDER BY id`); !slices.Equal(got, want) {
			t.Errorf("%s are %v, want %v", table, got, want)
		}
	}
	blank := `SELECT id FROM orders WHERE billing_info IS NULL AND billing_email_key IS NULL AND billing_name_key IS NULL
		AND billing_company_key IS NULL`
	if got := texts(t, db, blank); !slices.Equal(got, []string{"old"}) {
		t.Errorf("bills are blank: %v", got)
	}
	for _, table := range []string{"sessions", "order_claims"} {
		if got := texts(t, db, `SELECT user_id FROM `+table); len(got) != 0 {
			t.Errorf("%s of %v", table, got)
		}
	}
	_, err := s.User(t.Context(), "ada")
	mustBe(t, "User", err, errs.NotFound)

	erase(t.Context(), bob) // a second former author of one product
	for _, id := range []string{"r1", "r2", "r3"} {
		r, err := all.ReviewByID(t.Context(), id)
		if err != nil || r.Author != "former customer" || r.UserID != reqctx.Deleted {
			t.Errorf("review %s is %+v, %v", id, r, err)
		}
		r.Hidden = true
		mustSave(t, all, r) // administrators go on hiding them
	}
	if n, err := s.BlankBills(t.Context(), T0, 2); err != nil || n != 2 {
		t.Errorf("BlankBills = %d, %v; want 2", n, err)
	}
	if n, err := s.BlankBills(t.Context(), T0, 2); err != nil || n != 2 {
		t.Errorf("BlankBills = %d, %v; want 2", n, err)
	}
	if got := texts(t, db, `SELECT order_id FROM payments WHERE tax_id IS NOT NULL OR invoice_url IS NOT NULL OR invoice_pdf IS NOT NULL`); len(got) != 0 {
		t.Errorf("invoices have the buyers of %v", got)
	}
}

func testBlankAudit(t *testing.T, db *database.DB) {
	s := store.Leave{Account: store.NewAccount(db)}
	for _, id := range []string{"ada", "bob"} {
		mustCreateUser(t, s.Account, credentials(id))
	}
	record := func(id, actor, target string, action audit.Action, details audit.Details) {
		t.Helper()
		err := s.Record(t.Context(), audit.Entry{
			ID: id, At: T0, Actor: audit.Actor{Kind: audit.User, ID: actor}, Action: action,
			Target: audit.Target{Type: "user", ID: target}, Details: details,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	record("1", "ada", "ada", audit.UserChangeEmail, audit.Details{"email": "ü<\"&>@x", "from": "old@x", "n": 1.5, "list": []any{"a", "\u2028"}})
	record("2", "bob", "ada", audit.UserRole, audit.Details{"email": "ada@x", "from": "USER", "to": "ADMIN"})
	record("3", "ada", "bob", audit.UserRole, audit.Details{"email": "bob@x"})
	record("4", "bob", "ada", audit.UserErase, nil)
	mustExec(t, db, `INSERT INTO audit_log (id, at_ms, actor_kind, actor_id, actor_name, action, target_type, target_id, address,
		request_id, details_json, behalf_id, behalf_name) 
		VALUES ('5', 0, 'user', 'bob', 'E.bob@Example.com', 'x', 'user', 'ada', '', '', '{}', 'ada', 'E.ada@Example.com')`)

	tries := []string{
		`UPDATE audit_log SET actor_name = '' WHERE id = '3'`,
		`UPDATE audit_log SET behalf_name = '' WHERE id = '5'`,
		`UPDATE audit_log SET details_json = '{"email":"","from":"","list":["a","\u2028"],"n":1.5}' WHERE id = '1'`,
	}
	for _, statement := range tries { // while there is such a user
		mustNotExec(t, db, statement)
	}
	if err := s.InTx(t.Context(), func(tx leave.Store) error { return tx.Erase(t.Context(), credentials("ada"), T0) }); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`1|||{"email":"","from":"","list":["a","\u2028"],"n":1.5}`, `2|E.bob@Example.com||{"email":"","from":"USER","to":"ADMIN"}`,
		`3|||{"email":"bob@x"}`, `4|E.bob@Example.com||{}`, `5|E.bob@Example.com||{}`,
	}
	got := texts(t, db, `SELECT id || '|' || actor_name || '|' || behalf_name || '|' || details_json FROM audit_log ORDER BY id`)
	if !slices.Equal(got, want) {
		t.Errorf("the log is\n%q, want\n%q", got, want)
	}
	for _, statement := range []string{
		`UPDATE audit_log SET actor_name = 'eve' WHERE id = '1'`,
		`UPDATE audit_log SET actor_name = '' WHERE id = '2'`,
		`UPDATE audit_log SET behalf_name = 'eve' WHERE id = '5'`,
		`UPDATE audit_log SET details_json = '{}' WHERE id = '1'`,
		`UPDATE audit_log SET details_json = '{"email":"eve@x","from":"","list":["a","\u2028"],"n":1.5}' WHERE id = '1'`,
		`UPDATE audit_log SET details_json = '{"email":"","from":"","to":"ADMIN"}' WHERE id = '2'`,
		`UPDATE audit_log SET details_json = '{"email":""}' WHERE id = '3'`,
		`UPDATE audit_log SET actor_name = '', action = 'user.create' WHERE id = '1'`,
		`UPDATE audit_log SET actor_name = '', target_id = 'bob' WHERE id = '1'`,
		`UPDATE audit_log SET actor_name = '', at_ms = 0 WHERE id = '1'`,
		`UPDATE audit_log SET actor_name = '', address = '' || id WHERE id = '1'`,
		`UPDATE audit_log SET actor_name = '', behalf_id = 'bob' WHERE id = '1'`,
		`UPDATE audit_log SET id = '9' WHERE id = '1'`,
		`DELETE FROM audit_log WHERE id = '1'`,
	} {
		mustNotExec(t, db, statement)
	}
}

func mustExec(t *testing.T, db *database.DB, statement string) {
	t.Helper()
	if _, err := db.Conn().Write.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func mustNotExec(t *testing.T, db *database.DB, statement string) {
	t.Helper()
	if _, err := db.Conn().Write.ExecContext(t.Context(), statement); err == nil {
		t.Errorf("the database accepted %s", statement)
	}
}

func texts(t *testing.T, db *database.DB, query string) []string {
	t.Helper()
	list, err := database.Texts(t.Context(), db.Conn().Read, query)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

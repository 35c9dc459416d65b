package account_test

import (
	"context"
	"errors"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/apikey"
	"stoa/internal/account/impersonate"
	"stoa/internal/account/leave"
	"stoa/internal/account/staff"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
)

// Whoever made a change may have been killed before all processes knew of it. Asking for it again waits for them, too:
// the answer is the first one that the client gets.
func TestAChangeThatIsSoAlreadyWaitsForAllProcesses(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		db, c, waited := store.NewAccount(dbtest.Open(t, url)), clocktest.New(t0), 0
		s := service(t, url, c)
		s.Store = db
		ctx := reqctx.WithCaller(t.Context(), reqctx.Caller{Rights: permission.All()})
		id := mustRegister(t, s, "ada").User.ID
		sessions, err := s.Sessions(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		session := sessions[0].ID
		if err := db.SetPassword(ctx, id, ""); err != nil {
			t.Fatal(err)
		}
		roles := staff.Service{Store: store.NewStaff(db), Now: c.Now}
		if _, err := roles.Create(ctx, staff.NewRole{Name: "NOTHING", Permissions: []permission.Name{}}); err != nil {
			t.Fatal(err)
		}
		standIns := impersonate.Service{Store: store.NewImpersonations(db), Accounts: s, Now: c.Now}
		root := mustCreateAdmin(t, s, "root").ID
		bob := mustRegister(t, s, "bob").User.ID
		over := impersonate.Impersonation{
			ID: "over", Staff: impersonate.Person{ID: id}, User: impersonate.Person{ID: bob}, CreatedAt: t0, EndsAt: t0,
		}
		if err := standIns.Store.AddImpersonation(ctx, over); err != nil {
			t.Fatal(err)
		}
		if _, err := standIns.Store.NoteEnd(ctx, over.ID, t0); err != nil {
			t.Fatal(err)
		}
		keys, all := apikey.Keys{Store: db.Keys(), Now: c.Now}, permission.All()
		leaving := leave.Service{Store: store.Leave{Account: db}}
		const key = "r5QVfOnZSDVE"

		db.OnEnd(func(context.Context) { waited++ })
		for what, change := range map[string]func() error{
			"a role of a user": func() error {
				_, err := s.UpdateUser(ctx, id, account.UserChange{Role: reqctx.RoleUser})
				return err
			},
			"the state of a user": func() error { return s.SetActive(ctx, id, true) },
			"what a role allows": func() error {
				_, err := roles.Change(ctx, "NOTHING", staff.RoleChange{Permissions: []permission.Name{}})
				return err
			},
			"an impersonation":   func() error { _, err := standIns.End(ctx, over.ID); return err },
			"a password":         func() error { return s.RemovePassword(ctx, id, session) },
			"second factors":     func() error { return s.RemoveFactors(ctx, id, session) },
			"an app":             func() error { return s.RemoveTOTP(ctx, id, session) },
			"a passkey":          func() error { return s.RemovePasskey(ctx, id, session, "gone") },
			"an identity":        func() error { return s.RemoveIdentity(ctx, id, session, "gone") },
			"a key":              func() error { return keys.RevokeMine(ctx, id, key) },
			"a key of somebody":  func() error { return keys.Revoke(ctx, all, key) },
			"a key of a service": func() error { return keys.RevokeOf(ctx, all, "gone", key) },
			"a service account":  func() error { return keys.DeleteAccount(ctx, all, "gone") },
			"an account": func() error {
				return leaving.Erase(ctx, "gone", leave.Confirmation{Username: "gone"})
			},
			"a session of a user":      func() error { return s.EndSession(ctx, id, "gone") },
			"a session of another":     func() error { return s.EndSessionOf(ctx, id, "gone") },
			"other sessions of a user": func() error { _, err := s.EndOtherSessions(ctx, id, session); return err },
			"all sessions of a user":   func() error { _, err := s.EndSessionsOf(ctx, bob); return err },
		} {
			waited = 0
			if err := change(); waited != 1 || err != nil && errs.KindOf(err) != errs.NotFound {
				t.Errorf("%s: waited %d times, %v", what, waited, err)
			}
		}
		waited = 0
		if err := s.SetActive(ctx, root, false); !errors.Is(err, account.ErrLastAdministrator) || waited != 0 {
			t.Errorf("what is refused waited %d times, %v", waited, err)
		}
	})
}

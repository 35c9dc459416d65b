package account_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/base/permission"
	"stoa/internal/base/reqctx"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/trust/audit"
)

func mustCreateAdmin(tb testing.TB, s *account.Service, name string) account.User {
	tb.Helper()
	u, err := s.CreateAdmin(tb.Context(), name+"@example.com", name, secret)
	if err != nil {
		tb.Fatal(err)
	}
	return u
}

// withLog runs test on both engines, with a look at the audit log: oldest first,
// as "actor action target".
func withLog(t *testing.T, test func(t *testing.T, s *account.Service, log func() []string)) {
	t.Helper()
	dbtest.OnBoth(t, func(t *testing.T, url string) {
		s := service(t, url, clocktest.New(t0))
		db := dbtest.Open(t, url)
		test(t, s, func() []string {
			t.Helper()
			list, _, err := store.NewAudit(db).ListEntries(t.Context(), audit.Query{Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			lines := []string{}
			for _, e := range slices.Backward(list) {
				lines = append(lines, strings.TrimSpace(string(e.Actor.Kind)+" "+e.Actor.Name)+" "+string(e.Action)+" "+e.Target.ID)
			}
			return lines
		})
	})
}

// However administrators are taken away at the same time, one stays: by two
// replicas, each other, all at once, by role or by state.
func TestTheLastAdministratorStays(t *testing.T) {
	t.Parallel()

	no := false
	demote, shutOut := account.UserChange{Role: reqctx.RoleUser}, account.UserChange{Active: &no}
	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		var ids []string
		for _, name := range []string{"ann", "bob", "cyd", "dan"} {
			ids = append(ids, mustCreateAdmin(t, a, name).ID)
		}
		results := make(chan error, len(ids))
		for i, id := range ids {
			go func() {
				_, err := []*account.Service{a, b}[i%2].UpdateUser(t.Context(), id, []account.UserChange{demote, shutOut}[i/2])
				results <- err
			}()
		}
		refused := 0
		for range ids {
			switch err := <-results; {
			case errors.Is(err, account.ErrLastAdministrator):
				refused++
			case err != nil:
				t.Error(err)
			}
		}
		left, _, err := a.ListUsers(t.Context(), account.UserQuery{Role: reqctx.RoleAdmin, Active: new(true), Limit: 10})
		if err != nil || len(left) != 1 || refused != 1 {
			t.Fatalf("%d administrators are left, %d changes refused, %v; want 1 and 1", len(left), refused, err)
		}
		for _, ch := range []account.UserChange{demote, shutOut, {Role: reqctx.RoleUser, Active: &no}} {
			if _, err := b.UpdateUser(t.Context(), left[0].ID, ch); !errors.Is(err, account.ErrLastAdministrator) {
				t.Errorf("UpdateUser of the last = %v, want ErrLastAdministrator", err)
			}
		}
		// What leaves the administrator one is no harm.
		if _, err := b.UpdateUser(t.Context(), left[0].ID,
			account.UserChange{Role: reqctx.RoleAdmin, Active: new(true)}); err != nil {
			t.Error(err)
		}
	})
}

func TestUpdateUserTakesEffectAtOnce(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, a, b *account.Service, _ *clocktest.Clock) {
		ctx := t.Context()
		mustCreateAdmin(t, a, "root")
		ada := mustRegister(t, a, "ada")
		if _, err := a.UpdateUser(ctx, ada.User.ID, account.UserChange{Role: reqctx.RoleAdmin}); err != nil {
			t.Fatal(err)
		}
		if who, err := b.Authenticate(ctx, ada.Access); err != nil || !who.IsAdmin() {
			t.Errorf("after the promotion: %+v, %v", who, err)
		}
		if _, err := a.UpdateUser(ctx, ada.User.ID, account.UserChange{Role: reqctx.RoleUser}); err != nil {
			t.Fatal(err)
		}
		if who, err := b.Authenticate(ctx, ada.Access); err != nil || who.IsAdmin() {
			t.Errorf("after the demotion: %+v, %v", who, err)
		}
		u, err := a.UpdateUser(ctx, ada.User.ID, account.UserChange{Active: new(false)})
		if err != nil || u.Active {
			t.Fatalf("UpdateUser = %+v, %v", u, err)
		}
		if _, err := b.Authenticate(ctx, ada.Access); !errors.Is(err, account.ErrToken) {
			t.Errorf("shut out: Authenticate = %v, want ErrToken", err)
		}
		if _, err := b.UpdateUser(ctx, ada.User.ID, account.UserChange{Active: new(true)}); err != nil {
			t.Fatal(err)
		}
		// Let in again, but signed out: the sessions have ended for good.
		if _, err := a.Authenticate(ctx, ada.Access); !errors.Is(err, account.ErrToken) {
			t.Errorf("old session: Authenticate = %v, want ErrToken", err)
		}
		if _, err := a.Refresh(ctx, ada.Refresh); !errors.Is(err, account.ErrRefresh) {
			t.Errorf("old session: Refresh = %v, want ErrRefresh", err)
		}
	})
}

func TestUpdateUserRefuses(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, _ *clocktest.Clock) {
		ada := mustRegister(t, s, "ada").User
		for _, id := range []string{"nobody", "", "a\x00b", ada.ID + "\x00", "ada@example.com", strings.Repeat("a", 33)} {
			if _, err := s.UpdateUser(t.Context(), id, account.UserChange{Role: reqctx.RoleUser}); !errors.Is(err,
				account.ErrNoUser) {
				t.Errorf("UpdateUser(%q) = %v, want ErrNoUser", id, err)
			}
			if _, err := s.User(t.Context(), id); !errors.Is(err, account.ErrNoUser) {
				t.Errorf("User(%q) = %v, want ErrNoUser", id, err)
			}
		}
		if _, err := s.UpdateUser(t.Context(), ada.ID, account.UserChange{Role: "ROOT"}); errs.KindOf(err) != errs.Invalid {
			t.Errorf("UpdateUser with a role there is not = %v", err)
		}
		for _, q := range []account.UserQuery{
			{Search: "a\x00"},
			{Search: "\xff"},
			{Search: strings.Repeat("a", 255)},
			{Role: "admin"},
			{Role: "A\x00"},
		} {
			if _, _, err := s.ListUsers(t.Context(), q); errs.KindOf(err) != errs.Invalid {
				t.Errorf("ListUsers(%+v) = %v, want VALIDATION_ERROR", q, err)
			}
		}
	})
}

func TestPromoteAndReplacePassword(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, _ *account.Service, _ *clocktest.Clock) {
		ctx := t.Context()
		ada := mustRegister(t, s, "ada")
		for range 2 {
			if u, err := s.Promote(ctx, "ADA@example.com"); err != nil || u.Role != reqctx.RoleAdmin {
				t.Errorf("Promote = %+v, %v", u, err)
			}
		}
		if _, err := s.ReplacePassword(ctx, "ada@EXAMPLE.com", "a whole new one"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Authenticate(ctx, ada.Access); !errors.Is(err, account.ErrToken) {
			t.Errorf("Authenticate = %v, want ErrToken: all sessions end", err)
		}
		if _, err := s.Login(ctx, "ada@example.com", secret); !errors.Is(err, account.ErrLogin) {
			t.Errorf("Login with the old password = %v, want ErrLogin", err)
		}
		if _, err := s.Login(ctx, "ada@example.com", "a whole new one"); err != nil {
			t.Error(err)
		}
		for _, nobody := range []string{"bob@example.com", "bob", "b\x00b@example.com"} {
			if _, err := s.Promote(ctx, nobody); !errors.Is(err, account.ErrNoUser) {
				t.Errorf("Promote(%q) = %v, want ErrNoUser", nobody, err)
			}
			if _, err := s.ReplacePassword(ctx, nobody, secret); !errors.Is(err, account.ErrNoUser) {
				t.Errorf("ReplacePassword(%q) = %v, want ErrNoUser", nobody, err)
			}
		}
		if _, err := s.ReplacePassword(ctx, "ada@example.com", "short"); errs.KindOf(err) != errs.Invalid {
			t.Errorf("ReplacePassword with a short one = %v, want VALIDATION_ERROR", err)
		}
	})
}

func TestManagementIsRecorded(t *testing.T) {
	t.Parallel()

	withLog(t, func(t *testing.T, s *account.Service, log func() []string) {
		ctx := t.Context()
		first, err := s.SetUp(ctx, setup(mustOpenSetup(t, s), "first"))
		if err != nil {
			t.Fatal(err)
		}
		root := mustCreateAdmin(t, s, "root")
		ada := mustRegister(t, s, "ada").User // her own doing: not recorded
		asRoot := reqctx.WithCaller(ctx, reqctx.Caller{UserID: root.ID, Role: reqctx.RoleAdmin, Rights: permission.All()})
		asCLI := audit.As(ctx, audit.Actor{Kind: audit.CLI, ID: "jo"})
		for _, do := range []func() error{
			func() error {
				_, err := s.UpdateUser(asRoot, ada.ID, account.UserChange{Active: new(false), Role: reqctx.RoleAdmin})
				return err
			},
			func() error { // nothing changes
				_, err := s.UpdateUser(asRoot, ada.ID, account.UserChange{Active: new(false), Role: reqctx.RoleAdmin})
				return err
			},
			func() error { return s.SetActive(asRoot, ada.ID, true) },
			func() error { _, err := s.ReplacePassword(asCLI, ada.Email, "a whole new one"); return err },
		} {
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.UpdateUser(asRoot, "nobody", account.UserChange{Active: new(false)}); err == nil {
			t.Error("no error")
		}
		want := []string{
			"user first@example.com user.create " + first.User.ID,
			"system user.create " + root.ID,
			"user root@example.com user.role " + ada.ID,
			"user root@example.com user.deactivate " + ada.ID,
			"user root@example.com user.activate " + ada.ID,
			"cli user.reset_password " + ada.ID,
		}
		if diff := cmp.Diff(want, log()); diff != "" {
			t.Errorf("recorded (-want +got):\n%s", diff)
		}
	})
}

// mute is a database that can do everything but write the audit log.
type mute struct{ account.Store }

var errMute = errors.New("audit log is full")

func (m mute) InTx(ctx context.Context, fn func(account.Store) error) error {
	return m.Store.InTx(ctx, func(tx account.Store) error { return fn(mute{tx}) })
}

func (mute) Record(context.Context, audit.Entry) error { return errMute }

// What cannot be recorded is not done.
func TestNothingIsDoneUnrecorded(t *testing.T) {
	t.Parallel()

	onBothEngines(t, func(t *testing.T, s, other *account.Service, _ *clocktest.Clock) {
		ctx := t.Context()
		ada := mustRegister(t, s, "ada")
		token, err := s.OpenSetup(ctx)
		if err != nil {
			t.Fatal(err)
		}
		s.Store = mute{s.Store}
		for name, do := range map[string]func() error{
			"UpdateUser": func() error {
				_, err := s.UpdateUser(ctx, ada.User.ID, account.UserChange{Active: new(false)})
				return err
			},
			"Promote": func() error { _, err := s.Promote(ctx, "ada@example.com"); return err },
			"ReplacePassword": func() error {
				_,
					err := s.ReplacePassword(ctx, "ada@example.com", "a whole new one")
				return err
			},
			"CreateAdmin": func() error { _, err := s.CreateAdmin(ctx, "bob@example.com", "bob", secret); return err },
			"SetUp": func() error {
				_, err := s.SetUp(ctx, account.Setup{Token: token, Email: "bob@example.com", Username: "bob", Password: secret})
				return err
			},
		} {
			if err := do(); !errors.Is(err, errMute) {
				t.Errorf("%s = %v, want errMute", name, err)
			}
		}
		if who, err := other.Authenticate(ctx, ada.Access); err != nil || who.IsAdmin() {
			t.Errorf("Authenticate = %+v, %v; want ada as she was", who, err)
		}
		mustLogin(t, other, "ada")
		if list, total, err := other.ListUsers(ctx, account.UserQuery{Limit: 10}); err != nil || total != 1 {
			t.Errorf("users = %+v, %v; want ada only", list, err)
		}
		// The token was not used up either.
		if _, err := other.SetUp(ctx,
			account.Setup{Token: token, Email: "bob@example.com", Username: "bob", Password: secret}); err != nil {
			t.Error(err)
		}
	})
}

package takeover_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

const (
	deletion = "/auth/account/deletion"
	keep     = deletion + "/cancel"
)

// leaves returns a request of a user to delete the account.
func leaves(bearer, username string) testkit.Request {
	return testkit.Post(bearer, deletion, map[string]string{"username": username})
}

// left plans the deletion of an account, and returns when it is removed.
func (w *world) left(t *testing.T, bearer, username string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, w.post(t, bearer, deletion, map[string]string{"username": username}, http.StatusAccepted).Text(t, "data.at"))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// sweep removes the accounts that are due.
func (w *world) sweep(t *testing.T) int {
	t.Helper()
	n, err := w.Leaving.EraseDue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// T102: a session that was stolen a while ago, or whoever sits down at the desk.
func TestAStolenSessionDeletesNoAccount(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		testkit.WantError(t, w.Do(t, leaves("", "ada")), http.StatusUnauthorized, "UNAUTHORIZED")
		res := w.Do(t, leaves(owner.Access, "Ada"))
		testkit.WantError(t, res, http.StatusBadRequest, "VALIDATION_ERROR")
		if !strings.Contains(string(res.Body), `"path":"username"`) {
			t.Errorf("no issue: %s", res.Body)
		}
		w.Clock.Advance(account.RecentLife + minute)
		testkit.WantError(t, w.Do(t, leaves(owner.Access, "ada")), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		if w.mailed(t, victims, "keep-account") != "" {
			t.Error("a refused request mailed something")
		}
		w.signIn(t, victims, testkit.Password)
	})
}

// T102: it takes 14 days, and no flood of mails keeps the one about it away.
func TestADeletionIsToldAndWaits(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		for range 8 { // the mailbox has had enough
			w.Do(t, testkit.Post("", "/auth/forgot-password", map[string]string{"email": victims}))
			w.Do(t, change(owner.Access, attackers))
		}
		at := w.left(t, owner.Access, "ada")
		if want := w.Clock.Now().Add(14 * day); !at.Equal(want) {
			t.Errorf("it is removed at %v, want %v", at, want)
		}
		w.mustMail(t, victims, "keep-account")
		w.until(at.Add(-minute))
		if n := w.sweep(t); n != 0 {
			t.Errorf("%d removed before their time", n)
		}
		w.until(at)
		if n := w.sweep(t); n != 1 {
			t.Errorf("%d removed in time", n)
		}
		w.shutOut(t, owner, victims, testkit.Password)
		admin := w.Admin(t, "root")
		testkit.WantError(t, w.Do(t, testkit.Get(admin.Access, "/api/v1/admin/users/"+owner.UserID)), http.StatusNotFound, "USER_NOT_FOUND")
	})
}

// T99: what is refused is refused with the same bytes as anything wrong.
func TestNobodyEntersAnAccountThatIsLeaving(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "ada")
		w.post(t, "", "/auth/forgot-password", map[string]string{"email": victims}, http.StatusOK)
		reset := w.mustMail(t, victims, "reset-password")
		w.post(t, owner.Access, "/auth/email/change", map[string]string{"newEmail": attackers}, http.StatusAccepted)
		moving := w.mustMail(t, attackers, "change-email")
		w.left(t, owner.Access, "ada")

		w.shutOut(t, owner, victims, testkit.Password)
		right, wrong := w.Do(t, testkit.SignIn(victims, testkit.Password)), w.Do(t, testkit.SignIn(victims, "wrong one"))
		if string(right.Body) != string(wrong.Body) {
			t.Errorf("the right password is told: %s", right.Body)
		}
		res := w.Do(t, testkit.Post("", "/auth/reset-password", map[string]string{"token": reset, "newPassword": chosen}))
		testkit.WantError(t, res, http.StatusBadRequest, "INVALID_RESET_TOKEN")
		before := len(w.read(t))
		w.Clock.Advance(2 * minute)
		known := w.Do(t, testkit.Post("", "/auth/forgot-password", map[string]string{"email": victims}))
		unknown := w.Do(t, testkit.Post("", "/auth/forgot-password", map[string]string{"email": "nobody@example.org"}))
		if string(known.Body) != string(unknown.Body) || len(w.read(t)) != before {
			t.Errorf("a forgotten password: %s, and %d mails", known.Body, len(w.read(t))-before)
		}
		taken := w.Send(t, "/auth/register", map[string]string{"email": victims, "username": "eve", "password": chosen})
		testkit.WantError(t, taken, http.StatusBadRequest, "REGISTRATION_FAILED")

		// T4: what was begun before does not come back with the ways in.
		w.works(t, "", keep, w.mustMail(t, victims, "keep-account"))
		testkit.WantError(t, w.Do(t, testkit.Me(owner.Access)), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, w.Do(t, testkit.Refresh(owner.Refresh)), http.StatusUnauthorized, "REFRESH_FAILED")
		back := w.signIn(t, victims, testkit.Password)
		w.dead(t, back.Access, confirm, moving)
		res = w.Do(t, testkit.Post("", "/auth/reset-password", map[string]string{"token": reset, "newPassword": chosen}))
		testkit.WantError(t, res, http.StatusBadRequest, "INVALID_RESET_TOKEN")
	})
}

func TestNoSecondStepEntersAnAccountThatIsLeaving(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		p := w.withApp(t, owner.Access)
		challenge := w.passwordStep(t, victims, testkit.Password)
		w.left(t, owner.Access, "ada")
		w.refused(t, w.Do(t, step(challenge, "totp", w.later(p))), -1)
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, testkit.Password)), http.StatusUnauthorized, "LOGIN_FAILED")
		w.works(t, "", keep, w.mustMail(t, victims, "keep-account"))
		w.refused(t, w.Do(t, step(challenge, "totp", w.later(p))), -1)
		w.both(t, victims, testkit.Password, "totp", w.later(p)) // the factor is still asked for
	})
}

func TestNoPasskeyEntersAnAccountThatIsLeaving(t *testing.T) {
	t.Parallel()

	onKeys(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		key, _ := w.withKey(t, owner.Access)
		before := w.ask(t, "", keyOptions, nil)
		w.left(t, owner.Access, "ada")
		w.noKey(t, "begun before", key.Get(before))
		w.noKey(t, "begun after", key.Get(w.ask(t, "", keyOptions, nil)))
		w.works(t, "", keep, w.mustMail(t, victims, "keep-account"))
		w.byKey(t, key)
	})
}

func TestNoProviderEntersAnAccountThatIsLeaving(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		ada := &traveler{w: w}
		owner := ada.honest(t, o, "ada", victims, "ada")
		attempt := &traveler{w: w}
		attempt.visit(t, o, "op", "sign-in")
		w.left(t, owner.Access, "ada")
		testkit.WantError(t, attempt.post(t, completeFlow, nobody), http.StatusUnauthorized, "LOGIN_FAILED")
		testkit.WantError(t, ada.through(t, o, "op", "sign-in", nobody), http.StatusUnauthorized, "LOGIN_FAILED")
		// Nor does another account of the provider with the mailbox get it.
		o.Change(func() { o.Person = person("eve", victims) })
		eve := &traveler{w: w}
		if res := eve.through(t, o, "op", "sign-in", map[string]any{"username": "eve", "link": true}); res.Status == http.StatusOK {
			t.Errorf("%d %s", res.Status, res.Body)
		}
		w.works(t, "", keep, w.mustMail(t, victims, "keep-account"))
		o.Change(func() { o.Person = person("ada", victims) })
		again := testkit.TokensOf(t, (&traveler{w: w}).through(t, o, "op", "sign-in", nobody), http.StatusOK)
		if again.UserID != owner.UserID {
			t.Error("another account")
		}
	})
}

func TestNoMailedSignInEntersAnAccountThatIsLeaving(t *testing.T) {
	t.Parallel()

	onMail(t, func(t *testing.T, w *world) {
		owner := w.settled(t, victims, "ada")
		b := w.asks(t, victims)
		link, code := w.mailedIn(t, victims)
		w.left(t, owner.Access, "ada")
		w.noLogin(t, w.opens(t, b, link))
		w.noLogin(t, w.types(t, b.flow, code))
		before := len(w.read(t))
		w.Clock.Advance(time.Hour)
		w.asks(t, victims)
		if got := len(w.read(t)); got != before {
			t.Errorf("%d mails to sign in with", got-before)
		}
	})
}

// The link of the mail keeps the account, once and in time.
func TestTheLinkOfTheMailKeepsTheAccount(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		at := w.left(t, owner.Access, "ada")
		link := w.mustMail(t, victims, "keep-account")
		for _, path := range []string{revert, disown, notMe, keepFactor} {
			w.dead(t, "", path, link) // it does nothing that other links do
		}
		for _, address := range []string{"/keep-account", "/keep-account?token=" + link} { // T31
			if res := w.Fetch(t, address); res.Status != http.StatusOK {
				t.Errorf("GET %s = %d", address, res.Status)
			}
		}
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, testkit.Password)), http.StatusUnauthorized, "LOGIN_FAILED")
		w.works(t, "", keep, link)
		w.dead(t, "", keep, link)
		w.until(at)
		if n := w.sweep(t); n != 0 {
			t.Errorf("%d removed that stay", n)
		}

		second := w.left(t, w.signIn(t, victims, testkit.Password).Access, "ada")
		w.dead(t, "", keep, link)
		link = w.mustMail(t, victims, "keep-account")
		w.until(second) // due, and not carried out yet
		w.dead(t, "", keep, link)
		if n := w.sweep(t); n != 1 {
			t.Errorf("%d removed", n)
		}
		w.dead(t, "", keep, link)

		admin := w.Admin(t, "root")
		want := "[user.plan_deletion user user.cancel_deletion system user.plan_deletion user]"
		if got := w.logged(t, admin.Access, owner.UserID, "deletion"); fmt.Sprint(got) != want {
			t.Errorf("recorded is %q", got)
		}
	})
}

// T22: a thief moves the account to another mailbox, and deletes it there.
func TestTheFormerMailboxUndoesADeletion(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		thief := w.settled(t, victims, "ada")
		back := w.moved(t, thief.Access, victims, attackers)
		at := w.left(t, thief.Access, "ada")
		theirs := w.mustMail(t, attackers, "keep-account")
		if w.mailed(t, victims, "keep-account") != "" {
			t.Error("the former mailbox got a link of its own")
		}
		told := false
		for _, m := range w.mails {
			told = told || m.To == victims && strings.Contains(m.Subject, "will be deleted")
		}
		if !told {
			t.Error("the former mailbox is not told")
		}
		w.dead(t, "", keep, back)
		w.works(t, "", revert, back)
		w.dead(t, "", keep, theirs)
		w.post(t, "", "/auth/reset-password", map[string]string{
			"token": w.mustMail(t, victims, "reset-password"), "newPassword": chosen,
		}, http.StatusOK)
		w.until(at)
		if n := w.sweep(t); n != 0 {
			t.Fatalf("%d removed", n)
		}
		// The owner leaves later, and the thief's mail does not keep it.
		w.left(t, w.signIn(t, victims, chosen).Access, "ada")
		w.dead(t, "", keep, theirs)
		testkit.WantError(t, w.Do(t, testkit.SignIn(victims, chosen)), http.StatusUnauthorized, "LOGIN_FAILED")
	})
}

// With no days to wait, the account goes with the answer.
func TestWithoutDaysAnAccountGoesAtOnce(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) { cfg.AccountDeletionDays, cfg.RetainBilling = 0, 0 }, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		owner := w.proven(t, victims, "ada")
		id := w.Order(t, owner.Access, "once", victims).Text(t, "orderId")
		before := len(w.read(t))
		if at := w.left(t, owner.Access, "ada"); !at.Equal(w.Clock.Now()) {
			t.Errorf("it is removed at %v", at)
		}
		w.shutOut(t, owner, victims, testkit.Password)
		for _, m := range w.read(t)[before:] {
			if strings.Contains(m.Subject, "deleted") {
				t.Errorf("mailed: %s", m.Subject)
			}
		}
		if o := w.StoredOrder(t, id); o.UserID != "deleted" || o.Billing != nil {
			t.Errorf("order of %s, bill %+v", o.UserID, o.Billing)
		}
		if again := w.register(t, victims, "ada"); again.UserID == owner.UserID {
			t.Error("the same id")
		}
	})
}

// T30: bills are kept as long as the law wants them, and not longer.
func TestBillsOfThoseWhoLeftAreBlankedInTheirTime(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) { cfg.RetainBilling = 100 * day }, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		owner := w.proven(t, victims, "ada")
		id := w.Order(t, owner.Access, "once", victims).Text(t, "orderId")
		stays := w.Order(t, "", "once", "guest@example.com").Text(t, "orderId")
		blank := func(want int) {
			t.Helper()
			if n, err := w.Leaving.BlankBills(t.Context()); err != nil || n != want {
				t.Errorf("%d blanked, %v; want %d", n, err, want)
			}
		}
		bought := w.Clock.Now()
		w.until(w.left(t, owner.Access, "ada"))
		w.sweep(t)
		if o := w.StoredOrder(t, id); o.Billing == nil || o.Billing.Email != victims {
			t.Errorf("the bill is gone: %+v", o.Billing)
		}
		w.until(bought.Add(100*day - minute))
		blank(0)
		w.until(bought.Add(100 * day))
		blank(1)
		if o := w.StoredOrder(t, id); o.Billing != nil {
			t.Errorf("the bill stays: %+v", o.Billing)
		}
		if o := w.StoredOrder(t, stays); o.Billing == nil {
			t.Error("a guest's bill is blank")
		}
	})
}

// The log says what was done, and no longer who it was.
func TestTheAuditLogForgetsTheAddressesOfThoseWhoLeft(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		admin := w.Admin(t, "root")
		owner := w.settled(t, victims, "ada")
		w.moved(t, owner.Access, victims, "ada@example.org")
		if err := w.Accounts.SetActive(t.Context(), owner.UserID, true); err != nil {
			t.Fatal(err)
		}
		log := func() string {
			return string(w.Do(t, testkit.Get(admin.Access, "/api/v1/admin/audit?limit=100")).Body)
		}
		if !strings.Contains(log(), victims) || !strings.Contains(log(), "ada@example.org") {
			t.Fatalf("nothing to forget: %s", log())
		}
		entries := strings.Count(log(), `"action"`)
		w.until(w.left(t, owner.Access, "ada"))
		w.sweep(t)
		admin = w.Login(t, "root")
		for _, address := range []string{victims, "ada@example.org"} {
			if strings.Contains(log(), address) {
				t.Errorf("it knows %s: %s", address, log())
			}
		}
		if got := strings.Count(log(), `"action"`); got != entries+2 || !strings.Contains(log(), "root@example.com") {
			t.Errorf("%d entries, want %d: %s", got, entries+2, log())
		}
	})
}

// erased returns a request of an administrator to remove a user at once.
func erased(bearer, userID, username string) testkit.Request {
	return testkit.Post(bearer, help(userID, "erase"), map[string]string{"username": username})
}

func TestOnlyAdministratorsWhoAreThereEraseAccounts(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		admin := w.Admin(t, "root")
		owner := w.proven(t, victims, "ada")
		eve := w.register(t, attackers, "eve")
		testkit.WantError(t, w.Do(t, erased("", owner.UserID, "ada")), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, w.Do(t, erased(eve.Access, owner.UserID, "ada")), http.StatusForbidden, "FORBIDDEN")
		testkit.WantError(t, w.Do(t, erased(admin.Access, owner.UserID, "eve")), http.StatusBadRequest, "VALIDATION_ERROR")
		testkit.WantError(t, w.Do(t, erased(admin.Access, "tz4a98xxat96iws9zmbrgj3a", "ada")), http.StatusNotFound, "USER_NOT_FOUND")
		w.Clock.Advance(account.RecentLife + minute)
		testkit.WantError(t, w.Do(t, erased(admin.Access, owner.UserID, "ada")), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		admin = w.Login(t, "root")
		if res := w.Do(t, erased(admin.Access, owner.UserID, "ada")); res.Status != http.StatusOK {
			t.Fatalf("%d %s", res.Status, res.Body)
		}
		w.shutOut(t, owner, victims, testkit.Password)
		testkit.WantError(t, w.Do(t, erased(admin.Access, owner.UserID, "ada")), http.StatusNotFound, "USER_NOT_FOUND")
		if got := w.logged(t, admin.Access, owner.UserID, "erase"); fmt.Sprint(got) != "[user.erase user]" {
			t.Errorf("recorded is %q", got)
		}
		testkit.WantError(t, w.Do(t, erased(admin.Access, admin.UserID, "root")), http.StatusConflict, "LAST_ADMINISTRATOR")
		testkit.WantError(t, w.Do(t, leaves(admin.Access, "root")), http.StatusConflict, "LAST_ADMINISTRATOR")
	})
}

// Administrators who leave are none: the last who stays cannot go, however they are asked.
func TestTheLastAdministratorWhoStaysCannotLeave(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		all := []string{"one", "two", "three"}
		bearers := make([]string, len(all))
		for i, name := range all {
			bearers[i] = w.Admin(t, name).Access
		}
		var done, last atomic.Int32
		var wait sync.WaitGroup
		for i, name := range all {
			wait.Go(func() {
				switch res := w.Do(t, leaves(bearers[i], name)); {
				case res.Status == http.StatusAccepted:
					done.Add(1)
				case res.Status == http.StatusConflict && strings.Contains(string(res.Body), "LAST_ADMINISTRATOR"):
					last.Add(1)
				default:
					t.Errorf("%d %s", res.Status, res.Body)
				}
			})
		}
		wait.Wait()
		if done.Load() != 2 || last.Load() != 1 {
			t.Errorf("%d left, %d were the last", done.Load(), last.Load())
		}
	})
}

// Somebody blocked an account that is leaving: the answer is not that it is done.
func TestTheStateOfAnAccountThatIsLeavingStays(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		admin := w.Admin(t, "root")
		owner := w.proven(t, victims, "ada")
		at := w.left(t, owner.Access, "ada")
		path := "/api/v1/admin/users/" + owner.UserID
		user := w.Do(t, testkit.Get(admin.Access, path))
		if user.Get(t, "data.active") != false || user.Text(t, "data.deletionAt") != at.Format("2006-01-02T15:04:05.000Z") {
			t.Errorf("shown: %s", user.Body)
		}
		for _, active := range []bool{true, false} {
			res := w.Do(t, testkit.Request{Method: http.MethodPatch, Path: path, Token: admin.Access, Body: map[string]bool{"active": active}})
			testkit.WantError(t, res, http.StatusConflict, "CONFLICT")
		}
		// Nor is it an administrator before it comes back.
		res := w.Do(t, testkit.Request{Method: http.MethodPatch, Path: path, Token: admin.Access, Body: map[string]string{"role": "ADMIN"}})
		if res.Status != http.StatusOK {
			t.Errorf("%d %s", res.Status, res.Body)
		}
		testkit.WantError(t, w.Do(t, leaves(admin.Access, "root")), http.StatusConflict, "LAST_ADMINISTRATOR")
	})
}

// Of many who follow the link at once, and of the sweep at the same moment, one wins.
func TestOfManyWhoKeepAnAccountOneDoes(t *testing.T) {
	t.Parallel()

	raced(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		w.left(t, owner.Access, "ada")
		link := w.mustMail(t, victims, "keep-account")
		var won atomic.Int32
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				switch res := w.link(t, "", keep, link); res.Status {
				case http.StatusOK:
					won.Add(1)
				case http.StatusBadRequest:
				default:
					t.Errorf("%d %s", res.Status, res.Body)
				}
			})
		}
		wait.Wait()
		if won.Load() != 1 {
			t.Errorf("%d won", won.Load())
		}
		w.signIn(t, victims, testkit.Password)
	})
}

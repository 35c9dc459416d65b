package takeover_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/account/takeout"
	"stoa/internal/app"
	"stoa/internal/data/database"
	"stoa/internal/testkit"
)

const export = "/auth/account/export"

func archiveOf(id string) string { return export + "/" + id + "/archive" }

// made makes the one that was asked for.
func (w *world) made(t *testing.T) {
	t.Helper()
	if n, err := w.Takeout.MakeDue(t.Context()); err != nil || n != 1 {
		t.Fatalf("%d made, %v; want 1", n, err)
	}
}

// unzipped returns the files of an archive.
func unzipped(t *testing.T, res testkit.Response) map[string]string {
	t.Helper()
	if res.Status != http.StatusOK || res.Header.Get("Content-Type") != "application/zip" {
		t.Fatalf("%d %s", res.Status, res.Body)
	}
	z, err := zip.NewReader(bytes.NewReader(res.Body), int64(len(res.Body)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
	}
	return files
}

// T102: a stolen session neither asks for a copy nor downloads one, and its owner hears of it.
func TestAStolenSessionExportsNothing(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		eve := w.register(t, attackers, "eve")
		testkit.WantError(t, w.Do(t, testkit.Post("", export, nil)), http.StatusUnauthorized, "UNAUTHORIZED")
		w.Clock.Advance(account.RecentLife + minute)
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, export, nil)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		if res := w.Do(t, testkit.Get(owner.Access, export)); res.Get(t, "data") != nil {
			t.Errorf("before the first: %s", res.Body)
		}
		owner, eve = w.signIn(t, victims, testkit.Password), w.signIn(t, attackers, testkit.Password)
		id := w.post(t, owner.Access, export, nil, http.StatusAccepted).Text(t, "data.id")
		testkit.WantError(t, w.Do(t, testkit.Get(owner.Access, archiveOf(id))), http.StatusNotFound, "NOT_FOUND") // not yet
		w.made(t)
		told := false
		for _, m := range w.read(t) {
			told = told || m.To == victims && strings.Contains(m.Subject, "copy of your data")
		}
		if !told {
			t.Error("the owner is not told")
		}
		admin := w.Admin(t, "root")
		for name, get := range map[string]testkit.Request{
			"somebody else's":           testkit.Get(eve.Access, archiveOf(id)),
			"a user's, administrators'": testkit.Get(admin.Access, help(owner.UserID, "export/"+id+"/archive")),
		} {
			if res := w.Do(t, get); res.Status != http.StatusNotFound {
				t.Errorf("%s: %d", name, res.Status)
			}
		}
		unzipped(t, w.Do(t, testkit.Get(owner.Access, archiveOf(id))))
		w.Clock.Advance(account.RecentLife + minute)
		testkit.WantError(t, w.Do(t, testkit.Get(owner.Access, archiveOf(id))), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")

		owner = w.signIn(t, victims, testkit.Password)
		w.Clock.Advance(takeout.Life - 12*minute)
		owner = w.signIn(t, victims, testkit.Password)
		w.Clock.Advance(2 * minute)
		testkit.WantError(t, w.Do(t, testkit.Get(owner.Access, archiveOf(id))), http.StatusNotFound, "NOT_FOUND")
		if res := w.Do(t, testkit.Get(owner.Access, export)); res.Get(t, "data") != nil {
			t.Errorf("after a week: %s", res.Body)
		}
	})
}

func TestACopyHasWhatThereIsAboutItsUserAndNobodyElse(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		w.ImportCatalog(t)
		admin := w.Admin(t, "root")
		owner := w.proven(t, victims, "ada")
		bought := w.Order(t, owner.Access, "once", victims)
		key := bought.Text(t, "licenseKey")
		w.UseLicense(t, key)
		w.Review(t, owner.Access, `{"rating":5,"title":"Good"}`, http.StatusCreated)
		others := w.BuyKey(t, w.register(t, attackers, "eve").Access, "once")
		w.post(t, admin.Access, help(owner.UserID, "password-reset"), nil, http.StatusAccepted)
		seen, _ := w.seeing(t, admin.Access, owner.UserID, false)
		if res := w.Do(t, testkit.Post(seen, "/auth/logout", nil)); res.Status != http.StatusOK && res.Status != http.StatusNoContent {
			t.Fatalf("the end: %d %s", res.Status, res.Body)
		}
		owner = w.signIn(t, victims, testkit.Password)

		id := w.post(t, owner.Access, export, nil, http.StatusAccepted).Text(t, "data.id")
		w.made(t)
		files := unzipped(t, w.Do(t, testkit.Get(owner.Access, archiveOf(id))))
		for name, part := range map[string]string{
			"account.json": victims, "sessions.json": `"level"`, "activity.json": "signed_in", "orders.json": bought.Text(t, "orderId"),
			"licenses.json": key, "activations.json": `"instanceId"`, "reviews.json": "Good", "audit.json": "user.mail_reset", "plugins.json": "[",
		} {
			if !strings.Contains(files[name], part) {
				t.Errorf("%s lacks %s: %s", name, part, files[name])
			}
			delete(files, name)
			if strings.Contains(files[name], others) {
				t.Errorf("%s has the key of somebody else", name)
			}
		}
		if len(files) != 0 {
			t.Errorf("more files: %v", files)
		}
		files = unzipped(t, w.Do(t, testkit.Get(owner.Access, archiveOf(id))))
		if text := files["audit.json"]; !strings.Contains(text, "impersonation.end") || strings.Contains(text, `"reason"`) || strings.Contains(text, admin.UserID) {
			t.Errorf("of who acted as the user: %s", text)
		}
		for name, text := range files {
			for _, secret := range []string{attackers, "root@example.com", admin.UserID, others, "argon2", owner.Access} {
				if strings.Contains(text, secret) {
					t.Errorf("%s has %s", name, secret)
				}
			}
		}
		// At rest there is no key to read.
		list, err := database.Texts(t.Context(), w.DB.Conn().Read, `SELECT file FROM account_exports`)
		if err != nil || len(list) != 1 {
			t.Fatalf("%v, %v", list, err)
		}
		file, err := w.Takeout.Files.Get(t.Context(), list[0])
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if text, err := io.ReadAll(file); err != nil || bytes.HasPrefix(text, []byte("PK")) || strings.Contains(string(text), victims) {
			t.Errorf("the archive is readable at rest: %v", err)
		}
	})
}

// A linked account is listed with the name of its provider, or with its issuer where the provider was removed.
func TestACopyNamesTheProvidersOfLinkedAccounts(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		o := w.provider(t, "op", nil)
		owner := (&traveler{w: w}).honest(t, o, "ada", victims, "ada")
		for _, want := range []string{"Example", o.URL} {
			path := help(owner.UserID, "export")
			id := w.post(t, w.admin.Access, path, nil, http.StatusAccepted).Text(t, "data.id")
			w.made(t)
			files := unzipped(t, w.Do(t, testkit.Get(w.admin.Access, path+"/"+id+"/archive")))
			var of struct{ Identities []struct{ Name string } }
			if err := json.Unmarshal([]byte(files["account.json"]), &of); err != nil {
				t.Fatal(err)
			}
			if len(of.Identities) != 1 || of.Identities[0].Name != want {
				t.Errorf("the accounts elsewhere are %+v, want one of %s", of.Identities, want)
			}
			w.Do(t, testkit.Delete(w.admin.Access, "/api/v1/admin/identity-providers/op"))
		}
	})
}

// A copy a day; asking while one is made does not count.
func TestCopiesAreBounded(t *testing.T) {
	t.Parallel()

	configured(t, func(cfg *app.Config) { cfg.RateLimits = true }, func(t *testing.T, w *world) {
		owner := w.proven(t, victims, "ada")
		w.post(t, owner.Access, export, nil, http.StatusAccepted)
		for range 3 {
			testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, export, nil)), http.StatusConflict, "CONFLICT")
		}
		w.made(t)
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, export, nil)), http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED")
		w.Clock.Advance(day)
		w.post(t, w.signIn(t, victims, testkit.Password).Access, export, nil, http.StatusAccepted)
	})
}

func TestOnlyAdministratorsWhoAreThereExportAccounts(t *testing.T) {
	t.Parallel()

	attack(t, func(t *testing.T, w *world) {
		admin := w.Admin(t, "root")
		owner := w.proven(t, victims, "ada")
		path := help(owner.UserID, "export")
		testkit.WantError(t, w.Do(t, testkit.Post("", path, nil)), http.StatusUnauthorized, "UNAUTHORIZED")
		testkit.WantError(t, w.Do(t, testkit.Post(owner.Access, path, nil)), http.StatusForbidden, "FORBIDDEN")
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, help("tz4a98xxat96iws9zmbrgj3a", "export"), nil)), http.StatusNotFound, "USER_NOT_FOUND")
		id := w.post(t, admin.Access, path, nil, http.StatusAccepted).Text(t, "data.id")
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, path, nil)), http.StatusConflict, "CONFLICT")
		w.made(t)
		archive := path + "/" + id + "/archive"
		unzipped(t, w.Do(t, testkit.Get(admin.Access, archive)))
		// The user's own is another one.
		if res := w.Do(t, testkit.Get(owner.Access, export)); res.Get(t, "data") != nil {
			t.Errorf("the user sees %s", res.Body)
		}
		testkit.WantError(t, w.Do(t, testkit.Get(owner.Access, archiveOf(id))), http.StatusNotFound, "NOT_FOUND")
		testkit.WantError(t, w.Do(t, testkit.Get(owner.Access, archive)), http.StatusForbidden, "FORBIDDEN")
		w.Clock.Advance(account.RecentLife + minute)
		testkit.WantError(t, w.Do(t, testkit.Get(admin.Access, archive)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		testkit.WantError(t, w.Do(t, testkit.Post(admin.Access, path, nil)), http.StatusForbidden, "REAUTHENTICATION_REQUIRED")
		if got := w.logged(t, admin.Access, owner.UserID, "export"); !slices.Equal(got, []string{"user.export user"}) {
			t.Errorf("recorded is %q", got)
		}
	})
}

package rewrap_test

import (
	"net/http"
	"testing"

	"stoa/internal/account/takeout"
	"stoa/internal/app"
	"stoa/internal/base/errs"
	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/trust/seal"
)

// Archives of accounts are files, which a rewrap does not seal again: those that are ready, and those that a process
// that sealed with the old key is about to store, are made anew.
func TestCopiesOfAccountsAreMadeAnewWithTheNewKey(t *testing.T) {
	t.Parallel()

	const path = "/auth/account/export"
	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		s := emptyShop(t, options...)
		a := s.replicas[0]
		asks := func(name string) string {
			res := a.Do(t, testkit.Post(a.Register(t, name).Access, path, nil))
			if res.Status != http.StatusAccepted {
				t.Fatalf("%d %s", res.Status, res.Body)
			}
			return res.Text(t, "data.id")
		}
		makes := func(a *testkit.App, want int) {
			t.Helper()
			if n, err := a.Takeout.MakeDue(t.Context()); err != nil || n != want {
				t.Errorf("%d made, %v; want %d", n, err, want)
			}
		}
		ready := asks("ada")
		makes(a, 1)
		files, err := database.Texts(t.Context(), a.DB.Conn().Read, `SELECT file FROM account_exports`)
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		begun := asks("ben")
		exports := store.Takeout{Account: store.NewAccount(a.DB)}
		attempt, ok, err := exports.RunningExport(t.Context())
		if err != nil || !ok || attempt.ID != begun {
			t.Fatalf("%+v, %v, %v", attempt, ok, err)
		}

		next := newKey(t)
		s.next.Store(next)
		if _, err := s.run(t.Context(), next); err != nil {
			t.Fatal(err)
		}
		attempt.State, attempt.File, attempt.FinishedAt = takeout.Ready, files[0], a.Clock.Now()
		if err := exports.FinishExport(t.Context(), attempt); errs.KindOf(err) != errs.NotFound {
			t.Errorf("what was sealed with the old key is ready: %v", err)
		}
		alone := testkit.New(t, append(options, func(_ testing.TB, cfg *app.Config) {
			cfg.DatabaseURL, cfg.MasterKey = s.url, seal.NewKeys(next)
		})...)
		makes(alone, 2)
		for name, id := range map[string]string{"ada": ready, "ben": begun} {
			token := alone.Login(t, name).Access
			if res := alone.Do(t, testkit.Get(token, path)); res.Get(t, "data.state") != "ready" {
				t.Errorf("%s: %s", name, res.Body)
			}
			res := alone.Do(t, testkit.Get(token, path+"/"+id+"/archive"))
			if res.Status != http.StatusOK || res.Header.Get("Content-Type") != "application/zip" {
				t.Errorf("%s: %d %s", name, res.Status, res.Body)
			}
		}
	})
}

// An archive that no known key opens is none.
func TestAnArchiveThatCannotBeOpenedIsNone(t *testing.T) {
	t.Parallel()

	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		a := testkit.New(t, options...)
		token := a.Register(t, "ada").Access
		id := a.Do(t, testkit.Post(token, "/auth/account/export", nil)).Text(t, "data.id")
		if _, err := a.Takeout.MakeDue(t.Context()); err != nil {
			t.Fatal(err)
		}
		a.Takeout.Box = newKey(t).Box(takeout.SealPurpose) // of a process with another key
		res := a.Do(t, testkit.Get(token, "/auth/account/export/"+id+"/archive"))
		testkit.WantError(t, res, http.StatusNotFound, "NOT_FOUND")
	})
}

package admin_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"stoa/internal/testkit"
)

func TestProductIfMatch(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "ada").Access
		first := manage(t, a, admin, http.MethodPost, managed, draft("cards", nil),
			http.StatusCreated).Header.Get("ETag")
		path := managed + "/cards"
		second := manage(t, a, admin, http.MethodPatch, path, map[string]any{"name": "B"}, http.StatusOK,
			first).Header.Get("ETag")
		for _, stale := range []string{first, "W/" + second, `"x"`} {
			testkit.WantError(t,
				manage(t, a, admin, http.MethodPatch, path, map[string]any{"name": "C"}, http.StatusPreconditionFailed,
					stale), http.StatusPreconditionFailed, "PRECONDITION_FAILED")
			manage(t, a, admin, http.MethodDelete, path, nil, http.StatusPreconditionFailed, stale)
		}
		manage(t, a, admin, http.MethodPatch, path, map[string]any{"name": "B"}, http.StatusOK, `"x", `+second)
		manage(t, a, admin, http.MethodDelete, path, nil, http.StatusOK, second)
		manage(t, a, admin, http.MethodGet, path, nil, http.StatusNotFound)

		// Another product with the same slug has another ETag, even after as
		// many changes.
		manage(t, a, admin, http.MethodPost, managed, draft("cards", nil), http.StatusCreated)
		manage(t, a, admin, http.MethodPatch, path, map[string]any{"name": "B"}, http.StatusOK)
		manage(t, a, admin, http.MethodDelete, path, nil, http.StatusPreconditionFailed, second)
	})
}

func TestTwoAdministratorsDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		admin := a.Admin(t, "ada").Access
		tag := manage(t, a, admin, http.MethodPost, managed, draft("cards", nil), http.StatusCreated).Header.Get("ETag")
		var (
			wg  sync.WaitGroup
			won atomic.Int32
		)
		for i := range 8 {
			wg.Go(func() {
				res := a.Do(t, testkit.Request{
					Method: http.MethodPatch, Path: managed + "/cards", Token: admin,
					Body: map[string]any{"name": fmt.Sprint("Name ", i)}, Header: http.Header{"If-Match": {tag}},
				})
				switch res.Status {
				case http.StatusOK:
					won.Add(1)
				case http.StatusPreconditionFailed:
				default:
					t.Errorf("PATCH = %d %s", res.Status, res.Body)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d changes of one state were made, want 1", won.Load())
		}
		// Without If-Match, all changes of different fields are kept.
		for i := range 8 {
			wg.Go(func() {
				manage(t, a, admin, http.MethodPatch, managed+"/cards",
					map[string]any{
						[]string{"name", "category", "description", "position"}[i%4]: []any{"N", "C", "D", 4}[i%4],
					}, http.StatusOK)
			})
		}
		wg.Wait()
		res := manage(t, a, admin, http.MethodGet, managed+"/cards", nil, http.StatusOK)
		got := fmt.Sprint(res.Get(t, "data.name"), res.Get(t, "data.category"), res.Get(t, "data.description"),
			res.Get(t, "data.position"))
		if got != "NCD4" {
			t.Errorf("after changes at once: %s", got)
		}
	})
}

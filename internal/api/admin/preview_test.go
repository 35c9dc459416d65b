package admin_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit"
)

// A draft is shown to administrators exactly as buyers see it once it is published.
func TestADraftIsPreviewedAsBuyersSeeIt(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	root := a.Admin(t, "root").Access
	manage(t, a, root, http.MethodPost, managed, draft("planned", nil), http.StatusCreated)
	preview := manage(t, a, root, http.MethodGet, managed+"/planned/preview", nil, http.StatusOK)
	manage(t, a, root, http.MethodPatch, managed+"/planned", `{"published":true}`, http.StatusOK)
	public := a.Fetch(t, testkit.Products+"/planned")
	if diff := cmp.Diff(preview.Get(t, "data"), any(public.JSON(t))); diff != "" {
		t.Errorf("the preview is not what buyers see (-preview +public):\n%s", diff)
	}
	manage(t, a, root, http.MethodGet, managed+"/unknown/preview", nil, http.StatusNotFound)
	manage(t, a, a.Register(t, "ada").Access, http.MethodGet, managed+"/planned/preview", nil, http.StatusForbidden)
}

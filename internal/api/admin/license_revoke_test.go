package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

func TestAdministratorsRevokeLicenses(t *testing.T) {
	t.Parallel()
	a := testkit.NewShop(t)
	root, ada := a.Admin(t, "root"), a.Register(t, "ada")
	key := a.BuyKey(t, ada.Access, "once")
	id := a.UseLicense(t, key)
	revoke := func(who testkit.Tokens, id, match string) testkit.Response {
		h := http.Header{}
		if match != "" {
			h.Set("If-Match", match)
		}
		return a.Do(t, testkit.Request{
			Method: http.MethodPost, Path: "/api/v1/admin/licenses/" + id + "/revoke", Token: who.Access, Header: h,
		})
	}
	for who, want := range map[testkit.Tokens]int{{}: 401, ada: 403} {
		if res := revoke(who, id, ""); res.Status != want {
			t.Errorf("revoke = %d, want %d", res.Status, want)
		}
	}
	if res := revoke(root, "nobody", ""); res.Status != http.StatusNotFound {
		t.Errorf("revoke = %d %s", res.Status, res.Body)
	}
	if res := revoke(root, id, `"7"`); res.Status != http.StatusPreconditionFailed ||
		res.Text(t, "error.code") != "PRECONDITION_FAILED" {
		t.Errorf("stale revoke = %d %s", res.Status, res.Body)
	}
	if a.Verify(t, "mail-pack", key, "first.example").Get(t, "valid") != true {
		t.Error("refused revocations took effect")
	}
	res := revoke(root, id, `"1"`)
	if res.Status != http.StatusOK || res.Text(t, "data.status") != "revoked" || res.Header.Get("ETag") != `"2"` ||
		strings.Contains(string(res.Body), key) {
		t.Errorf("revoke = %d %s", res.Status, res.Body)
	}
	testkit.WantRefused(t, a.Verify(t, "mail-pack", key, "first.example"), "revoked")
	testkit.WantFlatError(t, a.Activate(t, key, "first.example"), 400, "ACTIVATION_FAILED")
}

package tests

import (
	"net/http"
	"testing"

	"stoa/internal/testkit"
)

// Orders leave on working days before the cutoff, and a day that is closed at short notice moves them.
func TestDeliveryDates(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	id := install(t, a, admin, "delivery-dates", nil)
	const path = "/api/v1/admin/plugins/delivery-dates"
	if res := a.Do(t, testkit.Patch(admin, path+"/instances/"+id, map[string]any{
		"config": map[string]any{"holidays": "2030-12-25, 2030-12-26"},
	})); res.Status != http.StatusOK {
		t.Fatalf("config: %d %s", res.Status, res.Body)
	}
	want := func(at, ships, arrives string) {
		t.Helper()
		res := a.DoUnchecked(t, testkit.Get("", "/api/v1/shop/plugins/delivery-dates/api/delivery?at="+at))
		if res.Status != http.StatusOK || res.Text(t, "ships") != ships || res.Text(t, "arrives") != arrives {
			t.Errorf("%s: %d %s, want %s and %s", at, res.Status, res.Body, ships, arrives)
		}
	}
	want("2030-12-20T13:59:59Z", "2030-12-20", "2030-12-24")
	want("2030-12-20T14:00:00Z", "2030-12-23", "2030-12-27")
	want("2030-12-24T14:00:00Z", "2030-12-27", "2030-12-31")
	closing := func(day string) int {
		return a.DoUnchecked(t, testkit.Request{Method: http.MethodPut, Path: path + "/admin/closed/" + day, Token: admin}).Status
	}
	if got := closing("2030-02-30"); got != http.StatusBadRequest {
		t.Errorf("a day that is none: %d", got)
	}
	if got := closing("2030-12-23"); got != http.StatusOK {
		t.Errorf("closing: %d", got)
	}
	want("2030-12-20T14:00:00Z", "2030-12-24", "2030-12-30")
}

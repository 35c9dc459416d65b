package admin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// look searches and returns what was found as "kind title state", in the order of the
// answer.
func look(tb testing.TB, a *testkit.App, token, q string) string {
	tb.Helper()
	res := manage(tb, a, token, http.MethodPost, "/api/v1/admin/search", map[string]any{"q": q}, http.StatusOK)
	groups, _ := res.Get(tb, "data.groups").([]any)
	var out []string
	for _, g := range groups {
		group := g.(map[string]any)
		for _, it := range group["items"].([]any) {
			item := it.(map[string]any)
			out = append(out, fmt.Sprintf("%s %s %s", group["kind"], item["title"], item["state"]))
		}
	}
	return strings.Join(out, "; ")
}

// A customer writes with whatever they have, and everything about them is found.
func TestSearchFindsACustomer(t *testing.T) {
	t.Parallel()

	a := testkit.New(t)
	a.ImportCatalog(t)
	root := a.Admin(t, "root").Access
	grace := a.Send(t, "/auth/register",
		map[string]any{"email": "Grace@navy.example", "username": "hopper", "password": "secret1"})
	first := a.Buy(t, grace.Text(t, "data.access_token"), "once")
	guest := a.Order(t, "", "yearly", "Ada@lovelace.example")
	licenseOf := func(order testkit.Response) string {
		return manage(t, a, root, http.MethodGet, "/api/v1/admin/orders/"+order.Text(t, "orderId"), nil,
			http.StatusOK).Text(t, "data.licenseId")
	}
	a.Refund(t, root, first.Text(t, "orderId"))

	order, license := "order "+first.Text(t, "orderId")+" refunded", "license "+licenseOf(first)+" revoked"
	hers := "user Grace@navy.example active; " + order + "; " + license
	guests := "order " + guest.Text(t, "orderId") + " paid; license " + licenseOf(guest) + " active"
	key := guest.Text(t, "licenseKey")
	for q, want := range map[string]string{
		"grace@navy.example": hers, "GRACE@": hers, "hopp": hers, " navy.example ": hers,
		grace.Text(t, "data.user.id"):  hers,
		first.Text(t, "orderId"):       order + "; " + license,
		first.Text(t, "orderId")[:10]:  order + "; " + license,
		first.Text(t, "orderId")[5:15]: order + "; " + license,
		licenseOf(guest):               guests[strings.Index(guests, "license"):],
		"ada@lovelace.example":         guests, "ada@": guests, "lovelace": guests,
		key: guests, strings.ToLower(strings.ReplaceAll(key, "-", " ")): guests,
		key[len(key)-17:]: guests[strings.Index(guests, "license"):],
		key[len(key)-5:]:  guests[strings.Index(guests, "license"):],
		key[:17]:          "", "zzzz": "", "%%%%": "",
	} {
		if got := look(t, a, root, q); got != want {
			t.Errorf("%q finds %s\nwant %s", q, got, want)
		}
	}
}

func TestSearchFindsWhatTheShopHas(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		root, id := a.InstallPay(t)
		manage(t, a, root, http.MethodPost, "/api/v1/admin/webhooks",
			map[string]any{"url": "https://erp.example/in", "events": []string{"order.*"}}, http.StatusCreated)
		for q, want := range map[string]string{
			"mail-pack": "product Mail Pack published", "PAY": "plugin pay ", "erp.exa": "webhook https://erp.example/in enabled",
			id: "instance pay · default disabled", id[:9]: "instance pay · default disabled",
			"defau": "instance pay · default disabled",
		} {
			if got := look(t, a, root, q); got != want {
				t.Errorf("%q finds %s, want %s", q, got, want)
			}
		}
		for body, want := range map[string]string{
			`{}`: "q", `{"q":7}`: "q",
		} {
			res := a.Do(t, testkit.Post(root, "/api/v1/admin/search", body))
			if got := testkit.IssuePaths(t, res); res.Status != http.StatusBadRequest || !strings.HasPrefix(got, want) {
				t.Errorf("%.40s = %d, faults of %q", body, res.Status, got)
			}
		}
	})
}

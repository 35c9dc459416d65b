package shop_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// A mail is in the language of the request that caused it: of its cookie, else of what its browser accepts, else of
// the shop. What comes later about an order is in the language of the purchase.
func TestMailsAreInTheLanguageOfTheirRequest(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		root := a.Admin(t, "root").Access
		said := func(header http.Header) string {
			t.Helper()
			res := a.Do(t, testkit.Request{
				Method: "POST", Path: testkit.Products + "/mail-pack/purchase", Header: header,
				Body: map[string]any{"tierId": "once", "paymentMethod": "card", "billingInfo": map[string]string{"email": "bill@example.com"}},
			})
			mails := a.Mails(t)
			if res.Status != http.StatusOK || len(mails) != 1 {
				t.Fatalf("%d %s, %d mails", res.Status, res.Body, len(mails))
			}
			order := res.Text(t, "orderId")
			a.Do(t, testkit.Post(root, "/api/v1/admin/orders/"+order+"/refund", nil))
			later := a.Mails(t)
			if len(later) != 1 {
				t.Fatalf("%d mails about the refund", len(later))
			}
			return mails[0].Subject + "; " + later[0].Subject
		}
		german := "Ihre Lizenz für Mail Pack; Erstattung für Mail Pack"
		for _, tt := range []struct {
			name   string
			header http.Header
			want   string
		}{
			{"none", nil, "Your license for Mail Pack; A refund for Mail Pack"},
			{"accepted", http.Header{"Accept-Language": {"de-AT,de;q=0.9,en;q=0.5"}}, german},
			{"cookie", http.Header{"Accept-Language": {"en"}, "Cookie": {"stoa-language=de"}}, german},
			{"unknown", http.Header{"Accept-Language": {"tlh"}}, "Your license for Mail Pack; A refund for Mail Pack"},
		} {
			if got := said(tt.header); got != tt.want {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		}
		a.Do(t, testkit.Patch(root, "/api/v1/admin/settings", `{"language":"de"}`))
		if got := said(nil); got != german {
			t.Errorf("the shop's language: %q, want %q", got, german)
		}
		a.Do(t, testkit.Request{
			Method: "POST", Path: "/auth/forgot-password", Header: http.Header{"Accept-Language": {"fr"}},
			Body: map[string]string{"email": "root@example.com"},
		})
		if mails := a.Mails(t); len(mails) != 1 || !strings.Contains(mails[0].Text, "mot de passe") {
			t.Errorf("a forgotten password: %+v", mails)
		}
	})
}

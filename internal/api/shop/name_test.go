package shop_test

import (
	"strings"
	"testing"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// The shop's name is what its mails and receipts are from; links still lead to
// its address.
func TestMailsAndReceiptsNameTheShop(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.Name = "Müller & Söhne" })
	ada := a.Register(t, "ada")
	a.BuyKey(t, ada.Access, "once")
	a.Do(t, testkit.Post("", "/auth/forgot-password", map[string]string{"email": "ada@example.com"}))
	a.Do(t, testkit.Post(ada.Access, "/api/marketplace/orders/claim-request", nil))
	a.Do(t, testkit.Post(ada.Access, "/auth/change-password",
		map[string]string{"currentPassword": testkit.Password, "newPassword": "another horse"}))
	mails := a.Mails(t)
	if len(mails) < 3 {
		t.Fatalf("%d mails, want three or more", len(mails))
	}
	receipts := 0
	for _, m := range mails {
		if !strings.Contains(m.Text, "at Müller & Söhne") {
			t.Errorf("%q does not name the shop:\n%s", m.Subject, m.Text)
		}
		if strings.Contains(m.Text, "order at Müller & Söhne.") {
			receipts++
		}
	}
	if receipts != 1 {
		t.Errorf("%d receipts name the shop, want 1", receipts)
	}

	for _, bad := range []string{"a\nBcc: x@example.com", strings.Repeat("a", 65)} {
		cfg := testkit.Config(t)
		cfg.Name = bad
		if b, err := app.New(t.Context(), cfg); err == nil {
			t.Errorf("the name %q was taken", bad)
			_ = b.Close(t.Context())
		}
	}
}

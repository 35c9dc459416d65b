package admin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/account"
	"stoa/internal/account/staff"
	"stoa/internal/base/permission"
	"stoa/internal/testkit"
	"stoa/internal/testkit/stripetest"
)

// taxed are the events of a payment of 49.90 EUR and 9.48 EUR of tax, in the order in which they may come.
func taxed(orderID string) [][]byte {
	metadata, at := map[string]any{"orderId": orderID}, testkit.T0.Add(time.Minute)
	automatic := map[string]any{"enabled": true}
	return [][]byte{
		stripetest.Event("evt_invoice", "invoice.paid", at, map[string]any{
			"id": "in_1", "billing_reason": "manual", "metadata": metadata, "amount_paid": 5938, "currency": "eur",
			"automatic_tax": automatic, "total_taxes": []map[string]any{{"amount": 948, "tax_behavior": "exclusive"}},
			"number": "A-1", "hosted_invoice_url": "https://invoice.stripe.com/i/1", "invoice_pdf": "https://pay.stripe.com/1/pdf",
		}),
		stripetest.Event("evt_page", "checkout.session.completed", at, map[string]any{
			"id": "cs_" + orderID, "metadata": metadata, "payment_status": "paid", "payment_intent": "pi_1", "invoice": "in_1",
			"amount_subtotal": 4990, "amount_total": 5938, "currency": "eur", "total_details": map[string]any{"amount_tax": 948},
			"automatic_tax": automatic, "customer_details": map[string]any{
				"address": map[string]any{"country": "DE"}, "tax_ids": []map[string]any{{"type": "eu_vat", "value": "=DE123"}},
			},
		}),
	}
}

// members returns those of an answer, below a path, that have a value.
func members(t *testing.T, res testkit.Response, below string, names ...string) map[string]any {
	t.Helper()
	of, _ := res.Get(t, below).(map[string]any)
	found := make(map[string]any)
	for _, name := range names {
		if value, ok := of[name]; ok {
			found[name] = value
		}
	}
	return found
}

var ofTax = []string{"amount", "net", "tax", "total", "taxId", "country", "invoice"}

// An order shows the tax and the invoice of its payment to whoever may see the buyer.
func TestATaxedOrderIsShown(t *testing.T) {
	t.Parallel()

	a, srv := testkit.NewStripeShop(t)
	root, ada := a.Admin(t, "root").Access, a.Register(t, "ada").Access
	id := a.Buy(t, ada, "once").Text(t, "orderId")
	for range 2 {
		for _, event := range taxed(id) {
			a.MustDeliver(t, event)
		}
	}
	if _, err := a.Roles.Create(t.Context(), staff.NewRole{Name: "BLIND", Permissions: []permission.Name{permission.ReadOrders}}); err != nil {
		t.Fatal(err)
	}
	bob := a.Register(t, "bob")
	if _, err := a.Accounts.UpdateUser(t.Context(), bob.UserID, account.UserChange{Role: "BLIND"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"amount": 49.9, "net": 49.9, "tax": 9.48, "total": 59.38, "taxId": "=DE123", "country": "DE",
		"invoice": map[string]any{"number": "A-1", "url": "https://invoice.stripe.com/i/1", "pdf": "https://pay.stripe.com/1/pdf"},
	}
	one := testkit.AdminOrders + "/" + id
	if diff := cmp.Diff(want, members(t, a.Do(t, testkit.Get(root, one)), "data", ofTax...)); diff != "" {
		t.Errorf("an administrator (-want +got):\n%s", diff)
	}
	own := a.Do(t, testkit.Get(ada, "/api/marketplace/orders/"+id))
	for _, text := range []string{`"net":49.9`, `"tax":9.48`, `"total":59.38`, `"taxId":"=DE123"`, `"pdf":"https://pay.stripe.com/1/pdf"`} {
		if !strings.Contains(string(own.Body), text) {
			t.Errorf("the owner sees no %s: %s", text, own.Body)
		}
	}
	delete(want, "taxId")
	want["invoice"] = map[string]any{"number": "A-1"}
	if diff := cmp.Diff(want, members(t, a.Do(t, testkit.Get(bob.Access, one)), "data", ofTax...)); diff != "" {
		t.Errorf("staff without the right to see people (-want +got):\n%s", diff)
	}
	row := tableOf(t, a.Do(t, testkit.Get(root, testkit.AdminOrders+".csv")))[0]
	got := []string{row["amount"], row["net"], row["tax"], row["total"], row["taxId"], row["country"], row["invoiceNumber"]}
	if diff := cmp.Diff([]string{"49.90", "49.90", "9.48", "59.38", "'=DE123", "DE", "A-1"}, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	mails := a.Mails(t)
	if text := mails[len(mails)-1].Text; !strings.Contains(text, "59.38 EUR") || !strings.Contains(text, "\nhttps://invoice.stripe.com/i/1\n") {
		t.Errorf("the receipt:\n%s", text)
	}

	srv.Answer(func(r stripetest.Request) *stripetest.Answer {
		switch r.Path {
		case "/v1/invoice_payments":
			paid := map[string]any{"id": "inpay_1", "amount_paid": 5938, "payment": map[string]any{"payment_intent": "pi_1"}}
			return &stripetest.Answer{Body: map[string]any{"object": "list", "data": []any{paid}}}
		case "/v1/credit_notes":
			return &stripetest.Answer{Body: map[string]any{"id": "cn_1", "number": "A-1-CN-01"}}
		}
		return nil
	})
	res := a.Refund(t, root, id)
	if res.Status != http.StatusOK || !strings.Contains(string(res.Body), `"amount":59.38`) || !strings.Contains(string(res.Body), `"creditNote":"A-1-CN-01"`) {
		t.Errorf("refund = %d %s", res.Status, res.Body)
	}
	if len(srv.Requests("/v1/refunds")) > 0 {
		t.Error("refunded beside the credit note")
	}
	report := a.Do(t, testkit.Get(root, "/api/v1/admin/reports/revenue?by=country&from=2030-01-01&to=2030-12-31"))
	if !strings.Contains(string(report.Body), `"key":"DE","currency":"EUR","orders":1,"gross":59.38,"discount":0,"refunds":59.38,"tax":0,"net":0`) {
		t.Errorf("report: %s", report.Body)
	}
}

// Whoever has a license key of a guest does not see who that is.
func TestALookedUpOrderDoesNotNameItsBuyer(t *testing.T) {
	t.Parallel()

	a, _ := testkit.NewStripeShop(t)
	s := a.Sell(t, "once")
	for _, event := range taxed(s.OrderID) {
		a.MustDeliver(t, event)
	}
	res := a.Do(t, testkit.Post("", "/api/marketplace/orders/"+s.OrderID+"/lookup", map[string]any{"licenseKey": s.Key}))
	if body := string(res.Body); res.Status != http.StatusOK || !strings.Contains(body, `"invoice":{"number":"A-1"}`) || strings.Contains(body, "taxId") {
		t.Errorf("lookup = %d %s", res.Status, body)
	}
}

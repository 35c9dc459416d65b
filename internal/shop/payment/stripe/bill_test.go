package stripe_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/payment"
	"stoa/internal/shop/payment/stripe"
	"stoa/internal/testkit/stripetest"
)

func taxed(behavior stripe.TaxBehavior) func(*stripe.Config) {
	return func(cfg *stripe.Config) { cfg.Tax = behavior }
}

func invoiced(cfg *stripe.Config) { cfg.Invoices = true }

func TestAPageAsksForWhatTheAccountIsSetUpFor(t *testing.T) {
	t.Parallel()

	tax := func(behavior string) map[string]string {
		return map[string]string{
			"automatic_tax[enabled]": "true", "tax_id_collection[enabled]": "true", "billing_address_collection": "required",
			"line_items[0][price_data][tax_behavior]": behavior,
		}
	}
	invoice := map[string]string{"invoice_creation[enabled]": "true", "invoice_creation[invoice_data][metadata][orderId]": "order1"}
	for _, tt := range []struct {
		name    string
		months  int
		options []func(*stripe.Config)
		want    []map[string]string
	}{
		{"neither", 0, nil, nil},
		{"inclusive", 0, []func(*stripe.Config){taxed(stripe.TaxInclusive)}, []map[string]string{tax("inclusive")}},
		{"exclusive", 1, []func(*stripe.Config){taxed(stripe.TaxExclusive)}, []map[string]string{tax("exclusive")}},
		{"invoices", 0, []func(*stripe.Config){invoiced}, []map[string]string{invoice}},
		{"invoices, which a subscription has in any case", 1, []func(*stripe.Config){invoiced}, nil},
		{"both", 0, []func(*stripe.Config){invoiced, taxed(stripe.TaxExclusive)}, []map[string]string{invoice, tax("exclusive")}},
	} {
		charge := payment.Charge{OrderID: "order1", Name: "Mail Pack", Minor: 2990, Exponent: 2, Currency: "EUR", Months: tt.months}
		form := func(options ...func(*stripe.Config)) map[string]string {
			s, srv := account(t, options...)
			if _, err := s.Begin(t.Context(), charge); err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			values := make(map[string]string)
			for name, list := range oneRequest(t, srv, "/v1/checkout/sessions").Form {
				values[name] = list[0]
			}
			return values
		}
		want := form()
		for _, more := range tt.want {
			maps.Copy(want, more)
		}
		if diff := cmp.Diff(want, form(tt.options...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestATaxThatStripeDoesNotKnowIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := stripe.New(stripe.Config{SecretKey: "sk_1", WebhookSecret: "whsec_1", Tax: "vat"}); err == nil {
		t.Error("tax vat was accepted")
	}
}

// page is a paid Checkout Session: 10 without tax, 11.90 with it.
var page = object{
	"id": "cs_1", "metadata": object{"orderId": "order1"}, "payment_status": "paid", "payment_intent": "pi_1", "invoice": "in_1",
	"amount_subtotal": 1000, "amount_total": 1190, "currency": "eur", "total_details": object{"amount_tax": 190, "amount_discount": 0},
	"automatic_tax": object{"enabled": true},
	"customer_details": object{
		"address": object{"country": "DE"}, "tax_ids": []object{{"type": "eu_vat", "value": "DE123456789"}},
	},
}

// receipt is the invoice of the same payment.
var receipt = object{
	"id": "in_1", "billing_reason": "manual", "metadata": object{"orderId": "order1"}, "amount_paid": 1190, "currency": "eur",
	"automatic_tax": object{"enabled": true}, "total_taxes": []object{{"amount": 190, "tax_behavior": "exclusive"}},
	"customer_address": object{"country": "DE"}, "customer_tax_ids": []object{{"type": "eu_vat", "value": "DE123456789"}},
	"number": "A-1", "hosted_invoice_url": "https://invoice.stripe.com/i/1", "invoice_pdf": "https://pay.stripe.com/invoice/1/pdf",
}

func TestAPageSaysWhatTaxWasPaid(t *testing.T) {
	t.Parallel()

	full := payment.Bill{Taxed: true, Tax: 190, Added: 190, Country: "DE", TaxID: "DE123456789"}
	less := func(change func(*payment.Bill)) payment.Bill {
		b := full
		change(&b)
		return b
	}
	for _, tt := range []struct {
		name    string
		of      object
		options []func(*stripe.Config)
		want    payment.Bill
	}{
		{"on top of the price", page, nil, full},
		{"in the price", with(page, object{"amount_subtotal": 1190}), nil, less(func(b *payment.Bill) { b.Added = 0 })},
		{
			"on top of a reduced price",
			with(page, object{"amount_subtotal": 1500, "total_details": object{"amount_tax": 190, "amount_discount": 500}}), nil, full,
		},
		{"on top, as the account says", with(page, object{"amount_subtotal": nil}), []func(*stripe.Config){taxed(stripe.TaxExclusive)}, full},
		{
			"none for a company abroad", with(page, object{"amount_total": 1000, "total_details": object{"amount_tax": 0}}), nil,
			less(func(b *payment.Bill) { b.Tax, b.Added = 0, 0 }),
		},
		{
			"not computed", with(page, object{"automatic_tax": object{"enabled": false}, "total_details": object{"amount_tax": 0}}), nil,
			payment.Bill{},
		},
		{
			"not computed, with an invoice",
			with(page, object{"automatic_tax": nil, "total_details": object{}, "customer_details": nil, "invoice_creation": object{"enabled": true}, "invoice": receipt}), nil,
			payment.Bill{Number: "A-1", URL: "https://invoice.stripe.com/i/1", PDF: "https://pay.stripe.com/invoice/1/pdf"},
		},
		{
			"with the invoice itself", with(page, object{"invoice": with(receipt, object{"invoice_pdf": "javascript:alert(1)"})}), nil,
			less(func(b *payment.Bill) { b.Number, b.URL = "A-1", "https://invoice.stripe.com/i/1" }),
		},
	} {
		s, _ := account(t, tt.options...)
		e, err := read(t, s, stripetest.Event("evt_1", "checkout.session.completed", at, tt.of))
		if err != nil || e.Kind != payment.Paid || e.OrderID != "order1" || e.Bill != tt.want || e.Note != "" {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, e, err, tt.want)
		}
	}
}

func TestAnInvoiceSaysWhatTaxWasPaid(t *testing.T) {
	t.Parallel()

	full := payment.Bill{
		Taxed: true, Tax: 190, Added: 190, Country: "DE", TaxID: "DE123456789",
		Number: "A-1", URL: "https://invoice.stripe.com/i/1", PDF: "https://pay.stripe.com/invoice/1/pdf",
	}
	included, untaxed := full, full
	included.Added, untaxed.Taxed, untaxed.Tax, untaxed.Added = 0, false, 0, 0
	period := object{"metadata": object{}, "billing_reason": "subscription_cycle", "subscription": "sub_1"}
	never := object{"automatic_tax": object{"enabled": false}, "total_taxes": []object{}}
	for _, tt := range []struct {
		name    string
		of      object
		options []func(*stripe.Config)
		kind    payment.EventKind
		want    payment.Bill
	}{
		{"of a single payment", receipt, nil, payment.Paid, full},
		{"of the first period", with(receipt, with(period, object{
			"billing_reason": "subscription_create", "subscription_details": object{"metadata": object{"orderId": "order1"}},
		})), nil, payment.Paid, full},
		{"of a later period", with(receipt, period), nil, payment.Renewed, full},
		{"in the price", with(receipt, object{"total_taxes": []object{{"amount": 190, "tax_behavior": "inclusive"}}}), nil, payment.Paid, included},
		{
			"as before 2025", with(receipt, object{"total_taxes": nil, "tax": 190, "total_tax_amounts": []object{{"amount": 190, "inclusive": false}}}),
			nil, payment.Paid, full,
		},
		{"of a period without tax", with(receipt, with(period, never)), nil, payment.Renewed, payment.Bill{}},
		{"of a period without tax, with invoices", with(receipt, with(period, never)), []func(*stripe.Config){invoiced}, payment.Renewed, untaxed},
		{"of another system", with(receipt, object{"metadata": object{}}), nil, payment.Unrelated, payment.Bill{}},
	} {
		s, _ := account(t, tt.options...)
		e, err := read(t, s, stripetest.Event("evt_1", "invoice.paid", at, tt.of))
		if tt.kind == payment.Unrelated {
			tt.want = e.Bill
		}
		if err != nil || e.Kind != tt.kind || e.Bill != tt.want || tt.kind == payment.Paid && (e.OrderID != "order1" || e.Minor != 1190) {
			t.Errorf("%s: %+v, %v; want %+v", tt.name, e, err, tt.want)
		}
	}
}

func TestALookedUpPageHasItsInvoice(t *testing.T) {
	t.Parallel()

	s, srv := account(t, invoiced)
	srv.Answer(func(stripetest.Request) *stripetest.Answer {
		return &stripetest.Answer{Body: with(page, object{
			"object": "checkout.session", "status": "complete", "invoice": with(receipt, object{"object": "invoice"}),
		})}
	})
	e, err := s.LookUp(t.Context(), payment.Reference{Session: "cs_1"})
	if err != nil || e.Bill.Number != "A-1" || e.Reference.Invoice != "in_1" {
		t.Errorf("LookUp = %+v, %v", e, err)
	}
	wantForm(t, oneRequest(t, srv, "/v1/checkout/sessions/cs_1"), map[string]string{
		"expand[0]": "payment_intent", "expand[1]": "subscription", "expand[2]": "invoice",
	})
}

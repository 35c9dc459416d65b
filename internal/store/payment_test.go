package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/store"
)

func testPaid(t *testing.T, s *store.Orders) {
	t.Helper()
	list := func(id string) []order.Payment {
		t.Helper()
		got, err := s.PaymentsOf(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	mustOrder(t, s, Order("o", "a", "anonymous", "", T0))
	first := order.Payment{OrderID: "o", Seq: 1, At: T0, Minor: 2990, Currency: "EUR"}
	second := order.Payment{OrderID: "o", Seq: 2, Invoice: "in_2", At: T0.Add(time.Hour), Minor: 2990, Currency: "EUR", TierID: "team"}
	for _, p := range []order.Payment{second, first} {
		if err := s.PutPayment(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	first.Bill = payment.Bill{
		Taxed: true, Tax: 190, Added: 19, Country: "DE", TaxID: "DE1", Number: "A-1", URL: "https://bill.example/1", PDF: "https://bill.example/1.pdf",
	}
	second.Bill = payment.Bill{Taxed: true}
	if err := s.PutPayment(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	first.At, first.Minor, first.Refunded, first.Invoice, first.ID = T0.Add(-time.Hour), 3000, 10, "in_1", "pi_1"
	if err := s.PutPayment(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]order.Payment{first, second}, list("o")); diff != "" {
		t.Errorf("payments (-want +got):\n%s", diff)
	}

	paid := Order("unwritten", "a", "anonymous", "", T0)
	paid.PaidAt = T0
	old := Order("old", "a", "anonymous", "", T0.Add(-time.Hour))
	old.PaidAt = old.CreatedAt
	free := Order("free", "a", "anonymous", "", T0)
	free.PaidAt, free.Amount.Minor = T0, 0
	for _, o := range []order.Order{paid, old, free} {
		mustOrder(t, s, o)
	}
	for range 2 {
		if err := s.FillPayments(t.Context(), T0); err != nil {
			t.Fatal(err)
		}
	}
	want := []order.Payment{{OrderID: "unwritten", Seq: 1, At: T0, Minor: paid.Amount.Minor, Currency: paid.Amount.Currency}}
	if diff := cmp.Diff(want, list("unwritten")); diff != "" || list("old") != nil || list("free") != nil {
		t.Errorf("filled: old %v, free %v (-want +got):\n%s", list("old"), list("free"), diff)
	}
	if diff := cmp.Diff([]order.Payment{first, second}, list("o")); diff != "" {
		t.Errorf("filling changed others (-want +got):\n%s", diff)
	}
}

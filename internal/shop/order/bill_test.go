package order_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// billed is a paid event of an order with 19 % on top, and documented the same payment's invoice.
func billed(o order.Order) payment.Event {
	e := paid(o)
	e.Minor, e.Reference.Invoice = 5938, "inv-1"
	e.Bill = payment.Bill{Taxed: true, Tax: 948, Added: 948, Country: "DE", TaxID: "DE1"}
	return e
}

func documented(o order.Order) payment.Event {
	e := billed(o)
	e.ID, e.Reference.Session, e.Reference.Payment = "invoice-"+o.ID, "", ""
	e.Bill.Number, e.Bill.URL, e.Bill.PDF = "A-1", "https://bill.example/1", "https://bill.example/1.pdf"
	return e
}

// bill describes what an order shows of its payment.
func (s *shop) bill(t *testing.T, id string) string {
	t.Helper()
	o, err := s.Get(admin(t), id)
	if err != nil {
		t.Fatal(err)
	}
	if !o.Bill.Taxed {
		return "not taxed " + o.Bill.Number
	}
	if o.Net().Minor+o.Tax().Minor != o.Total().Minor {
		t.Errorf("%s + %s are not %s", o.Net(), o.Tax(), o.Total())
	}
	return fmt.Sprint(o.Amount, ": ", o.Net(), " + ", o.Tax(), " = ", o.Total(), " ", o.Bill.Country, " ", o.Bill.TaxID, " ", o.Bill.Number, " ", o.Bill.URL, " ", o.Bill.PDF)
}

// Whatever comes first, twice or late: the order has the tax and the invoice of its payment.
func TestAnOrderHasTheTaxAndInvoiceOfItsPayment(t *testing.T) {
	t.Parallel()

	for _, tier := range []string{"once", "monthly"} {
		kinds := []func(order.Order) payment.Event{billed, documented, func(o order.Order) payment.Event {
			e := refunded(o)
			e.Kind, e.Minor, e.Reference.Session = payment.PartlyRefunded, 100, ""
			e.Exponent, e.Currency = 2, "EUR"
			return e
		}}
		each(kinds, func(events []func(order.Order) payment.Event) {
			s := openShop(t)
			o := s.buy(t, tier)
			for range 2 {
				for _, of := range events {
					s.tell(t, of(o))
				}
			}
			want := "49.90 EUR: 49.90 EUR + 9.48 EUR = 59.38 EUR DE DE1 A-1 https://bill.example/1 https://bill.example/1.pdf"
			if got := s.bill(t, o.ID); got != want {
				t.Errorf("%s: %s, want %s", tier, got, want)
			}
			if got := s.state(t, o.ID); got != "paid, license paid" || s.order(t, o.ID).PartlyRefunded != 100 {
				t.Errorf("%s: %s", tier, got)
			}
		})
	}
}

func TestAnOrderIsPaidByItsPriceWithoutTheTaxOnTop(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name              string
		minor, tax, added int64
		want              order.Status
	}{
		{"tax on top", 5938, 948, 948, order.Paid},
		{"tax in the price", 4990, 797, 0, order.Paid},
		{"no tax", 4990, 0, 0, order.Paid},
		{"the price only with the tax", 4990, 797, 797, order.Pending},
		{"a cent too little", 5937, 948, 948, order.Pending},
	} {
		s := openShop(t)
		o := s.buy(t, "once")
		e := paid(o)
		e.Minor, e.Bill = tt.minor, payment.Bill{Taxed: true, Tax: tt.tax, Added: tt.added}
		s.tell(t, e)
		if now := s.order(t, o.ID); now.Status() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, now.Status(), tt.want)
		}
	}
}

func TestAnOrderWithoutTaxShowsNone(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "once")
	s.tell(t, paid(o))
	if got := s.bill(t, o.ID); got != "not taxed " {
		t.Errorf("bill: %s", got)
	}
	e := paid(o)
	e.ID, e.Bill.Number = "later", "A-1" // invoices without tax
	s.tell(t, e)
	if got := s.bill(t, o.ID); got != "not taxed A-1" {
		t.Errorf("bill with an invoice: %s", got)
	}
	late, bare := billed(o), paid(o)
	late.ID, late.Reference.Invoice, bare.ID = "late", "", "bare"
	s.tell(t, late)
	s.tell(t, bare) // says nothing of tax, and takes nothing away
	if got := s.bill(t, o.ID); got != "49.90 EUR: 49.90 EUR + 9.48 EUR = 59.38 EUR DE DE1 A-1  " {
		t.Errorf("bill with a late tax: %s", got)
	}
}

// Later periods have a bill of their own; the order shows that of the first.
func TestEachPeriodHasItsBill(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	second := period(o, 2)
	second.Minor, second.Bill = 5988, payment.Bill{Taxed: true, Tax: 998, Added: 998, Country: "AT", Number: "A-2"}
	back := second
	back.ID, back.Kind, back.Minor, back.Whole, back.Bill = "back", payment.PeriodRefunded, 100, 5988, payment.Bill{}
	for range 2 {
		for _, e := range []payment.Event{back, second, documented(o), billed(o)} {
			s.tell(t, e)
		}
	}
	list, err := s.store.PaymentsOf(t.Context(), o.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range list {
		got = append(got, fmt.Sprint(p.Seq, " ", p.Minor, " ", p.Bill.Tax, " ", p.Bill.Added, " ", p.Bill.Country, " ", p.Bill.Number))
	}
	if diff := cmp.Diff([]string{"1 5938 948 948 DE A-1", "2 5988 998 998 AT A-2"}, got); diff != "" {
		t.Errorf("payments (-want +got):\n%s", diff)
	}
}

// What is given back is what was paid, with tax, and the credit notes of invoices are kept.
func TestARefundIsOfWhatWasPaid(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.buy(t, "monthly")
	s.tell(t, billed(o))
	s.tell(t, documented(o))
	second := period(o, 2)
	second.Minor, second.Bill = 5938, payment.Bill{Taxed: true, Tax: 948, Added: 948, Number: "A-2"}
	s.tell(t, second)
	s.bank.credits = true
	for _, amount := range []string{"59.38", "0.01"} {
		_, err := s.Refund(admin(t), o.ID, part(amount))
		if (err == nil) != (amount == "59.38") {
			t.Errorf("Refund of %s = %v", amount, err)
		}
		s.clock.Advance(time.Second)
	}
	out, err := s.Refund(admin(t), o.ID, order.RefundRequest{})
	if err != nil || out.Status() != order.Refunded {
		t.Fatalf("Refund = %s, %v", out.Status(), err)
	}
	var got []string
	for _, r := range out.Refunds {
		got = append(got, fmt.Sprint(r.Seq, " ", r.Amount, " ", r.CreditNote))
	}
	if diff := cmp.Diff([]string{"2 59.38 EUR note of inv-2", "1 59.38 EUR note of inv-1"}, got); diff != "" {
		t.Errorf("refunds (-want +got):\n%s", diff)
	}
	if asked := s.bank.asked(); asked[0] != "refund inv-2 part 5938 invoiced" || asked[1] != "refund pay-1inv-1 invoiced" {
		t.Errorf("what the bank was asked: %q", asked)
	}
}

package order_test

import (
	"errors"
	"slices"
	"testing"

	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
)

// The first event may not name the customer, such as that of the first invoice.
func TestThePortalIsOpenedForTheCustomerOfAnyEvent(t *testing.T) {
	t.Parallel()

	s := openShop(t)
	o := s.subscribed(t)
	late := paid(o)
	late.ID, late.Reference.Customer = "late", "cus-1"
	s.tell(t, late)
	s.bank.asked()
	for range 2 { // nothing is kept of it
		if url, err := s.OpenPortal(ada(t), o.ID); err != nil || url != "https://bank.example/manage" {
			t.Fatalf("OpenPortal = %q, %v", url, err)
		}
	}
	want := "manage cus-1 https://shop.example/orders/" + o.ID
	if calls := s.bank.asked(); !slices.Equal(calls, []string{want, want}) {
		t.Errorf("the bank was asked %q, want %q", calls, want)
	}

	for fault, want := range map[error]error{
		payment.ErrRefused: order.ErrNoCustomer, errors.New("the bank is closed"): order.ErrProviderUnreachable,
	} {
		s.bank.fail("manage", fault)
		if _, err := s.OpenPortal(ada(t), o.ID); !errors.Is(err, want) {
			t.Errorf("after %v: %v, want %v", fault, err, want)
		}
	}
	s.Payments = payment.None{}
	if _, err := s.OpenPortal(ada(t), o.ID); !errors.Is(err, order.ErrOtherProvider) {
		t.Errorf("without the provider: %v, want ErrOtherProvider", err)
	}
	if _, err := s.OpenPortal(t.Context(), o.ID); !errors.Is(err, order.ErrNotFound) {
		t.Errorf("nobody: %v, want ErrNotFound", err)
	}
}

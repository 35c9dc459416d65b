package order_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"stoa/internal/shop/catalog"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/testkit/dbtest"
)

// takeSeats activates a license on so many instances, of which those from a call before are some.
func (s *shop) takeSeats(t *testing.T, key string, n int) {
	t.Helper()
	for i := range n {
		_, err := s.Licenses.(*license.Service).Activate(t.Context(), "mail-pack", license.UseRequest{
			LicenseKey: key, InstanceID: fmt.Sprint(key, i, ".example.com"),
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Whoever tries a plan with more seats does not keep them for the price of one: seats that are taken while the page is
// open count when it is paid.
func TestATrialIsNotBoughtWithMoreSeatsInUseThanAreSold(t *testing.T) {
	t.Parallel()

	dbtest.OnEngines(t, func(t *testing.T, url string) {
		s := openShopAt(t, url)
		const plans = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
			description: d, icon: /i.svg, pricingTiers: [{id: one, name: One, price: 49.90, maxInstances: 2},
			{id: ten, name: Ten, price: 499, maxInstances: 10, trialDays: 14}]}]}`
		if _, err := s.Products.(*catalog.Service).ImportBytes(t.Context(), []byte(plans)); err != nil {
			t.Fatal(err)
		}
		s.Discounts = &discount.Service{Mailbox: order.EmailKey, Secret: []byte("secret")}
		for seats, want := range map[int]string{
			2: "paid, license paid", 3: "cancelled, license paid, money returned",
		} {
			trial, err := s.StartTrial(t.Context(), "mail-pack", order.TrialRequest{
				TierID: "ten", Email: fmt.Sprint("ada", seats, "@example.com"),
			})
			if err != nil {
				t.Fatal(err)
			}
			key := trial.LicenseKey.Reveal()
			s.takeSeats(t, key, 1)
			bought, err := s.Purchase(t.Context(), "mail-pack", order.PurchaseRequest{
				TierID: "one", PaymentMethod: "card", LicenseKey: key,
			})
			if err != nil {
				t.Fatal(err)
			}
			s.takeSeats(t, key, seats)
			s.tell(t, paid(s.order(t, bought.OrderID)))
			if got := s.state(t, bought.OrderID); got != want {
				t.Errorf("with %d instances: %s, want %s", seats, got, want)
			}
		}
	})
}

// The same holds for a change that begins when it is paid.
func TestAChangeThatIsPaidTakesNoSeatAway(t *testing.T) {
	t.Parallel()

	for _, seats := range []int{1, 2} {
		s := openShop(t)
		s.sellPlans(t)
		o := s.subscribes(t, "middle", true)
		end := s.license(t, o).ExpiresAt
		b := s.change(t, o, "year")
		s.takeSeats(t, b.LicenseKey.Reveal(), seats)
		s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
		tier, want := "year", "paid, license paid"
		if seats > 1 {
			tier, want = "middle", "cancelled, license paid, money returned"
		} else {
			end = s.license(t, o).ExpiresAt
		}
		s.has(t, o, tier, end, "")
		if got := s.state(t, b.OrderID); got != want {
			t.Errorf("with %d instances: %s, want %s", seats, got, want)
		}
	}
}

// yearLosesItsSeats lets ada change the plan of an order to year while two instances take its seats: the provider,
// which collects so much, does not answer at first. The change is cancelled.
func (s *shop) yearLosesItsSeats(t *testing.T, o order.Order, minor int64) {
	t.Helper()
	s.collects(minor)
	s.bank.fail("change", errOutage)
	request := order.ChangeRequest{TierID: "year", OrderID: "n2b6v9c1x4z7l0k3j5h8g1f4"}
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); err == nil {
		t.Fatal("the provider answered")
	}
	s.takeSeats(t, s.keyOf(t, o), 2)
	s.bank.fail("change", nil)
	s.bank.asked()
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); !errors.Is(err, order.ErrCancelled) {
		t.Errorf("%d: ChangePlan = %v", minor, err)
	}
}

// Nor does one at the provider: what it collected goes back, and so does the plan, also if it collected nothing.
func TestAChangeAtTheProviderTakesNoSeatAway(t *testing.T) {
	t.Parallel()

	for minor, refund := range map[int64][]string{8000: {"refund change-1"}, 0: nil} {
		s, o := subscribed(t, "middle", false)
		end := s.license(t, o).ExpiresAt
		s.yearLosesItsSeats(t, o, minor)
		s.has(t, o, "middle", end, "")
		want := append(append([]string{"change sub-" + o.ID + " 10000"}, refund...), "end sub-"+o.ID)
		if got := s.bank.asked(); !slices.Equal(got, want) {
			t.Errorf("%d: the bank was asked %q, want %q", minor, got, want)
		}
		if s.sweep(t); len(s.bank.asked()) > 0 {
			t.Errorf("%d: the sweep asks again", minor)
		}
	}
}

// A plan that was chosen for the next period begins with it, and takes no seat away either: those in use stay.
func TestAPlannedChangeLeavesTheSeatsThatAreInUse(t *testing.T) {
	t.Parallel()

	s, o := subscribed(t, "middle", true)
	end := s.license(t, o).ExpiresAt
	s.change(t, o, "small")
	b, err := s.Renew(ada(t), o.LicenseID, order.RenewalRequest{})
	if err != nil {
		t.Fatal(err)
	}
	s.takeSeats(t, b.LicenseKey.Reveal(), 2)
	s.tell(t, s.paidNow(s.order(t, b.OrderID), true))
	if l := s.has(t, o, "small", end.AddDate(0, 1, 0), ""); l.MaxInstances != 1 || l.Instances != 2 {
		t.Errorf("%d of %d seats", l.Instances, l.MaxInstances)
	}

	o = s.subscribes(t, "middle", false)
	end = s.license(t, o).ExpiresAt
	request := order.ChangeRequest{TierID: "small", OrderID: "p3b6v9c1x4z7l0k3j5h8g1f4"}
	s.bank.fail("change", errOutage)
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); err == nil {
		t.Fatal("the provider answered")
	}
	s.takeSeats(t, s.keyOf(t, o), 2)
	s.bank.fail("change", nil)
	if _, err := s.ChangePlan(ada(t), o.LicenseID, request); err != nil {
		t.Error(err)
	}
	s.has(t, o, "middle", end, "small")
}

// keyOf returns the key of an order's license.
func (s *shop) keyOf(t *testing.T, o order.Order) string {
	t.Helper()
	key, err := s.Vault.Open(s.license(t, o))
	if err != nil {
		t.Fatal(err)
	}
	return key.Reveal()
}

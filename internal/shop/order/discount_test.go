package order_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/shop/discount"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
	"stoa/internal/store"
)

// discountID is the id of the discount of these tests.
const discountID = "tz4a98xxat96iws9zmbrgj3a"

// code makes a discount with one use, and returns how many are used.
func (s *shop) code(t *testing.T, d discount.Discount) (uses func() int) {
	t.Helper()
	d.ID, d.Code, d.Active, d.Version, d.CreatedAt, d.UpdatedAt = discountID, "LAST", true, 1, opened, opened
	d.MaxUses = 1
	codes := store.NewDiscounts(s.db)
	if err := codes.CreateDiscount(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	s.Discounts = &discount.Service{Store: codes, Now: s.clock.Now, Mailbox: order.EmailKey, Secret: []byte("secret")}
	return func() int {
		d, err := codes.DiscountByID(t.Context(), discountID)
		if err != nil {
			t.Fatal(err)
		}
		return d.Uses
	}
}

func (s *shop) buyLast(t *testing.T, id string) error {
	t.Helper()
	_, err := s.Purchase(t.Context(), "mail-pack", order.PurchaseRequest{
		TierID: "once", PaymentMethod: "card", DiscountCode: "last", OrderID: id,
	})
	return err
}

// An order whose payment never began, or whose page expired, is cancelled by the sweep, which gives the use back.
func TestTheSweepGivesUsesBack(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name  string
		begin error
	}{{"the payment never began", errors.New("away")}, {"the page expired", nil}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t)
			uses := s.code(t, discount.Discount{Percent: 2000, Duration: discount.Once})
			s.bank.fail("begin", tt.begin)
			const id = "cfglmr0tardvk2cyveztss5k"
			if err := s.buyLast(t, id); (err == nil) != (tt.begin == nil) {
				t.Fatal(err)
			}
			if uses() != 1 {
				t.Fatalf("a waiting order has %d uses", uses())
			}
			if err := s.buyLast(t, ""); !errors.Is(err, discount.ErrRefused) {
				t.Errorf("a second purchase: %v", err)
			}
			s.bank.pages["page-"+id] = payment.Event{ID: "failed", Kind: payment.Failed}
			s.clock.Advance(26 * time.Hour)
			for range 2 {
				if err := s.Sweep(t.Context(), slog.New(slog.DiscardHandler)); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.state(t, id); got != "cancelled, license revoked" || uses() != 0 {
				t.Errorf("the order is %s, %d uses", got, uses())
			}
			// A payment after all is refunded, and takes no use.
			late := paid(s.order(t, id))
			late.Minor = 3992
			s.tell(t, late)
			if uses() != 0 {
				t.Errorf("a late payment took %d uses", uses())
			}
			s.bank.fail("begin", nil)
			if err := s.buyLast(t, ""); err != nil || uses() != 1 {
				t.Errorf("the next purchase: %v, %d uses", err, uses())
			}
		})
	}
}

func formOf(t *testing.T, text string) discount.Form {
	t.Helper()
	var f discount.Form
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// changing is a Discounts whose discount changes between its quote and the purchase.
type changing struct {
	*discount.Service

	between func()
}

func (c *changing) Quote(ctx context.Context, slug string, t product.Tier, code string) (discount.Quote, error) {
	q, err := c.Service.Quote(ctx, slug, t, code)
	if c.between != nil {
		change := c.between
		c.between = nil
		change()
	}
	return q, err
}

// An administrator who changes a code while somebody buys with it: the order has what holds when it is made.
func TestAPurchaseIsAtWhatTheCodeIsWorthThen(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name, form string
		amount     int64 // 0: refused
	}{
		{"another percentage", `{"percentOff":50}`, 2495},
		{"switched off", `{"active":false}`, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t)
			s.code(t, discount.Discount{Percent: 2000, Duration: discount.Once})
			service, _ := s.Discounts.(*discount.Service)
			s.Discounts = &changing{service, func() {
				if _, err := service.Change(admin(t), discountID, formOf(t, tt.form), nil); err != nil {
					t.Error(err)
				}
			}}
			const id = "cfglmr0tardvk2cyveztss5k"
			err := s.buyLast(t, id)
			if tt.amount == 0 {
				if !errors.Is(err, discount.ErrRefused) {
					t.Errorf("purchase = %v", err)
				}
				if _, err := s.store.OrderByID(t.Context(), id); errs.KindOf(err) != errs.NotFound {
					t.Errorf("there is an order: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if o := s.order(t, id); o.Amount.Minor != tt.amount || o.Discount.Minor != 4990-tt.amount {
				t.Errorf("the order is %+v", o)
			}
		})
	}
}

package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"stoa/internal/app"
	"stoa/internal/caller"
	"stoa/internal/market"
	"stoa/internal/market/payment"
	"stoa/internal/testkit"
)

// bank is a payment provider whose customers pay on a page. It remembers what it
// was asked for.
type bank struct {
	mu       sync.Mutex
	fails    error // what every call returns, if not nil
	begun    []payment.Charge
	refunded []string            // order ids
	closed   []payment.Reference // by Cancel
	looked   int
	sees     payment.Event // what Look returns
}

func (b *bank) Name() string { return "bank" }

func (b *bank) Mode() payment.Mode { return payment.Hosted }

func (b *bank) Begin(_ context.Context, c payment.Charge) (payment.Page, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.begun = append(b.begun, c)
	return payment.Page{Session: "session-" + c.OrderID, URL: "https://bank.example/pay/" + c.OrderID}, b.fails
}

func (b *bank) Refund(_ context.Context, orderID string, _ payment.Reference) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refunded = append(b.refunded, orderID)
	return b.fails
}

func (b *bank) End(context.Context, payment.Reference) error { return nil }

func (b *bank) Collect(context.Context, payment.Reference) error { return nil }

func (b *bank) Cancel(_ context.Context, r payment.Reference) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = append(b.closed, r)
	return b.fails
}

func (b *bank) Look(context.Context, payment.Reference) (payment.Event, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.looked++
	return b.sees, b.fails
}

func (b *bank) Event(context.Context, []byte, string) (payment.Event, error) {
	return payment.Event{}, payment.ErrForged
}

func (b *bank) set(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails = err
}

// bankShop returns an App with testCatalog that takes payments with a bank.
func bankShop(tb testing.TB, options ...testkit.Option) (*testkit.App, *bank) {
	tb.Helper()
	b := new(bank)
	return shop(tb, append(options, func(_ testing.TB, cfg *app.Config) { cfg.Provider = b })...), b
}

func orderOf(tb testing.TB, a *testkit.App, id string) market.Order {
	tb.Helper()
	o, err := a.Market.Sales.OrderByID(tb.Context(), id)
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

const buyOnce = `{"tierId":"once","paymentMethod":"card"}`

func downloads(tb testing.TB, a *testkit.App) float64 {
	tb.Helper()
	return fetch(tb, a, products+"/mail-pack").Get(tb, "downloadCount").(float64)
}

func TestALicenseWorksOnlyOncePaid(t *testing.T) {
	t.Parallel()
	a, b := bankShop(t)

	res := send(t, a, products+"/mail-pack/purchase", `{"tierId":"monthly","paymentMethod":"card","billingInfo":{"email":"ada@example.com"}}`)
	orderID, key := res.Text(t, "orderId"), res.Text(t, "licenseKey")
	if got := res.Text(t, "paymentUrl"); got != "https://bank.example/pay/"+orderID {
		t.Errorf("paymentUrl = %q", got)
	}
	if o := orderOf(t, a, orderID); o.Status() != market.OrderPending || o.Payment.Session != "session-"+orderID || o.Provider != "bank" {
		t.Errorf("order is %s of %q in session %q; want it pending", o.Status(), o.Provider, o.Payment.Session)
	}
	want := payment.Charge{
		OrderID: orderID, Method: "card", Minor: 500, Exponent: 2, Currency: "EUR", Name: "Mail Pack – Monthly", Email: "ada@example.com", Months: 1,
	}
	if len(b.begun) != 1 || b.begun[0] != want {
		t.Errorf("the bank was asked for %+v, want %+v", b.begun, want)
	}
	wantFlatError(t, activate(t, a, key, "a.example"), 400, "ACTIVATION_FAILED")
	wantVerdict(t, verify(t, a, "mail-pack", key, "a.example"), "unpaid")
	if got := downloads(t, a); got != 100 {
		t.Errorf("downloadCount = %v, want it counted once it is paid", got)
	}

	buy(t, a, "free") // nobody has to pay for it
	if got := downloads(t, a); got != 101 || len(b.begun) != 1 {
		t.Errorf("downloadCount = %v and %d payments, want the free one counted and not paid", got, len(b.begun))
	}
}

// A provider refuses what is no address, and the bill need not have one.
func TestOnlyAnAddressIsTakenToThePaymentPage(t *testing.T) {
	t.Parallel()
	a, b := bankShop(t)
	for _, email := range []string{"", "ada", "ada@example.com, eve@example.com"} {
		send(t, a, products+"/mail-pack/purchase", map[string]any{"tierId": "once", "paymentMethod": "card", "billingInfo": map[string]any{"email": email}}).Text(t, "orderId")
		if got := b.begun[len(b.begun)-1].Email; got != "" {
			t.Errorf("the bank was told %q", got)
		}
	}
}

// Nothing is sold on the word of a bank that does not answer.
func TestAPurchaseWhosePaymentCannotBeginIsCancelled(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name   string
		fails  error
		status int
	}{
		{"refused", fmt.Errorf("too small: %w", payment.ErrRefused), http.StatusBadRequest},
		{"unreachable", errors.New("no answer"), http.StatusBadGateway},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, b := bankShop(t)
			b.set(tt.fails)
			wantFlatError(t, send(t, a, products+"/mail-pack/purchase", buyOnce), tt.status, "PURCHASE_FAILED")
			o := orderOf(t, a, b.begun[0].OrderID)
			if l, err := a.Market.Sales.LicenseByID(t.Context(), o.LicenseID); err != nil || o.Status() != market.OrderCancelled || l.RevokedAt.IsZero() || l.Paid {
				t.Errorf("the order is %s and its licence %+v (%v); want it cancelled and revoked", o.Status(), l, err)
			}
		})
	}
}

// Who chooses the order's id may ask again: after a lost answer, a crash, an
// outage of the bank.
func TestAPurchaseWithAChosenIDHappensOnce(t *testing.T) {
	t.Parallel()

	testkit.OnBothEngines(t, func(t *testing.T, a *testkit.App) {
		importCatalog(t, a)
		req := market.PurchaseRequest{TierID: "once", PaymentMethod: "card", OrderID: "chosen-1"}

		var (
			wg       sync.WaitGroup
			receipts [8]market.Receipt
			failures [8]error
		)
		for i := range receipts {
			wg.Go(func() { receipts[i], failures[i] = a.Market.Purchase(t.Context(), "mail-pack", req) })
		}
		wg.Wait()
		for i := range receipts {
			if failures[i] != nil || receipts[i] != receipts[0] || receipts[i].OrderID != "chosen-1" {
				t.Fatalf("purchase %d = %+v, %v; want %+v", i, receipts[i], failures[i], receipts[0])
			}
		}
		if got := downloads(t, a); got != 101 {
			t.Errorf("downloadCount = %v, want one purchase counted", got)
		}
		if res := activate(t, a, receipts[0].LicenseKey.Reveal(), "a.example"); res.Status != http.StatusOK {
			t.Errorf("activate = %d %s", res.Status, res.Body)
		}

		other := req
		other.TierID = "free"
		if _, err := a.Market.Purchase(t.Context(), "mail-pack", other); !errors.Is(err, market.ErrOrderTaken) {
			t.Errorf("another tier = %v, want ErrOrderTaken", err)
		}
		other.TierID = "only"
		if _, err := a.Market.Purchase(t.Context(), "bare", other); !errors.Is(err, market.ErrOrderTaken) {
			t.Errorf("another product = %v, want ErrOrderTaken", err)
		}
		ada := caller.With(t.Context(), caller.Caller{UserID: "ada"})
		if got, err := a.Market.Purchase(ada, "mail-pack", req); !errors.Is(err, market.ErrOrderTaken) {
			t.Errorf("another buyer = %+v, %v; want ErrOrderTaken and not the key", got, err)
		}
	})
}

func TestAPurchaseWithAChosenIDBeginsItsPaymentAgain(t *testing.T) {
	t.Parallel()
	a, b := bankShop(t)
	req := market.PurchaseRequest{TierID: "once", PaymentMethod: "card", OrderID: "chosen-1"}

	b.set(errors.New("no answer"))
	if _, err := a.Market.Purchase(t.Context(), "mail-pack", req); !errors.Is(err, market.ErrPaymentUnreachable) {
		t.Fatalf("Purchase = %v, want ErrPaymentUnreachable", err)
	}
	if o := orderOf(t, a, "chosen-1"); o.Status() != market.OrderPending {
		t.Fatalf("the order is %s, want it pending: it can be asked for again", o.Status())
	}
	b.set(nil)
	first, err := a.Market.Purchase(t.Context(), "mail-pack", req)
	if err != nil || first.PaymentURL != "https://bank.example/pay/chosen-1" {
		t.Fatalf("Purchase = %+v, %v", first, err)
	}
	again, err := a.Market.Purchase(t.Context(), "mail-pack", req)
	if err != nil || again != first || len(b.begun) != 2 {
		t.Errorf("Purchase = %+v, %v after %d payments; want %+v and the page that is open", again, err, len(b.begun), first)
	}
	wantVerdict(t, verify(t, a, "mail-pack", first.LicenseKey.Reveal(), "a.example"), "unpaid")

	req.OrderID = "chosen-2"
	b.set(payment.ErrRefused)
	if _, err := a.Market.Purchase(t.Context(), "mail-pack", req); !errors.Is(err, market.ErrPaymentRefused) {
		t.Errorf("Purchase = %v, want ErrPaymentRefused", err)
	}
	b.set(nil)
	if _, err := a.Market.Purchase(t.Context(), "mail-pack", req); !errors.Is(err, market.ErrOrderCancelled) {
		t.Errorf("Purchase of a cancelled order = %v, want ErrOrderCancelled", err)
	}

	req.OrderID = "chosen-3"
	b.set(errors.New("no answer"))
	if _, err := a.Market.Purchase(t.Context(), "mail-pack", req); err == nil {
		t.Fatal("the bank answered")
	}
	b.set(nil)
	o := orderOf(t, a, req.OrderID)
	o.Provider = "another" // as if the configuration had changed
	if err := a.Market.Sales.UpdateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Market.Purchase(t.Context(), "mail-pack", req); !errors.Is(err, market.ErrPaymentNotTaken) {
		t.Errorf("Purchase of another provider's order = %v, want ErrPaymentNotTaken", err)
	}
}

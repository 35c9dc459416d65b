package order_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/data/database"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/license"
	"stoa/internal/shop/order"
	"stoa/internal/shop/payment"
	"stoa/internal/shop/product"
	"stoa/internal/store"
	"stoa/internal/testkit/clocktest"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/trust/seal"
)

// opened is the time at which the shops of these tests open.
var opened = time.Date(2030, time.March, 1, 12, 0, 0, 0, time.UTC)

// bank is a payment provider that returns what a test sets and records its calls.
type bank struct {
	mu    sync.Mutex
	calls []string
	fails map[string]error         // by the first word of the call; "part" is a refund of one
	pages map[string]payment.Event // what LookUp returns, by page, or by invoice if there is none
	noted time.Time                // what EndLater returns

	figures payment.Proration // what PreviewPlan returns
	changed payment.Changed   // what ChangePlan returns
	times   []time.Time       // for which plans were computed
	parts   map[string]int64  // what was given back in parts, by id

	credits bool   // Refund answers with credit notes
	during  func() // happens once, while Refund is answered
}

func (b *bank) note(call string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, call)
	return b.fails[strings.Fields(call)[0]]
}

// asked returns the calls since it was last called.
func (b *bank) asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	calls := b.calls
	b.calls = nil
	return calls
}

func (b *bank) fail(call string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fails[call] = err
}

func (*bank) Name() string { return "bank" }

func (*bank) Mode() payment.Mode { return payment.Hosted }

func (b *bank) Begin(_ context.Context, c payment.Charge) (payment.Checkout, error) {
	err := b.note("begin")
	return payment.Checkout{Session: "page-" + c.OrderID, URL: "https://bank.example/" + c.OrderID}, err
}

func (b *bank) Refund(_ context.Context, r payment.Refund) ([]payment.CreditNote, error) {
	call := "refund " + r.Reference.Payment + r.Reference.Invoice
	if r.Minor > 0 {
		call += fmt.Sprint(" part ", r.Minor)
		b.mu.Lock()
		b.parts[r.ID] = r.Minor // once, however often it is asked
		b.mu.Unlock()
	}
	if r.Invoiced {
		call += " invoiced"
	}
	err := b.note(strings.TrimSpace(call))
	if during := b.during; during != nil {
		b.during = nil
		during()
	}
	if r.Minor > 0 {
		b.mu.Lock()
		err = cmp.Or(err, b.fails["part"])
		b.mu.Unlock()
	}
	if err != nil || !b.credits {
		return nil, err
	}
	return []payment.CreditNote{{Invoice: r.Reference.Invoice, Number: "note of " + r.Reference.Invoice}}, nil
}

func (b *bank) End(_ context.Context, r payment.Reference) error {
	return b.note("end " + r.Subscription)
}

func (b *bank) EndLater(_ context.Context, r payment.Reference) (time.Time, error) {
	err := b.note("end later " + r.Subscription)
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.noted, err
}

func (b *bank) PreviewPlan(_ context.Context, r payment.Reference, p payment.Plan) (payment.Proration, error) {
	err := b.note(fmt.Sprint("preview ", r.Subscription, " ", p.Minor))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.times = append(b.times, p.At)
	return b.figures, err
}

func (b *bank) ChangePlan(_ context.Context, r payment.Reference, p payment.Plan) (payment.Changed, error) {
	call := fmt.Sprint("change ", r.Subscription, " ", p.Minor)
	if p.Later {
		call += " later"
	}
	err := b.note(call)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.times = append(b.times, p.At)
	if p.Later {
		return payment.Changed{Paid: true}, err
	}
	return b.changed, err
}

func (b *bank) OpenPortal(_ context.Context, r payment.Reference, back string) (string, error) {
	return "https://bank.example/manage", b.note("manage " + r.Customer + " " + back)
}

func (b *bank) Collect(_ context.Context, r payment.Reference) error {
	return b.note("collect " + r.Invoice)
}

func (b *bank) Cancel(context.Context, payment.Reference) error { return b.note("cancel") }

func (b *bank) LookUp(_ context.Context, r payment.Reference) (payment.Event, error) {
	err := b.note("look")
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pages[cmp.Or(r.Session, r.Invoice)], err
}

func (*bank) Event(_ context.Context, payload []byte, signature string) (e payment.Event, err error) {
	switch signature {
	case "outage":
		return e, fmt.Errorf("the bank is closed")
	case "good":
		err = json.Unmarshal(payload, &e)
		return e, err
	}
	return e, payment.ErrForged
}

// nobody stands for the accounts of a shop without users, and for the pictures of one without pictures.
type nobody struct{}

func (nobody) Email(context.Context, string) (string, error) {
	return "", errs.New(errs.NotFound, "NOT_FOUND", "There is no such user.")
}

func (nobody) Language(context.Context, string) (string, error) { return "", nil }

func (nobody) List(context.Context) ([]fs.FileInfo, error)         { return nil, nil }
func (nobody) Put(context.Context, []byte, string) (string, error) { return "", fs.ErrInvalid }

func (nobody) Remove(context.Context, string) error          { return fs.ErrNotExist }
func (nobody) Get(context.Context, string) (*os.File, error) { return nil, fs.ErrNotExist }

// shop sells one product for 49.90 EUR, once or each month, and is paid by a bank.
type shop struct {
	*order.Service

	db       *database.DB
	bank     *bank
	clock    *clocktest.Clock
	store    *store.Orders
	receipts *store.Receipts
}

func openShop(t *testing.T) *shop {
	t.Helper()
	return openShopAt(t, dbtest.SQLite(t))
}

// openShopAt is openShop with the database at a URL.
func openShopAt(t *testing.T, url string) *shop {
	t.Helper()
	db := dbtest.Open(t, url)
	key, err := seal.ParseKey(strings.Repeat("00", 32))
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{
		db: db,
		bank: &bank{
			fails: make(map[string]error), pages: make(map[string]payment.Event), parts: make(map[string]int64),
		},
		clock: clocktest.New(opened), store: store.NewOrders(db), receipts: store.NewReceipts(db),
	}
	keys := license.NewVault(seal.NewKeys(key))
	products := &catalog.Service{
		Store: store.NewProducts(db), Media: nobody{}, Known: catalog.NewKnownSlugs(), Now: s.clock.Now,
	}
	licenses := &license.Service{
		Store: store.NewLicenses(db), Products: products, Users: nobody{}, Vault: keys, Now: s.clock.Now,
	}
	s.Service = &order.Service{
		Store: s.store, Claims: store.NewClaims(db), Products: products, Licenses: licenses, Users: nobody{},
		Payments: s.bank, Vault: keys, Now: s.clock.Now, PublicURL: "https://shop.example",
	}
	const catalog = `{currency: EUR, products: [{slug: mail-pack, name: Mail Pack, category: c, shortDescription: s,
		description: d, icon: /i.svg, pricingTiers: [{id: once, name: Once, price: 49.90},
		{id: monthly, name: Monthly, price: 49.90, billingPeriod: monthly}]}]}`
	if _, err := products.ImportBytes(t.Context(), []byte(catalog)); err != nil {
		t.Fatal(err)
	}
	return s
}

// buy places an order for a tier and returns it as it is stored.
func (s *shop) buy(t *testing.T, tier string) order.Order {
	t.Helper()
	bought, err := s.Purchase(t.Context(), "mail-pack", order.PurchaseRequest{
		TierID: tier, PaymentMethod: "card", Billing: &order.BillingInfo{Email: "ada@example.com"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.bank.asked()
	return s.order(t, bought.OrderID)
}

func (s *shop) order(t *testing.T, id string) order.Order {
	t.Helper()
	o, err := s.store.OrderByID(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func (s *shop) license(t *testing.T, o order.Order) license.License {
	t.Helper()
	l, err := s.store.LicenseByID(t.Context(), o.LicenseID)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// paid is the event that an order was paid in full.
func paid(o order.Order) payment.Event {
	e := payment.Event{
		ID: "paid-" + o.ID, Kind: payment.Paid, At: opened.Add(time.Minute), OrderID: o.ID, Minor: 4990,
		Exponent: 2, Currency: "EUR",
		Reference: payment.Reference{Session: "page-" + o.ID, Payment: "pay-1"},
	}
	if o.Period == product.Monthly {
		e.Reference.Invoice, e.Reference.Subscription = "inv-1", "sub-1"
	}
	return e
}

// refunded is the event that an order's whole payment was refunded.
func refunded(o order.Order) payment.Event {
	e := paid(o)
	e.ID, e.Kind, e.At, e.Minor = "refunded-"+o.ID, payment.Refunded, opened.Add(time.Hour), 0
	return e
}

// failed is the event that an order will not be paid.
func failed(o order.Order) payment.Event {
	return payment.Event{
		ID: "failed-" + o.ID, Kind: payment.Failed, At: opened.Add(2 * time.Minute), OrderID: o.ID,
		Reference: payment.Reference{Session: "page-" + o.ID},
	}
}

// tell delivers an event that the bank signed.
func (s *shop) tell(t *testing.T, e payment.Event) order.Outcome {
	t.Helper()
	payload, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.HandleWebhook(t.Context(), "bank", payload, "good")
	if err != nil {
		t.Fatalf("%s: %v", e.ID, err)
	}
	return out
}

// state describes an order and its license in a line.
func (s *shop) state(t *testing.T, id string) string {
	t.Helper()
	o := s.order(t, id)
	l := s.license(t, o)
	words := []string{string(o.Status())}
	if l.Paid {
		words = append(words, "license paid")
	}
	if !l.RevokedAt.IsZero() {
		words = append(words, "license revoked")
	}
	if !o.RefundedAt.IsZero() && o.Status() != order.Refunded {
		words = append(words, "money returned")
	}
	if !o.EndedAt.IsZero() {
		words = append(words, "subscription ended")
	}
	return strings.Join(words, ", ")
}

// admin returns the context of an administrator.
func admin(t *testing.T) context.Context {
	return reqctx.WithCaller(t.Context(), reqctx.Caller{UserID: "boss", Role: "ADMIN"})
}

// each calls fn with every permutation of a list.
func each[T any](list []T, fn func([]T)) {
	if len(list) < 2 {
		fn(list)
		return
	}
	for i := range list {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		each(rest, func(tail []T) { fn(append([]T{list[i]}, tail...)) })
	}
}

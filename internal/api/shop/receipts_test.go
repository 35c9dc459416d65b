package shop_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/app"
	"stoa/internal/message/mail"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/goldentest"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/smtptest"
	"stoa/internal/testkit/waittest"
)

// mailer is a mail server that fails with err, unless that is nil.
type mailer struct {
	mu    sync.Mutex
	err   error
	tried int
	sent  []mail.Message
}

func (m *mailer) Send(_ context.Context, msg mail.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tried++
	if m.err == nil {
		m.sent = append(m.sent, msg)
	}
	return m.err
}

// fail makes the mailer fail from now on, or work again.
func (m *mailer) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// take returns how many mails were tried since the last call, and those that
// were sent.
func (m *mailer) take() (tried int, sent []mail.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	tried, sent, m.tried, m.sent = m.tried, m.sent, 0, nil
	return tried, sent
}

// mailing sets the mail server of an App.
func mailing(m mail.Sender) testkit.Option {
	return func(_ testing.TB, cfg *app.Config) { cfg.Mailer = m }
}

// deliver delivers the receipts that are due at the clock's time.
func deliver(tb testing.TB, a *testkit.App) {
	tb.Helper()
	a.Orders.Courier.Wake()
	if err := a.Orders.Courier.Idle(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

// recipients returns the recipients of mails, sorted.
func recipients(mails []mail.Message) []string {
	list := make([]string, len(mails))
	for i, m := range mails {
		list[i] = m.To
	}
	slices.Sort(list)
	return list
}

func TestAReceiptGoesToTheBillElseToTheBuyer(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		ada := a.Register(t, "ada")
		for _, tt := range []struct {
			name, token, email string
			want               []string
		}{
			{"signed in without a bill", ada.Access, "", []string{"ada@example.com"}},
			{"signed in with a bill", ada.Access, " Bills@Example.com ", []string{"Bills@Example.com"}},
			{"signed in with a bill to nowhere", ada.Access, "accounting, please", []string{"ada@example.com"}},
			{"signed in with a bill to two", ada.Access, "a@example.com, b@example.com", []string{"ada@example.com"}},
			{"signed in with a header in the bill", ada.Access, "Ada <a@example.com>", []string{"ada@example.com"}},
			{"a guest with a bill", "", "guest@example.com", []string{"guest@example.com"}},
			{"a guest without a bill", "", "", []string{}},
			{"a guest with a bill to nowhere", "", "nowhere", []string{}},
		} {
			bought := a.Order(t, tt.token, "once", tt.email)
			mails := a.Mails(t)
			if diff := cmp.Diff(recipients(mails), tt.want); diff != "" {
				t.Errorf("%s: mails to (-got +want):\n%s", tt.name, diff)
			}
			for _, m := range mails {
				if !strings.Contains(m.Text, bought.Text(t, "licenseKey")) ||
					!strings.Contains(m.Text, bought.Text(t, "orderId")) {
					t.Errorf("%s: key or order is not in the mail:\n%s", tt.name, m.Text)
				}
			}
		}
		if mails := a.Mails(t); len(mails) != 0 {
			t.Errorf("mailed again: %+v", mails)
		}
	})
}

var anyToken = regexp.MustCompile(`#[A-Z2-7]{26}\n`)

var anyReceiptID = regexp.MustCompile(`\b[a-z][a-z0-9]{23}\b`)

// Receipts are compared with testdata/receipt_<name>.txt to the letter.
func TestReceiptTexts(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	ada := a.Register(t, "ada")
	for name, p := range map[string]struct{ token, tier string }{
		"perpetual": {ada.Access, "once"}, "subscription": {ada.Access, "yearly"},
		"free": {ada.Access, "free"}, "guest": {"", "monthly"},
	} {
		body := map[string]any{"tierId": p.tier, "paymentMethod": "card", "billingInfo": map[string]string{
			"email": "bill@example.com", "name": "Visit http://evil.example", "company": "and buy",
		}}
		res := a.Do(t, testkit.Post(p.token, testkit.Products+"/mail-pack/purchase", body))
		mails := a.Mails(t)
		if res.Status != http.StatusOK || len(mails) != 1 {
			t.Fatalf("%s: %s, %d mails", name, res.Body, len(mails))
		}
		// Nobody can use a receipt to send a message of their own.
		if strings.Contains(mails[0].Text, "Visit ") || strings.Contains(mails[0].Text, "evil.example") ||
			strings.Contains(mails[0].Text, "and buy") {
			t.Errorf("%s: the buyer's words are in the mail:\n%s", name, mails[0].Text)
		}
		got := "Subject: " + mails[0].Subject + "\n\n" + mails[0].Text
		got = strings.ReplaceAll(strings.ReplaceAll(got, a.URL, "URL"), strings.TrimPrefix(a.URL, "http://"), "HOST")
		got = strings.ReplaceAll(anyReceiptID.ReplaceAllString(got, "ID"), res.Text(t, "licenseKey"), "KEY")
		got = anyToken.ReplaceAllString(got, "#TOKEN\n")
		goldentest.File(t, "receipt_"+name+".txt", got)
	}
}

var errMailDown = errors.New("mail: connecting: connection refused")

// The pauses grow; after three days the courier gives up. The log says so,
// without the key.
func TestAReceiptIsTriedForThreeDays(t *testing.T) {
	t.Parallel()

	var (
		log    logtest.Buffer
		server = &mailer{err: errMailDown}
	)
	a := testkit.NewShop(t, mailing(server), func(_ testing.TB, cfg *app.Config) { cfg.Log = log.Logger() })
	bought := a.Order(t, "", "once", "ada@example.com")
	deliver(t, a)
	start := a.Clock.Now()
	try := func(want int) {
		t.Helper()
		deliver(t, a)
		if got, _ := server.take(); got != want {
			t.Errorf("after %v: %d tries, want %d", a.Clock.Now().Sub(start), got, want)
		}
	}
	try(1)
	for _, pause := range []time.Duration{
		time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 4 * time.Hour, 4 * time.Hour,
	} {
		a.Clock.Advance(pause - time.Millisecond)
		try(0)
		a.Clock.Advance(time.Millisecond)
		try(1)
	}
	for range 30 {
		a.Clock.Advance(4 * time.Hour)
		deliver(t, a)
	}
	if got, _ := server.take(); got != 15 { // to the last before 72 hours
		t.Errorf("%d tries in the days that followed, want 15", got)
	}
	text := log.String()
	if strings.Count(text, "receipt not sent, trying again") != 21 || strings.Count(text, "receipt given up") != 1 ||
		!strings.Contains(text, bought.Text(t, "orderId")) {
		t.Errorf("the log:\n%s", text)
	}
	if strings.Contains(text, bought.Text(t, "licenseKey")) || strings.Contains(text, "ada@example.com") {
		t.Errorf("the log holds the key or the address:\n%s", text)
	}
	server.fail(nil)
	a.Clock.Advance(24 * time.Hour)
	try(0)
}

func TestAReceiptIsSentOnceTheServerIsBack(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		server := &mailer{err: errMailDown}
		a.Orders.Courier.Close() // the one that New started
		a.Orders.Courier.Mailer = server
		a.Orders.Courier.Start(t.Context())
		a.Order(t, "", "once", "ada@example.com")
		deliver(t, a)
		server.fail(nil)
		a.Clock.Advance(time.Minute)
		deliver(t, a)
		deliver(t, a)
		if tried, sent := server.take(); tried != 2 || len(sent) != 1 {
			t.Errorf("%d tries, %d sent; want 2 and 1", tried, len(sent))
		}
	})
}

func TestAReceiptThatIsRefusedForGoodIsNotTriedAgain(t *testing.T) {
	t.Parallel()

	for name, refusal := range map[string]error{
		"by the server": fmt.Errorf("mail: %w: 550", mail.ErrPermanent), "before it was sent": mail.ErrMessage,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			server := &mailer{err: refusal}
			a := testkit.NewShop(t, mailing(server))
			a.Order(t, "", "once", "ada@example.com")
			for range 3 {
				deliver(t, a)
				a.Clock.Advance(time.Hour)
			}
			if tried, _ := server.take(); tried != 1 {
				t.Errorf("%d tries, want 1", tried)
			}
		})
	}
}

// A license that was revoked before its receipt was sent gets none.
func TestNoReceiptForARevokedLicense(t *testing.T) {
	t.Parallel()

	server := &mailer{err: errMailDown}
	a := testkit.NewShop(t, mailing(server))
	bought := a.Order(t, "", "once", "ada@example.com")
	deliver(t, a)
	o, err := a.Orders.Store.OrderByID(t.Context(), bought.Text(t, "orderId"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Licenses.Revoke(t.Context(), o.LicenseID, nil); err != nil {
		t.Fatal(err)
	}
	server.fail(nil)
	a.Clock.Advance(time.Minute)
	deliver(t, a)
	if tried, sent := server.take(); tried != 1 || len(sent) != 0 {
		t.Errorf("%d tries, %d sent; want the first only", tried, len(sent))
	}
}

// Anybody can order a free tier with another's address.
func TestReceiptsAreLimitedByAddress(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		a.ImportCatalog(t)
		count := func(want int, when string) {
			t.Helper()
			if got := len(a.Mails(t)); got != want {
				t.Errorf("%s: %d mails, want %d", when, got, want)
			}
		}
		for i := range 13 {
			a.Order(t, "", "free", []string{"ada@example.com", "ADA@example.com"}[i%2])
		}
		count(10, "13 free orders")
		a.Order(t, "", "once", "ada@example.com")
		a.Order(t, "", "free", "bob@example.com")
		count(2, "one that was paid for, and one of somebody else")
		a.Clock.Advance(144 * time.Minute)
		count(1, "144 minutes later")
		a.Clock.Advance(24 * time.Hour)
		count(2, "a day later")
		for range 60 {
			a.Order(t, "", "free", "ada@example.com")
		}
		for range 100 {
			deliver(t, a)
			a.Clock.Advance(time.Hour)
		}
		if got := len(a.Mails(t)); got < 30 || got > 41 {
			t.Errorf("of 60 free orders %d receipts were sent in three days, want 10 and 10 a day", got)
		}
	})
}

// A receipt whose courier was killed is mailed by another one when the lease
// ends. It may arrive twice then, with the same Message-ID.
func TestAReceiptSurvivesItsCourier(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		a.ImportCatalog(t)
		killed, alive := &stuck{entered: make(chan mail.Message, 1), release: make(chan struct{})}, new(mailer)
		a.Orders.Courier.Close()
		a.Orders.Courier.Mailer = killed
		a.Orders.Courier.Start(t.Context())
		b.Orders.Courier.Close()
		b.Orders.Courier.Mailer = alive
		b.Orders.Courier.Start(t.Context())
		a.Order(t, "", "once", "ada@example.com")
		first := waittest.Next(t, "a mail on its way", killed.entered)
		b.Clock.Advance(2*time.Minute - time.Second)
		deliver(t, b)
		if tried, _ := alive.take(); tried != 0 {
			t.Error("a leased receipt was sent by another")
		}
		b.Clock.Advance(2 * time.Second)
		deliver(t, b)
		if _, sent := alive.take(); len(sent) != 1 || sent[0].ID != first.ID || sent[0].ID == "" {
			t.Errorf("sent %+v, want once more %+v", sent, first)
		}
		close(killed.release) // it was not dead: what it says now does not count
		if err := a.Orders.Courier.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		b.Clock.Advance(time.Hour)
		deliver(t, b)
		if tried, _ := alive.take(); tried != 0 {
			t.Error("the receipt was sent a third time")
		}
	})
}

// stuck is a mail server that does not answer until it is released, and then
// with an error.
type stuck struct {
	entered chan mail.Message
	release chan struct{}
}

func (s *stuck) Send(_ context.Context, m mail.Message) error {
	s.entered <- m
	<-s.release
	return errMailDown
}

func TestReplicasShareReceiptsAndSendEachOnce(t *testing.T) {
	t.Parallel()

	testkit.Replicas(t, func(t *testing.T, a, b *testkit.App, _ *sql.DB) {
		a.ImportCatalog(t)
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				res := []*testkit.App{a, b}[i%2].Send(t, testkit.Products+"/mail-pack/purchase", map[string]any{
					"tierId": "once", "paymentMethod": "card",
					"billingInfo": map[string]string{"email": fmt.Sprintf("u%d@example.com", i)},
				})
				if res.Status != http.StatusOK {
					t.Errorf("purchase = %d %s", res.Status, res.Body)
				}
			})
		}
		wg.Wait()
		mails := append(a.Mails(t), b.Mails(t)...)
		mails = append(mails, a.Mails(t)...) // b may have left some to a
		to := recipients(mails)
		if distinct := len(slices.Compact(slices.Clone(to))); len(to) != 40 || distinct != 40 {
			t.Errorf("%d mails to %d people, want 40 to 40: %v", len(to), distinct, to)
		}
	})
}

// A command on the server's database does not know the mail server: it would
// write receipts into its log.
func TestCommandsSendNoReceipts(t *testing.T) {
	t.Parallel()

	server := new(mailer)
	a := testkit.NewShop(t, mailing(server), func(_ testing.TB, cfg *app.Config) { cfg.Deliver = false })
	a.Order(t, "", "once", "ada@example.com")
	deliver(t, a)
	if tried, _ := server.take(); tried != 0 {
		t.Error("a receipt was sent")
	}
	d, ok, err := store.NewReceipts(a.DB).LeaseReceipt(t.Context(), "l", a.Clock.Now(), a.Clock.Now())
	if err != nil || !ok || d.Attempts != 1 {
		t.Errorf("LeaseReceipt = %+v, %v, %v; want the receipt, not tried before", d, ok, err)
	}
}

// A failure of one receipt does not stop the others.
func TestAReceiptThatPanicsIsSentLater(t *testing.T) {
	t.Parallel()

	server := &panicky{}
	a := testkit.NewShop(t, mailing(server))
	a.Order(t, "", "once", "ada@example.com")
	deliver(t, a)
	a.Clock.Advance(2 * time.Minute)
	deliver(t, a)
	if _, sent := server.take(); len(sent) != 1 {
		t.Errorf("%d sent, want 1", len(sent))
	}
}

// panicky panics the first time.
type panicky struct {
	mailer

	once sync.Once
}

func (p *panicky) Send(ctx context.Context, m mail.Message) error {
	p.once.Do(func() { panic("first") })
	return p.mailer.Send(ctx, m)
}

// Over a real SMTP server, with a restart between the order and the mail.
func TestReceiptOverARealSMTPServer(t *testing.T) {
	t.Parallel()

	server := smtptest.New(t, smtptest.Options{User: "stoa", Password: "smtp secret"})
	dir := t.TempDir()
	at := filepath.Join(dir, "stoa.db")
	down := testkit.NewShop(t, mailing(&mailer{err: errMailDown}),
		func(_ testing.TB, cfg *app.Config) { cfg.DatabaseURL = at })
	bought := down.Order(t, "", "once", "ada@example.com")
	deliver(t, down)
	up := testkit.New(t, func(_ testing.TB, cfg *app.Config) {
		cfg.DatabaseURL, cfg.Mailer = at, nil
		cfg.SMTPURL, cfg.SMTPPassword = server.URL("stoa"), "smtp secret"
		cfg.MailFrom = "Shop <no-reply@shop.example.com>"
	})
	up.Clock.Advance(2 * time.Minute)
	deliver(t, up)
	got := server.NextMail(t)
	msg := got.Message(t)
	if want := "<receipt-" + bought.Text(t, "orderId") + "@shop.example.com>"; msg.Header.Get("Message-ID") != want {
		t.Errorf("Message-ID = %s, want %s", msg.Header.Get("Message-ID"), want)
	}
	if to := msg.Header.Get("To"); !strings.Contains(to, "ada@example.com") ||
		msg.Header.Get("Subject") != "Your license for Mail Pack" {
		t.Errorf("mail to %s: %s", to, msg.Header.Get("Subject"))
	}
	if text := got.Text(t); !strings.Contains(text, "\n  "+bought.Text(t, "licenseKey")+"\n") ||
		!strings.Contains(text, "49.90 EUR") {
		t.Errorf("text:\n%s", text)
	}
}

package template

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/testkit/logtest"
	"stoa/internal/trust/audit"
)

const shopURL = "https://shop.example.com"

// kept is a Store of one template.
type kept struct {
	own    *Own
	broken bool
	log    []audit.Action
}

func (k *kept) Templates(context.Context) ([]Own, error) {
	if k.own == nil {
		return nil, nil
	}
	return []Own{*k.own}, nil
}

func (k *kept) Template(_ context.Context, kind Kind, language string) (Own, error) {
	if k.own == nil || k.own.Kind != kind || k.own.Language != language {
		return Own{}, errs.New(errs.NotFound, "NOT_FOUND", "no template")
	}
	return *k.own, nil
}
func (k *kept) PutTemplate(_ context.Context, t Own) error { k.own = &t; return nil }
func (k *kept) DeleteTemplate(ctx context.Context, kind Kind, language string) error {
	_, err := k.Template(ctx, kind, language)
	k.own = nil
	return err
}

func (k *kept) MarkBroken(context.Context, Kind, string, time.Time) error {
	k.broken = true
	return nil
}

func (k *kept) Record(_ context.Context, e audit.Entry) error {
	k.log = append(k.log, e.Action)
	return nil
}
func (k *kept) InTx(_ context.Context, fn func(Store) error) error { return fn(k) }

// words are stoa's own, in English.
func words(tb testing.TB) map[Kind]Form {
	tb.Helper()
	return allWords(tb)["en"]
}

func service(tb testing.TB) *Service {
	own := words(tb)
	return &Service{
		Store: &kept{}, Now: func() time.Time { return time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC) },
		Log: new(logtest.Buffer).Logger(), PublicURL: shopURL, Languages: []string{"en", "de"},
		Shop: func(context.Context) Shop { return Shop{Name: "Acme"} },
		Day:  func(language string, at time.Time) string { return language + at.Format(" 2.1.2006") },
		Time: func(language string, at time.Time) string { return language + at.Format(" 2.1.2006 3:04") },
		Money: func(language, amount string) string {
			if language == "de" {
				return strings.Replace(amount, ".", ",", 1)
			}
			return amount
		},
		Own: func(kind Kind, _ string) Form { return own[kind] },
	}
}

// faults returns "path code" of every issue.
func faults(is errs.Issues) string {
	var list []string
	for _, i := range is.List() {
		list = append(list, i.Path+" "+i.Code)
	}
	return strings.Join(list, ", ")
}

func TestAMailHasTheShopsWords(t *testing.T) {
	t.Parallel()

	s := service(t)
	language := "en"
	compose := func() mail.Message {
		t.Helper()
		m := Receipt.Message("ada@example.com", language, map[string]string{
			ProductName: "Tool", TierName: "Pro", LicenseKey: "STOA-1", Seats: "1", Amount: "5.00 EUR", OrderID: "1", OrderDate: Moment(time.Date(2030, 5, 4, 0, 0, 0, 0, time.UTC)),
		})
		m.ID = "receipt-1"
		m, err := s.Compose(t.Context(), m)
		if err != nil || m.To != "ada@example.com" || m.ID != "receipt-1" || m.Draft != nil {
			t.Fatal(m, err)
		}
		return m
	}
	own := compose()
	if !strings.Contains(own.Text, "en 4.5.2030\n") {
		t.Errorf("the day is not written in English: %s", own.Text)
	}
	if own.Subject != "Your license for Tool" || own.HTML != "" || strings.Contains(own.Text, "{{") ||
		!strings.Contains(own.Text, "\n  STOA-1\n") || !strings.Contains(own.Text, "  Product   Tool - Pro\n  Amount    5.00 EUR\n") {
		t.Errorf("stoa's own words: %q\n%s", own.Subject, own.Text)
	}
	form := Form{"{{productName}} is yours", "Hi!\n\n{{licenseKey}}\n\nSee {{shopUrl}}/account\n"}
	if _, err := s.Put(t.Context(), Receipt, "en", form); err != nil {
		t.Fatal(err)
	}
	m := compose()
	if m.Subject != "Tool is yours" || m.Text != "Hi!\n\nSTOA-1\n\nSee https://shop.example.com/account\n" ||
		!strings.Contains(m.HTML, ">STOA-1</strong>") {
		t.Errorf("the shop's words: %+v", m)
	}
	language = "de"
	if m := compose(); m.Text != strings.NewReplacer("en 4", "de 4", "5.00", "5,00").Replace(own.Text) || m.HTML != "" {
		t.Errorf("in a language without words of the shop: %+v", m)
	}
	language = "fr"
	if m := compose(); m.Subject != "Tool is yours" {
		t.Errorf("a language that stoa does not speak is written to in %q", m.Subject)
	}
	language = "en"
	filled := s.Fill(Claim.Message("ada@example.com", "", map[string]string{Link: shopURL + "/claim#t"}))
	if filled.Draft == nil || filled.Subject != "Claim your orders" || !strings.Contains(filled.Text, "at shop.example.com with") ||
		!strings.Contains(filled.Text, "\n"+shopURL+"/claim#t\n") {
		t.Errorf("for a process of the version before: %+v", filled)
	}
	if m, err := s.Compose(t.Context(), mail.Message{To: "a@b", Subject: "x", Text: "y"}); err != nil || m.Text != "y" || m.HTML != "" {
		t.Errorf("a message with words: %+v, %v", m, err)
	}
	if err := s.Delete(t.Context(), Receipt, "en"); err != nil {
		t.Fatal(err)
	}
	if m := compose(); m.Text != own.Text {
		t.Errorf("after the reset: %+v", m)
	}
	if got := s.Store.(*kept).log; !slices.Equal(got, []audit.Action{audit.TemplateUpdate, audit.TemplateReset}) {
		t.Errorf("audited %v", got)
	}
}

func TestWordsThatCannotBeRenderedGoOutAsStoasOwn(t *testing.T) {
	t.Parallel()

	for name, form := range map[string]Form{
		"an unknown variable":      {"x", "{{licenseKey}}\n{{unheardOf}}"},
		"no key":                   {"x", "nothing"},
		"an address that it makes": {"x", "{{shopUrl}}{{^amount}} {{/amount}}{{productName}}/\n{{licenseKey}}"},
		"an empty subject":         {"{{discountCode}}", "{{licenseKey}}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var log logtest.Buffer
			s := service(t)
			s.Log = log.Logger()
			store := &kept{own: &Own{Kind: Receipt, Language: "en", Form: form}}
			s.Store = store
			m, err := s.Compose(t.Context(), Receipt.Message("ada@example.com", "en", map[string]string{
				LicenseKey: "STOA-1", ProductName: "Tool", Amount: "1",
			}))
			if err != nil || m.Subject != "Your license for Tool" || !store.broken {
				t.Errorf("%q, %v; broken %v", m.Subject, err, store.broken)
			}
			if out := log.String(); !strings.Contains(out, "level=WARN") || strings.Contains(out, "STOA-1") {
				t.Errorf("log: %s", out)
			}
		})
	}
}

func TestFaultsOfWords(t *testing.T) {
	t.Parallel()

	const key = "{{licenseKey}}\n"
	for _, tt := range []struct {
		name string
		kind Kind
		form Form
		want string
	}{
		{"the least", Receipt, Form{"x", key}, ""},
		{"nothing", Receipt, Form{}, "subject required, text required"},
		{"spaces", Receipt, Form{" ", " \n"}, "subject required, text required"},
		{"no key", Receipt, Form{"x", "Hello\n"}, "text required"},
		{"no key of a trial", Trial, Form{"x", "Hello\n"}, "text required"},
		{"no link", Claim, Form{"x", "Hello\n"}, "text required"},
		{"no link for a password", PasswordReset, Form{"x", "Hello\n"}, "text required"},
		{"a refund needs none", Refund, Form{"x", "Hello\n"}, ""},
		{"a variable of another kind", Claim, Form{"x", "{{link}}\n{{licenseKey}}"}, "text unknown_value"},
		{"a line break in the subject", Receipt, Form{"x\ny", key}, "subject invalid"},
		{"a control character", Receipt, Form{"x\x00", "a\x1b\n" + key}, "subject invalid, text invalid"},
		{"letters that turn the line", Receipt, Form{"x\u202e", "\u2066\n" + key}, "subject invalid, text invalid"},
		{"the longest subject", Receipt, Form{strings.Repeat("ä", MaxSubject), key}, ""},
		{"one longer", Receipt, Form{strings.Repeat("ä", MaxSubject+1), key}, "subject out_of_range"},
		{"the longest text", Receipt, Form{"x", key + strings.Repeat("a", MaxText-len(key))}, ""},
		{"one longer text", Receipt, Form{"x", key + strings.Repeat("a", MaxText-len(key)+1)}, "text out_of_range"},
		{"a key in the subject", Receipt, Form{"{{licenseKey}}", key}, "subject invalid"},
		{"a link in the subject", Claim, Form{"{{link}}", "{{link}}"}, "subject invalid"},
		{"a key in a line", Receipt, Form{"x", "Key: {{licenseKey}}"}, "text invalid"},
		{"a key behind an address", Receipt, Form{"x", "https://evil.example/?{{licenseKey}}"}, "text invalid, text invalid"},
		{"a key in a section in a line", Receipt, Form{"x", "{{#licenseKey}}{{licenseKey}}{{/licenseKey}}"}, "text invalid"},
		{"a key between sections", Receipt, Form{"x", "{{#licenseKey}}\n{{licenseKey}}\n{{/licenseKey}}"}, ""},
		{"a section that joins two lines", Receipt, Form{"x", "open www\u2024evil{{^shopName}}\n{{/shopName}}\n{{licenseKey}}"}, "text invalid"},
		{"a section that joins the next line", Receipt, Form{"x", "{{licenseKey}}\n{{#shopName}}\n\n{{/shopName}}\nwords"}, ""},
		{"a section that ends before the next line", Receipt, Form{"x", "a{{#amount}}\n{{licenseKey}}\n{{/amount}}b\n"}, ""},
		{"a key beside the end of a section", Receipt, Form{"x", "{{#amount}}\n{{licenseKey}}{{/amount}}\n" + key}, "text invalid"},
		{"a code in a line", ProofCode, Form{"x", "Code: {{code}}"}, "text invalid"},
		{"a link that shuts an account in a line", ProveEmail, Form{"x", "{{disownLink}}!"}, "text invalid"},
		{"an address of the shop", Receipt, Form{"x", key + "https://shop.example.com/help, or {{shopUrl}}.\n"}, ""},
		{"an address of another", Receipt, Form{"x", key + "https://evil.example\n"}, "text invalid"},
		{"another scheme", Receipt, Form{"x", key + "http://shop.example.com/ ftp://shop.example.com\n"}, "text invalid"},
		{"a longer host", Receipt, Form{"x", key + "{{shopUrl}}.evil.example\n"}, "text invalid"},
		{"a host behind a name", Receipt, Form{"x", key + "{{shopUrl}}@evil.example\n"}, "text invalid"},
		{"a host with a variable", Receipt, Form{"x", key + "https://{{productName}}.example\n"}, "text invalid"},
		{"a section in a host", Receipt, Form{"x", key + "{{shopUrl}}{{#amount}}.evil.example{{/amount}}\n"}, "text invalid"},
		{"an address without a scheme", Receipt, Form{"x", key + "Open www.evil.example/x\n"}, "text invalid"},
		{"a short one", Receipt, Form{"x", key + "Open evil.com/x\n"}, "text invalid"},
		{"one with a port", Receipt, Form{"x", key + "evil.com:8080\n"}, "text invalid"},
		{"one in capitals", Receipt, Form{"x", key + "WWW.EVIL.COM\n"}, "text invalid"},
		{"one behind slashes", Receipt, Form{"x", key + "//evil.com\n"}, "text invalid"},
		{"an address for mails", Receipt, Form{"x", key + "mailto:eve@evil.example\n"}, "text invalid"},
		{"the shop without a scheme", Receipt, Form{"x", key + "shop.example.com/help and //shop.example.com\n"}, ""},
		{"words with dots and slashes", Receipt, Form{"x", key + "shop.de: Node.js/Fastify, and/or, e.g./i.e., 1.2/3, ada@shop.de\n"}, ""},
		{"backslashes", Receipt, Form{"x", key + `https:\\evil.example` + "\n"}, "text invalid"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if got := faults(service(t).Issues(tt.kind, tt.form)); got != tt.want {
				t.Errorf("%q; want %q", got, tt.want)
			}
		})
	}
}

// What stoa ships is what a shop may write, with every variable and with none.
func TestStoasOwnWordsAreRight(t *testing.T) {
	t.Parallel()

	for language, forms := range allWords(t) {
		if want := len(Kinds) + len(Fixed()); len(forms) != want {
			t.Errorf("%s has %d mails, want %d", language, len(forms), want)
		}
		s := service(t)
		for _, kind := range Kinds {
			form := forms[kind]
			if got := faults(s.Issues(kind, form)); got != "" {
				t.Errorf("%s: %s: %v", language, kind, s.Issues(kind, form).List())
			}
			least := map[string]string{ProductName: "Tool", ShopName: "Acme"}
			if kind != Receipt && kind != Trial { // of which guests get one only
				least[Link] = shopURL + "/x"
			}
			for _, values := range []map[string]string{s.examples(Shop{Name: "Acme"}), least} {
				subject, text := form.render(kind, values)
				if subject == "" || strings.Contains(subject+text, "{{") || strings.Contains(text, "\n\n\n") {
					t.Errorf("%s: %s: %q\n%s", language, kind, subject, text)
				}
			}
		}
	}
}

func TestAReceiptEndsWithTheInvoice(t *testing.T) {
	t.Parallel()

	values := map[string]string{LicenseKey: "STOA-1", InvoiceNumber: "A-1", InvoiceLink: "https://invoice.example/1"}
	for _, tt := range []struct {
		name string
		kept kept
		want bool
	}{
		{"stoa's own words", kept{}, true},
		{"the shop's words", kept{own: &Own{Kind: Receipt, Language: "en", Form: Form{"Yours", "{{licenseKey}}"}}}, false},
	} {
		s := service(t)
		s.Store = &tt.kept
		m, err := s.Compose(t.Context(), Receipt.Message("ada@example.com", "en", values))
		if got := strings.HasSuffix(m.Text, "\n\nYour invoice A-1 is here:\n\nhttps://invoice.example/1\n"); err != nil || got != tt.want {
			t.Errorf("%s: %v\n%s", tt.name, err, m.Text)
		}
		if m, err = s.Compose(t.Context(), Receipt.Message("ada@example.com", "en", map[string]string{LicenseKey: "STOA-1"})); err != nil || strings.Contains(m.Text, "invoice") {
			t.Errorf("%s, without an invoice: %v\n%s", tt.name, err, m.Text)
		}
	}
}

func TestATestMailGoesToWhoeverAsksForItOnly(t *testing.T) {
	t.Parallel()

	s := service(t)
	var sent []mail.Message
	s.Poster = posting(func(m mail.Message) { sent = append(sent, m) })
	s.Email = func(_ context.Context, id string) (string, error) { return id + "@example.com", nil }
	form := Form{"Test of {{productName}}", "{{link}}\n"}
	ctx := reqctx.WithCaller(t.Context(), reqctx.Caller{UserID: "ada"})
	if err := s.Test(ctx, Claim, "en", form); errs.KindOf(err) != errs.Invalid || len(sent) != 0 {
		t.Errorf("a variable of another kind: %v, %v", err, sent)
	}
	form.Subject = "Test of {{shopName}}"
	if err := s.Test(ctx, Claim, "en", form); err != nil {
		t.Fatal(err)
	}
	if len(sent) != 1 || sent[0].To != "ada@example.com" || sent[0].Subject != "Test of Acme" || sent[0].HTML == "" {
		t.Errorf("sent %+v", sent)
	}
	if err := s.Test(t.Context(), Claim, "en", form); !errors.Is(err, ErrNoAddress) {
		t.Errorf("a caller without an address: %v", err)
	}
	s.Poster = nil
	if err := s.Test(ctx, Claim, "en", form); !errors.Is(err, ErrNoMail) {
		t.Errorf("a platform without mail: %v", err)
	}
	for _, at := range []struct {
		kind     Kind
		language string
	}{{"none", "en"}, {Claim, "xx"}} {
		if err := s.Test(ctx, at.kind, at.language, form); !errors.Is(err, ErrNotFound) {
			t.Errorf("%v: %v", at, err)
		}
	}
}

type posting func(mail.Message)

func (p posting) Post(ctx context.Context, compose mail.Compose) {
	if m, ok, err := compose(ctx); ok && err == nil {
		p(m)
	}
}

func TestHTMLIsTheTextAndNothingElse(t *testing.T) {
	t.Parallel()

	s := service(t)
	s.Shop = func(context.Context) Shop {
		return Shop{Name: `A"<b>`, Accent: "#0f766e", Logo: "https://shop.example.com/media/logo.svg"}
	}
	m, err := s.Compose(t.Context(), Receipt.Message("ada@example.com", "en", map[string]string{
		ProductName: "<script>alert(1)</script>", LicenseKey: "STOA-1", Link: shopURL + "/claim#t",
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<html lang="en">`, "border-top:4px solid #0f766e", `src="https://shop.example.com/media/logo.svg"`, "&lt;script&gt;",
		`<a href="https://shop.example.com/claim#t"`, ">STOA-1</strong>",
	} {
		if !strings.Contains(m.HTML, want) {
			t.Errorf("%s is not in it", want)
		}
	}
	if strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, `A"<b>`) {
		t.Errorf("values are not escaped: %s", m.HTML)
	}
	if n := strings.Count(m.HTML, "<a "); n != 1 {
		t.Errorf("%d links: %s", n, m.HTML)
	}
}

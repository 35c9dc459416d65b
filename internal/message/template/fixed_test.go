package template

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"stoa/internal/message/mail"
)

// allWords are stoa's own in every language.
func allWords(tb testing.TB) map[string]map[Kind]Form {
	tb.Helper()
	entries, err := os.ReadDir("../../../web/texts")
	if err != nil {
		tb.Fatal(err)
	}
	all := make(map[string]map[Kind]Form)
	for _, entry := range entries {
		body, err := os.ReadFile("../../../web/texts/" + entry.Name())
		if err != nil {
			tb.Fatal(err)
		}
		var file struct{ Mails map[Kind]Form }
		if err := json.Unmarshal(body, &file); err != nil {
			tb.Fatal(err)
		}
		all[strings.TrimSuffix(entry.Name(), ".json")] = file.Mails
	}
	return all
}

// typical has a value of usual length for every variable of the fixed kinds.
func typical() map[string]string {
	values := map[string]string{
		ShopName: "Acme Components", ShopURL: shopURL, SupportEmail: "help@example.com",
		Email: "ada.lovelace@example.com", Username: "ada.lovelace", At: "22 de dez. de 2030 às 15:04 UTC", Until: "22 de dez. de 2030 às 16:04 UTC",
		Link: shopURL + "/not-me#" + strings.Repeat("t", 43), DisownLink: shopURL + "/disown#" + strings.Repeat("d", 43), Code: "4TK7M2",
		Count: "3", Left: "7", Provider: "Workplace", Device: "Firefox on Linux", Address: "192.0.2.1", Role: "SUPPORT",
		OrderID: "8f14e45f-ceea-467f-a9d4-ab5f2c5b0e11", License: "8f14e45f-ceea-467f-a9d4-ab5f2c5b0e12",
		Amount: "49.00 EUR", RefundAmount: "20.00 EUR", Webhook: "8f14e45f-ceea-467f-a9d4-ab5f2c5b0e13", Host: "hooks.example.org",
		Reason: "The address answered 410 Gone.", InvoiceNumber: "A1B2C3D4-0001",
	}
	for _, of := range []string{Former, Replaced, App, Passkeys, Alone, Writable} {
		values[of] = Yes
	}
	return values
}

// optional are the variables without which a fixed kind is right, too.
var optional = []string{DisownLink, Former, Replaced, App, Passkeys, Alone, Count, Provider, Address, Writable}

// columns counts the columns of a line, of which letters of Chinese and Japanese take two.
func columns(line string) (n int) {
	for _, r := range line {
		if n++; r >= 0x2e80 {
			n++
		}
	}
	return n
}

// Every fixed kind is right in every language, with and without each optional variable: there is no hole left in it,
// what opens something stands alone on its line, and lines are as long as mails show.
func TestFixedKindsAreRightInEveryLanguage(t *testing.T) {
	t.Parallel()

	s := service(t)
	for language, forms := range allWords(t) {
		for _, kind := range Fixed() {
			form := forms[kind]
			if got := faults(s.Issues(kind, form)); got != "" {
				t.Errorf("%s: %s: %v", language, kind, s.Issues(kind, form).List())
			}
			for _, name := range kind.Variables() {
				if used := strings.Contains(form.Subject+form.Text, name+"}}"); !used && !slices.Contains(ofShop, name) {
					t.Errorf("%s: %s does not use %s", language, kind, name)
				}
			}
			for without, values := range variants(kind) {
				checkFixed(t, language+": "+string(kind)+" without "+without, form, kind, values)
				if language != "en" { // whose lines are as they were before others had any
					checkWidth(t, language+": "+string(kind)+" without "+without, form, kind, values)
				}
			}
		}
	}
}

// variants are the values of a kind without each of its optional variables, and without all of them.
func variants(kind Kind) map[string]map[string]string {
	all := map[string]map[string]string{"nothing": typical(), "all": typical()}
	for _, name := range optional {
		if kind.has(name) {
			one := typical()
			delete(one, name)
			all[name] = one
			if kind != IdentityLinked { // whose provider there always is
				delete(all["all"], name)
			}
		}
	}
	if kind == IdentityLinked {
		delete(all, Provider)
	}
	return all
}

func checkFixed(t *testing.T, name string, form Form, kind Kind, values map[string]string) {
	t.Helper()
	subject, text := form.render(kind, values)
	if subject == "" || strings.Contains(subject+text, "{{") || strings.Contains(text, "\n\n\n") || strings.HasPrefix(text, "\n") {
		t.Errorf("%s: %q\n%s", name, subject, text)
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		for _, secret := range []string{values[Link], values[DisownLink], values[Code]} {
			if secret != "" && strings.Contains(line, secret) && line != secret {
				t.Errorf("%s: a secret is not alone on its line: %s", name, line)
			}
		}
	}
}

func checkWidth(t *testing.T, name string, form Form, kind Kind, values map[string]string) {
	t.Helper()
	_, text := form.render(kind, values)
	for line := range strings.Lines(text) {
		if n := columns(line) - 1; n > 92 && !strings.Contains(line, "://") && !strings.HasPrefix(line, "  ") {
			t.Errorf("%s: a line has %d columns: %s", name, n, line)
		}
	}
}

// Of a fixed kind a shop has no words, whatever its table says; its times are those of the language.
func TestWordsOfFixedKindsAreStoas(t *testing.T) {
	t.Parallel()

	s := service(t)
	s.Store = &kept{own: &Own{Kind: SignInLink, Language: "en", Form: Form{"Mine", "{{link}}"}}}
	if _, err := s.Put(t.Context(), SignInLink, "en", Form{"Mine", "{{link}}"}); err == nil {
		t.Error("a shop can write a mail about accounts")
	}
	values := map[string]string{Email: "ada@example.com", Link: shopURL + "/x", Code: "{{link}}"}
	m, err := s.Compose(t.Context(), SignInLink.Message("ada@example.com", "en", values))
	if err != nil || m.Subject != "Sign in" || !strings.Contains(m.Text, "\n{{link}}\n") || m.HTML != "" {
		t.Errorf("%+v, %v", m, err)
	}
	s.Shop = func(context.Context) Shop { return Shop{Name: "Acme", Accent: "#0f766e"} }
	m, err = s.Compose(t.Context(), SignInLink.Message("ada@example.com", "en", map[string]string{Code: "ABCD-1234"}))
	if err != nil || !strings.Contains(m.HTML, ">ABCD-1234</strong>") {
		t.Errorf("a code is not shown as one: %s, %v", m.HTML, err)
	}
	changed := EmailChanged.Message("ada@example.com", "de", map[string]string{At: Moment(time.Date(2030, 2, 3, 4, 5, 6, 0, time.UTC))})
	for name, compose := range map[string]func(mail.Message) mail.Message{
		"sent": func(m mail.Message) mail.Message { m, _ = s.Compose(t.Context(), m); return m },
		"fill": s.Fill,
	} {
		if m := compose(changed); !strings.Contains(m.Text, "since de 3.2.2030 4:05.") {
			t.Errorf("%s: %s", name, m.Text)
		}
	}
}

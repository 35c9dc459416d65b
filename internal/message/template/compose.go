package template

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/message/mail"
)

// Shop is what mails say of the shop, and look like.
type Shop struct {
	Name         string
	SupportEmail string // empty if the shop has none
	Accent       string // #rrggbb, or empty
	Logo         string // an address, or empty
	Language     string // of readers whose own is not known; one of Service.Languages, or empty
}

// Service composes mails, and manages the words that a shop has chosen for some of them. All fields but Poster
// are required. It is safe for concurrent use.
type Service struct {
	Store Store
	Now   func() time.Time
	Log   *slog.Logger

	// PublicURL is where the shop is.
	PublicURL string
	// Shop returns what mails say of the shop.
	Shop func(ctx context.Context) Shop
	// Languages are those that stoa speaks, the first of which stands in for any other.
	Languages []string
	// Own returns stoa's own words for a kind of mail in one of the Languages.
	Own func(kind Kind, language string) Form

	// Day writes a day in a language, Time a day and its time, and Money an amount such as "49.90 EUR".
	Day, Time func(language string, at time.Time) string
	Money     func(language, amount string) string

	// Poster sends test mails, to the address that Email returns of a user. Poster is nil where no mail is sent.
	Poster Poster
	Email  func(ctx context.Context, userID string) (string, error)
}

// Sender composes what another one sends.
type Sender struct {
	mail.Sender

	Service *Service
}

// Send implements mail.Sender.
func (s Sender) Send(ctx context.Context, m mail.Message) error {
	m, err := s.Service.Compose(ctx, m)
	if err != nil {
		return err
	}
	return s.Sender.Send(ctx, m)
}

// Poster sends mail in the background; mail.Queue is one.
type Poster interface {
	Post(ctx context.Context, compose mail.Compose)
}

// Compose returns a message with the words of its draft: those of the shop if it has some that can be rendered, else
// stoa's own. Words that cannot are logged and marked. A message without a draft has its words already. The error is
// the database's.
func (s *Service) Compose(ctx context.Context, m mail.Message) (mail.Message, error) {
	d := m.Draft
	if d == nil {
		return m, nil
	}
	m.Draft = nil
	shop := s.Shop(ctx)
	kind, language := Kind(d.Kind), s.language(d.Language, shop.Language)
	values := s.localized(language, s.values(shop, d.Values))
	own, has, err := s.chosen(ctx, kind, language)
	if err != nil {
		return mail.Message{}, err
	}
	rendered := false
	if has {
		if m.Subject, m.Text, rendered = s.renderOwn(own, values); !rendered {
			if err := s.broken(ctx, own); err != nil {
				return mail.Message{}, err
			}
		}
	}
	if !rendered {
		m.Subject, m.Text = s.Own(kind, language).render(kind, values)
		m.Text += s.invoiceNote(language, values)
	}
	if has || shop.Accent != "" || shop.Logo != "" {
		m.HTML = s.html(shop, language, values, m.Text)
	}
	return m, nil
}

// invoiceNote says where the invoice of what a mail is about is; "" if there is none. Words of a shop do not have it:
// they say what the shop chose.
func (s *Service) invoiceNote(language string, values map[string]string) string {
	if values[InvoiceLink] == "" {
		return ""
	}
	_, note := s.Own(InvoiceNote, language).render(InvoiceNote, map[string]string{
		InvoiceNumber: values[InvoiceNumber], Link: values[InvoiceLink],
	})
	return "\n" + note
}

// chosen returns what the shop has written for a kind of mail. has is false if it is nothing, as for every fixed kind.
func (s *Service) chosen(ctx context.Context, kind Kind, language string) (own Own, has bool, err error) {
	if !kind.Known() {
		return Own{}, false, nil
	}
	own, err = s.Store.Template(ctx, kind, language)
	if errs.KindOf(err) == errs.NotFound {
		return Own{}, false, nil
	}
	return own, err == nil, err
}

// Fill returns a message with a draft with stoa's own words beside it. It asks nobody, so the shop is called by its
// address.
func (s *Service) Fill(m mail.Message) mail.Message {
	if d := m.Draft; d != nil {
		kind, language := Kind(d.Kind), s.language(d.Language)
		_, host, _ := strings.Cut(s.PublicURL, "://")
		m.Subject, m.Text = s.Own(kind, language).render(kind, s.localized(language, s.values(Shop{Name: host}, d.Values)))
	}
	return m
}

// broken logs and marks what a shop has written and cannot be used.
func (s *Service) broken(ctx context.Context, own Own) error {
	s.Log.WarnContext(ctx, "the shop's own words for a mail cannot be used: it goes out in stoa's",
		slog.String("kind", string(own.Kind)), slog.String("language", own.Language))
	return s.Store.MarkBroken(ctx, own.Kind, own.Language, own.UpdatedAt)
}

// renderOwn renders what a shop has written. ok is false if it is not, or is no more, what a shop may write.
func (s *Service) renderOwn(own Own, values map[string]string) (subject, text string, ok bool) {
	parsed, faults := own.Form.parse(own.Kind, s.PublicURL)
	if faults.Len() > 0 {
		return "", "", false
	}
	return s.renderChecked(parsed, values)
}

// renderChecked renders a text, and looks at the result as it looked at the text: a value, or two halves of a line,
// could have made an address.
func (s *Service) renderChecked(t text, values map[string]string) (subject, body string, ok bool) {
	subject, one := t.subject.Render(values)
	body, two := t.text.Render(values)
	subject = strings.Join(strings.Fields(subject), " ")
	if !one || !two || subject == "" || !clean(subject) {
		return "", "", false
	}
	for line := range strings.Lines(body) {
		if foreignAddress(line, s.PublicURL) != "" {
			return "", "", false
		}
	}
	return subject, ended(body), true
}

// render renders stoa's own words, which are always right: the tests of this package see to it.
func (f Form) render(kind Kind, values map[string]string) (subject, text string) {
	s, _ := Parse(f.Subject, kind.has)
	t, _ := Parse(f.Text, kind.has)
	subject, _ = s.Render(values)
	text, _ = t.Render(values)
	return strings.Join(strings.Fields(subject), " "), ended(text)
}

// ended returns a text whose last line has an end.
func ended(text string) string { return strings.TrimRight(text, "\n") + "\n" }

// values returns the values of all variables.
func (s *Service) values(shop Shop, of map[string]string) map[string]string {
	values := maps.Clone(of)
	if values == nil {
		values = make(map[string]string)
	}
	values[ShopName], values[ShopURL], values[SupportEmail] = shop.Name, s.PublicURL, shop.SupportEmail
	return values
}

// Moment is the value of a variable that is a day or a time.
func Moment(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// localized writes the days and times among values, which are Moments, and the amounts in a language.
func (s *Service) localized(language string, values map[string]string) map[string]string {
	for name, write := range map[string]func(string, time.Time) string{
		OrderDate: s.Day, ExpiresAt: s.Day, At: s.Time, Until: s.Time,
	} {
		if at, err := time.Parse(time.RFC3339, values[name]); err == nil {
			values[name] = write(language, at)
		}
	}
	for _, name := range []string{Amount, RefundAmount} {
		if values[name] != "" {
			values[name] = s.Money(language, values[name])
		}
	}
	return values
}

// language returns the first of some tags that is one of Languages, else the first of these.
func (s *Service) language(tags ...string) string {
	for _, tag := range tags {
		if slices.Contains(s.Languages, tag) {
			return tag
		}
	}
	return s.Languages[0]
}

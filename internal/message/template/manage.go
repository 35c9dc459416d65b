package template

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/message/mail"
	"stoa/internal/trust/audit"
)

// Variable is one that a kind of mail has.
type Variable struct{ Name, Example string }

// Summary is a kind of mail, with what a shop can write in it and has.
type Summary struct {
	Kind      Kind
	Variables []Variable
	Languages []string // in which the shop has words of its own
	Broken    bool     // one of them could not be rendered
}

// List returns every kind.
func (s *Service) List(ctx context.Context) ([]Summary, error) {
	all, err := s.Store.Templates(ctx)
	if err != nil {
		return nil, err
	}
	examples := s.examples(s.Shop(ctx))
	list := make([]Summary, len(Kinds))
	for i, kind := range Kinds {
		list[i] = Summary{Kind: kind, Languages: []string{}}
		for _, name := range kind.Variables() {
			list[i].Variables = append(list[i].Variables, Variable{name, examples[name]})
		}
		for _, own := range all {
			if own.Kind == kind {
				list[i].Languages = append(list[i].Languages, own.Language)
				list[i].Broken = list[i].Broken || own.Broken
			}
		}
	}
	return list, nil
}

// Get returns the words of a kind in a language: the shop's, or stoa's own, of which UpdatedAt is zero. The error
// is ErrNotFound.
func (s *Service) Get(ctx context.Context, kind Kind, language string) (Own, error) {
	if err := s.there(kind, language); err != nil {
		return Own{}, err
	}
	own, err := s.Store.Template(ctx, kind, language)
	if errs.KindOf(err) == errs.NotFound {
		return Own{Kind: kind, Language: language, Form: s.Own(kind, language)}, nil
	}
	return own, err
}

// there returns ErrNotFound for a kind or a language that there is not.
func (s *Service) there(kind Kind, language string) error {
	if !kind.Known() || !slices.Contains(s.Languages, language) {
		return ErrNotFound
	}
	return nil
}

// Issues returns what is wrong with words for a kind of mail.
func (s *Service) Issues(kind Kind, f Form) errs.Issues {
	parsed, faults := f.parse(kind, s.PublicURL)
	if faults.Len() > 0 {
		return faults
	}
	if _, _, ok := s.renderChecked(parsed, s.examples(Shop{Name: "Shop"})); !ok {
		faults.Add("text", errs.CodeInvalid,
			"text cannot be used: with its variables filled in it is too long, or has an address that is not the shop's.")
	}
	return faults
}

// Put writes the shop's own words. The error is ErrNotFound, or VALIDATION_ERROR for what Issues finds.
func (s *Service) Put(ctx context.Context, kind Kind, language string, f Form) (Own, error) {
	if err := s.there(kind, language); err != nil {
		return Own{}, err
	}
	if err := s.Issues(kind, f).Err(); err != nil {
		return Own{}, err
	}
	own := Own{Kind: kind, Language: language, Form: f, UpdatedAt: s.Now().UTC().Truncate(time.Millisecond)}
	err := s.Store.InTx(ctx, func(tx Store) error {
		if err := tx.PutTemplate(ctx, own); err != nil {
			return err
		}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.TemplateUpdate, target(kind, language), nil))
	})
	return own, err
}

// Delete brings stoa's own words back. The error is ErrNotFound.
func (s *Service) Delete(ctx context.Context, kind Kind, language string) error {
	if err := s.there(kind, language); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(tx Store) error {
		if err := tx.DeleteTemplate(ctx, kind, language); err != nil {
			return errs.Missing(err, ErrNotFound)
		}
		return tx.Record(ctx, audit.New(ctx, s.Now(), audit.TemplateReset, target(kind, language), nil))
	})
}

// Preview returns the mail that words would make, with examples in place of variables. The error is ErrNotFound,
// or VALIDATION_ERROR for what Issues finds.
func (s *Service) Preview(ctx context.Context, kind Kind, language string, f Form) (mail.Message, error) {
	if err := s.there(kind, language); err != nil {
		return mail.Message{}, err
	}
	if err := s.Issues(kind, f).Err(); err != nil {
		return mail.Message{}, err
	}
	parsed, _ := f.parse(kind, s.PublicURL)
	shop := s.Shop(ctx)
	values := s.localized(language, s.examples(shop))
	subject, text, ok := s.renderChecked(parsed, values)
	if !ok {
		var is errs.Issues
		is.Add("text", errs.CodeInvalid, "text cannot be used with the shop's name and address of today.")
		return mail.Message{}, is.Err()
	}
	return mail.Message{Subject: subject, Text: text, HTML: s.html(shop, language, values, text)}, nil
}

// Test mails what Preview returns to the user in ctx, and to nobody else. The error is that of Preview, ErrNoAddress
// or ErrNoMail.
func (s *Service) Test(ctx context.Context, kind Kind, language string, f Form) error {
	m, err := s.Preview(ctx, kind, language, f)
	if err != nil {
		return err
	}
	if s.Poster == nil {
		return ErrNoMail
	}
	user := reqctx.CallerFrom(ctx).UserID
	if user == "" {
		return ErrNoAddress
	}
	if m.To, err = s.Email(ctx, user); err != nil {
		return err
	}
	if err := s.Store.Record(ctx, audit.New(ctx, s.Now(), audit.TemplateTest, target(kind, language), nil)); err != nil {
		return err
	}
	s.Poster.Post(ctx, func(context.Context) (mail.Message, bool, error) { return m, true, nil })
	return nil
}

func target(kind Kind, language string) audit.Target {
	return audit.Target{Type: "mail_template", ID: fmt.Sprintf("%s/%s", kind, language)}
}

// examples has a value of every variable.
func (s *Service) examples(shop Shop) map[string]string {
	support := shop.SupportEmail
	if support == "" {
		support = "help@example.com"
	}
	shop.SupportEmail = support
	return s.values(shop, map[string]string{
		ProductName: "Weather Widget", TierName: "Pro", Amount: "49.00 EUR", OrderID: "8f14e45f-ceea-467f-a9d4-ab5f2c5b0e11",
		OrderDate: "2026-01-02", LicenseKey: "STOA-2Q9T4-M7XKB-0H3VZ-8RWD6-PN5CJ-YE1GA", ExpiresAt: "2027-01-02", Seats: "3",
		DiscountCode: "WELCOME10", RefundAmount: "20.00 EUR", Link: s.PublicURL + "/example#link",
	})
}

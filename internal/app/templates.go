package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"stoa/internal/html/locale"
	"stoa/internal/html/wording"
	"stoa/internal/message/mail"
	"stoa/internal/message/template"
	"stoa/internal/store"
)

// firstLanguage stands in for languages that stoa does not speak.
const firstLanguage = "en"

// buildTemplates sets up the words of mails.
func (a *App) buildTemplates(cfg Config) error {
	tags, words, err := mailWords()
	if err != nil {
		return err
	}
	spoken, err := languages(cfg.Demo)
	if err != nil {
		return err
	}
	a.Templates = &template.Service{
		Store: store.NewTemplates(a.DB), Now: cfg.Now, Log: cfg.Log, PublicURL: cfg.PublicURL, Languages: tags, Own: words,
		Day: mailDay, Time: mailTime, Money: mailMoney,
		Shop:  func(ctx context.Context) template.Shop { return a.shopInMails(ctx, spoken, cfg.DefaultLocale) },
		Email: buyers{a}.Email,
	}
	return nil
}

// shopInMails returns what mails say of the shop. Without its settings they say what is known without.
func (a *App) shopInMails(ctx context.Context, spoken *locale.Languages, fallback string) template.Shop {
	set, err := a.site.Get(ctx)
	if err != nil {
		return template.Shop{Name: a.site.Called(ctx)}
	}
	logo := set.Logo
	if strings.HasPrefix(logo, "/") {
		logo = a.site.PublicURL + logo
	}
	return template.Shop{
		Name: a.site.Called(ctx), SupportEmail: set.SupportEmail, Accent: set.Accent, Logo: logo,
		Language: spoken.Default(set.Language, fallback),
	}
}

// mailDay writes a day in mails of a language.
func mailDay(language string, at time.Time) string {
	if words := otherWords(language); words != nil {
		return words.Day(at)
	}
	return at.UTC().Format("2 January 2006")
}

// mailTime writes a day and its time in mails of a language.
func mailTime(language string, at time.Time) string {
	if words := otherWords(language); words != nil {
		return words.Moment(at)
	}
	return at.UTC().Format(mail.Time)
}

// mailMoney writes an amount such as "49.90 EUR" in mails of a language.
func mailMoney(language, amount string) string {
	words := otherWords(language)
	number, currency, ok := strings.Cut(amount, " ")
	if words == nil || !ok {
		return amount
	}
	whole, fraction, _ := strings.Cut(number, ".")
	return words.Money(whole, fraction, currency)
}

// otherWords returns the words of a language that is not the first one; nil without.
func otherWords(language string) *wording.Words {
	if built, err := wording.Built(); err == nil && language != firstLanguage {
		return built.Words[language]
	}
	return nil
}

// mailWords returns stoa's own words for mails, and the languages that have some.
func mailWords() (languages []string, words func(template.Kind, string) template.Form, err error) {
	built, err := wording.Built()
	if err != nil {
		return nil, nil, err
	}
	forms := make(map[string]map[template.Kind]template.Form)
	for _, tag := range built.Tags {
		forms[tag] = make(map[template.Kind]template.Form)
		for _, kind := range slices.Concat(template.Kinds, template.Fixed()) {
			var form template.Form
			for part, into := range map[string]*string{"subject": &form.Subject, "text": &form.Text} {
				if *into, err = built.Words[tag].Text(fmt.Sprintf("mails.%s.%s", kind, part)); err != nil {
					return nil, nil, err
				}
			}
			forms[tag][kind] = form
		}
	}
	// English is the first that is offered.
	languages = append([]string{firstLanguage}, slices.DeleteFunc(slices.Clone(built.Tags), isFirst)...)
	return languages, func(kind template.Kind, language string) template.Form { return forms[language][kind] }, nil
}

func isFirst(tag string) bool { return tag == firstLanguage }

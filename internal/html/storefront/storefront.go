// Package storefront writes the shop's pages that are readable before any script runs:
// the catalog, a product's page, what is bought at the checkout, and the frame in which the
// scripts of web/src/storefront show the rest of the checkout, licenses, orders and account.
// It asks no service and knows no HTTP: its callers bring what a page shows.
package storefront

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"stoa/internal/html/locale"
	"stoa/internal/html/markdown"
	"stoa/internal/html/webapp"
	"stoa/internal/html/wording"
)

//go:embed templates
var templates embed.FS

// Policy is the Content-Security-Policy of every page: the built files, stoa's own API,
// pictures of products, which may be elsewhere, the files of theme packs, and frames of
// plugins, which are sandboxed. Nothing inline is allowed.
var Policy = strings.Join([]string{
	"default-src 'none'", "script-src 'self'", "style-src 'self'", "font-src 'self'", "connect-src 'self'",
	"img-src 'self' https: data:", "frame-src 'self'", "form-action 'self'", "base-uri 'none'",
	"frame-ancestors 'none'", "require-trusted-types-for 'script'",
}, "; ")

// Site is what every page says of the shop.
type Site struct {
	Name      string // empty: the pages speak of the shop
	Test      bool   // purchases settle without money
	PublicURL string // without a slash at the end

	// Language is the one of a page for which nothing else names one, and Languages are all of them. Named
	// is the one that the page's address names; mostly empty.
	Language, Named string
	Languages       []string

	// Where buyers find help, terms and privacy; empty where the shop has nothing.
	SupportEmail, SupportURL, TermsURL, PrivacyURL string
}

// Languages writes the pages in each language. It is safe for concurrent use.
type Languages struct {
	all map[string]func() *Pages
}

// In writes the pages in a language, or in English if there are none in it.
func (l *Languages) In(tag string) *Pages {
	if p, ok := l.all[tag]; ok {
		return p()
	}
	return l.all[locale.Last]()
}

// Pages writes the pages in one language. It is safe for concurrent use.
type Pages struct {
	words    *wording.Words
	names    map[string]string // of languages, by tag
	page     webapp.Entry      // what server-rendered pages load; zero: web/ is not built
	app      webapp.Entry
	catalog  *template.Template
	product  *template.Template
	checkout *template.Template
	shell    *template.Template
	missing  *template.Template
}

// Language is the tag of the one in which p writes.
func (p *Pages) Language() string { return p.words.Language() }

// New parses the templates for each language of words. Without a bundle, pages have
// neither style nor script, and are readable all the same.
func New(words map[string]*wording.Words, bundle *webapp.Bundle) (*Languages, error) {
	parsed := make(map[string]*template.Template)
	for _, name := range []string{"catalog", "product", "checkout", "shell", "missing"} {
		t, err := template.New("layout.html").Funcs((&Pages{}).funcs()).ParseFS(templates,
			"templates/layout.html", "templates/parts.html", "templates/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("storefront: %w", err)
		}
		parsed[name] = t
	}
	names := make(map[string]string)
	for tag, w := range words {
		name, err := w.Text("shop.foot.languageName")
		if err != nil {
			return nil, fmt.Errorf("storefront: %w", err)
		}
		names[tag] = name
	}
	l := &Languages{all: make(map[string]func() *Pages)}
	for tag, words := range words {
		// Most shops are read in a few languages: the templates of the others take no memory.
		l.all[tag] = sync.OnceValue(func() *Pages { return newPages(parsed, &Pages{words: words, names: names}, bundle) })
	}
	return l, nil
}

// newPages gives pages in a language their templates, and what they load.
func newPages(parsed map[string]*template.Template, p *Pages, bundle *webapp.Bundle) *Pages {
	tag := p.words.Language()
	p.page, _ = bundle.Entry(webapp.Page, tag)
	start, _ := bundle.Entry(webapp.Storefront, tag)
	run, _ := bundle.Entry(webapp.StorefrontRun, tag)
	p.app = start.Before(run)
	for name, t := range map[string]**template.Template{
		"catalog": &p.catalog, "product": &p.product, "checkout": &p.checkout, "shell": &p.shell, "missing": &p.missing,
	} {
		// What was never executed can be cloned.
		*t = template.Must(parsed[name].Clone()).Funcs(p.funcs())
	}
	return p
}

// longReview is how many characters of a review are shown at once, at least.
const longReview = 600

// funcs are what templates call. A key without a text ends the rendering; a test looks
// for such keys in every template.
func (p *Pages) funcs() template.FuncMap {
	return template.FuncMap{
		"t": func(key string, values ...any) (string, error) { return p.words.Text("shop."+key, values...) },
		"c": func(key string, values ...any) (string, error) { return p.words.Text("common."+key, values...) },
		"count": func(key string, n int, values ...any) (string, error) {
			return p.words.Count("shop."+key, n, values...)
		},
		"number": func(n int) string { return p.words.Number(n) },
		"day":    func(at time.Time) string { return p.words.Day(at) },
		"iso":    func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
		"paragraphs": func(text string) []string {
			return strings.FieldsFunc(strings.ReplaceAll(text, "\r\n", "\n"), func(r rune) bool { return r == '\n' })
		},
		"markdown": markdown.HTML,
		// long is whether a review fills more than about eight lines.
		"long": func(text string) bool {
			return utf8.RuneCountInString(text) > longReview || strings.Count(text, "\n") >= 8
		},
		"add": func(a, b int) int { return a + b },
	}
}

// frame is what the layout shows around a page.
type frame struct {
	Site  Site
	Lang  string
	Dir   string
	Entry webapp.Entry
	Head  head
	// Choices are the languages that the page offers.
	Choices []choice
	Query   string // in the search field
	Body    any
}

// choice is a language, as those who speak it call it.
type choice struct {
	Language, Name string
	Current        bool
}

// head is what search engines, and those to whom an address is sent, see of a page.
type head struct {
	Title       string
	Description string
	Canonical   string // empty: the page is for one person, and no search engine lists it
	Versions    []version
	Image       string
	Kind        string // of Open Graph
	Data        any    // JSON-LD, or nil
}

// version is the address of a page in a language.
type version struct{ Language, Href string }

// inLanguage returns the address of a page in a language; in that of the reader if it is empty.
func inLanguage(at, tag string) string {
	if tag == "" {
		return at
	}
	separator := "?"
	if strings.Contains(at, "?") {
		separator = "&"
	}
	return at + separator + locale.Parameter + "=" + tag
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// render executes a template. What it returns is the caller's.
func (p *Pages) render(t *template.Template, f frame) (html []byte, err error) {
	f.Lang = p.words.Language()
	f.Dir = locale.Direction(f.Lang)
	f.Choices = p.choices(f.Site.Languages)
	if at := f.Head.Canonical; at != "" {
		f.Head.Canonical = inLanguage(at, f.Site.Named)
		for _, tag := range f.Site.Languages {
			f.Head.Versions = append(f.Head.Versions, version{tag, inLanguage(at, tag)})
		}
		f.Head.Versions = append(f.Head.Versions, version{"x-default", at})
	}
	out := buffers.Get().(*bytes.Buffer) //nolint:forcetypeassert // there is nothing else in it
	defer buffers.Put(out)
	out.Reset()
	if err := t.Execute(out, f); err != nil {
		return nil, fmt.Errorf("storefront: %w", err)
	}
	return bytes.Clone(out.Bytes()), nil
}

// choices are the languages that a page offers, with its own if that is none of them.
func (p *Pages) choices(tags []string) (list []choice) {
	own := p.words.Language()
	if !slices.Contains(tags, own) {
		list = append(list, choice{own, own, true})
	}
	for _, tag := range tags {
		list = append(list, choice{tag, p.names[tag], tag == own})
	}
	return list
}

// named is a page's title with the shop's name.
func (p *Pages) named(title string, site Site) string {
	if site.Name == "" {
		return title
	}
	return title + " · " + site.Name
}

// text is for texts that the code names; a test holds that they exist.
func (p *Pages) text(key string, values ...any) string {
	text, err := p.words.Text("shop."+key, values...)
	if err != nil {
		return key
	}
	return text
}

// App writes the frame in which the signed-in part of the storefront runs.
func (p *Pages) App(site Site) (html []byte, err error) {
	return p.render(p.shell, frame{
		Site: site, Entry: p.app, Head: head{Title: p.named(p.text("name"), site)},
	})
}

// Order writes the frame for an order. payment is "success" or "cancelled" for a buyer who
// returns from the payment page; the frame says so to those whose browser runs no script.
func (p *Pages) Order(site Site, payment string) (html []byte, err error) {
	var note string
	switch payment {
	case "success":
		note = p.text("order.confirming")
	case "cancelled":
		note = p.text("order.notPaidHow")
	}
	return p.render(p.shell, frame{
		Site: site, Entry: p.app, Head: head{Title: p.named(p.text("name"), site)}, Body: note,
	})
}

// Missing writes the page for a product that does not exist.
func (p *Pages) Missing(site Site) (html []byte, err error) {
	return p.render(p.missing, frame{
		Site: site, Entry: p.page, Head: head{Title: p.named(p.text("missing.title"), site)},
	})
}

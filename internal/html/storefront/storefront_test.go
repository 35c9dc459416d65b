package storefront_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"stoa/internal/html/storefront"
	"stoa/internal/html/wording"
	"stoa/internal/shop/catalog"
	"stoa/internal/shop/product"
	"stoa/internal/shop/review"
	"stoa/web"
)

func texts(tb testing.TB) fs.FS {
	tb.Helper()
	sub, err := fs.Sub(web.Texts, "texts")
	if err != nil {
		tb.Fatal(err)
	}
	return sub
}

func newPages(tb testing.TB) *storefront.Pages {
	tb.Helper()
	return inLanguages(tb).In("en")
}

func inLanguages(tb testing.TB) *storefront.Languages {
	tb.Helper()
	built, err := wording.Built()
	if err != nil {
		tb.Fatal(err)
	}
	pages, err := storefront.New(built.Words, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return pages
}

// keep returns a function that keeps the page it is given.
func keep(page *string) func([]byte, error) error {
	return func(html []byte, err error) error {
		*page = string(html)
		return err
	}
}

var acme = storefront.Site{Name: "Acme", PublicURL: "https://shop.example.com"}

// sample is a product with everything that a page shows.
func sample() product.Product {
	eur := func(minor int64) product.Money { return product.Money{Minor: minor, Currency: "EUR"} }
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	return product.Product{
		ID: "p", Slug: "mail-pack", Name: "Mail Pack", Category: "marketing", ShortDescription: "Mails.",
		Description: "Sends mails.", Icon: "/media/icon.svg", Screenshots: []string{"/media/one.svg", "https://cdn.example.com/two.png"},
		Highlights: []string{"Fast"}, Rating: 4.5, ReviewCount: 1234, DownloadCount: 5678, Featured: true, Trending: true,
		Published: true, CreatedAt: at, UpdatedAt: at,
		Pricing: product.Pricing{Type: product.Paid, Price: eur(1990)},
		Detail: product.Detail{
			FullDescription: "One.\n\n- *Two*", Features: []product.FeatureSection{{Title: "Sending", Items: []string{"Many"}}},
			Tiers: []product.Tier{
				{ID: "free", Name: "Free", Price: eur(0), MaxInstances: 1},
				{ID: "pro", Name: "Pro", Price: eur(1990), Period: product.Monthly, Highlighted: true, MaxInstances: 3, Features: []string{"A/B"}},
			},
			FAQ: []product.Question{{Question: "Why?", Answer: "Because."}},
			Comparison: &product.Comparison{Columns: []string{"free", "pro"}, Rows: []product.ComparisonRow{
				{Feature: "Contacts", Values: map[string]any{"free": "1,000", "pro": true}},
			}},
		},
	}
}

func reviewed(one product.Product) storefront.Shown {
	return storefront.Shown{
		Product: one, ReviewPage: 2, ReviewTotal: 11,
		Reviews: []review.Review{{Rating: 4, Title: "Good", Text: "Really.", Author: "ada", UpdatedAt: one.UpdatedAt}},
	}
}

func wantParts(t *testing.T, page string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(page, part) {
			t.Errorf("the page has no %s", part)
		}
	}
}

// Every text that a template or the code names is in the catalog of texts.
func TestEveryTextExists(t *testing.T) {
	t.Parallel()

	words, err := wording.Load(texts(t), "en", "common", "shop")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?:\b(t|c|count)|p\.(text))[ (]"([\w.-]+)"`)
	section := map[string]string{"t": "shop.", "c": "common.", "count": "shop.", "text": "shop."}
	found := 0
	sources := os.DirFS(".")
	for _, pattern := range []string{"*.go", "templates/*.html"} {
		files, err := fs.Glob(sources, pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			body, err := fs.ReadFile(sources, name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range named.FindAllStringSubmatch(string(body), -1) {
				key := section[m[1]+m[2]] + m[3]
				found++
				if strings.HasSuffix(key, ".") { // the code adds the rest
					continue
				}
				if m[1] == "count" {
					_, err = words.Count(key, 2)
				} else {
					_, err = words.Text(key)
				}
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
	for _, sort := range []string{"featured", "newest", "rating", "downloads", "price", "name"} {
		if _, err := words.Text("shop.catalog.sorts." + sort); err != nil {
			t.Error(err)
		}
	}
	for _, period := range []product.BillingPeriod{product.Monthly, product.Yearly, product.OneTime} {
		if _, err := words.Text("shop.product.period." + string(period)); err != nil {
			t.Error(err)
		}
	}
	if found < 60 {
		t.Errorf("the test sees %d texts only", found)
	}
}

func TestAProductsPageSaysWhatABuyerWantsToKnow(t *testing.T) {
	t.Parallel()

	var page string
	if err := keep(&page)(newPages(t).Product(acme, reviewed(sample()))); err != nil {
		t.Fatal(err)
	}
	wantParts(t, page,
		"<title>Mail Pack · Acme</title>", `<meta name="description" content="Mails.">`,
		`<link rel="canonical" href="https://shop.example.com/p/mail-pack">`,
		`<meta property="og:image" content="https://shop.example.com/media/one.svg">`,
		"Free, or from €19.90", "4.5 of 5, 1,234 reviews", "<p>One.</p>", "<ul><li><em>Two</em></li></ul>", ">Sending</h3>", "<span>Many</span>",
		`href="/checkout/mail-pack/free">Get Free</a>`, `href="/checkout/mail-pack/pro">Buy Pro</a>`, "per month",
		"For 3 installations", "1,000", "Included", "<summary>Why?</summary>", "Really.", "4 of 5 stars",
		`href="/p/mail-pack?reviews=1#reviews"`, `href="/p/mail-pack?reviews=3#reviews"`, "5,678", "Feb 3, 2026",
		`href="/?category=marketing"`,
	)
	if strings.Contains(page, "Test mode") || strings.Contains(page, "noindex") {
		t.Error("a page of a live shop says that it is not")
	}
}

// Search engines read a product's data as schema.org defines it.
func TestAProductsStructuredData(t *testing.T) {
	t.Parallel()

	one := sample()
	one.Name = `</script><script>alert(1)</script>`
	var page string
	if err := keep(&page)(newPages(t).Product(acme, reviewed(one))); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(page, "<script>alert") {
		t.Error("a product's name is markup")
	}
	_, rest, _ := strings.Cut(page, `<script type="application/ld+json">`)
	text, _, _ := strings.Cut(rest, "</script>")
	var data struct {
		Type            string           `json:"@type"`
		Name, SKU, URL  string           //nolint:tagliatelle // matched without case
		Image           []string         `json:"image"`
		Offers          []map[string]any `json:"offers"`
		AggregateRating map[string]any   `json:"aggregateRating"`
	}
	if err := json.Unmarshal([]byte(text), &data); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if data.Type != "Product" || data.Name != one.Name || data.SKU != "mail-pack" || len(data.Offers) != 2 ||
		data.Offers[1]["price"] != "19.9" || data.Offers[1]["priceCurrency"] != "EUR" || data.AggregateRating["reviewCount"] != 1234.0 ||
		data.Image[0] != "https://shop.example.com/media/one.svg" || data.Image[1] != "https://cdn.example.com/two.png" {
		t.Errorf("data = %+v", data)
	}
}

// The checkout says what is bought and for how much before its script runs. It is for one
// person, so no search engine lists it.
func TestTheCheckoutSaysWhatIsBought(t *testing.T) {
	t.Parallel()

	pages, one := newPages(t), sample()
	show := func(id string) (page string) {
		t.Helper()
		tier, ok := one.Tier(id)
		if !ok {
			t.Fatal(id)
		}
		if err := keep(&page)(pages.Checkout(acme, one, tier)); err != nil {
			t.Fatal(err)
		}
		return page
	}
	paid := show("pro")
	wantParts(t, paid, "<title>Checkout · Acme</title>", "<h1>Checkout</h1>", "<h2>Mail Pack</h2>", "<dd>Pro</dd>", "<dd>€19.90</dd>",
		"Charged each month", "For 3 installations", `href="/p/mail-pack#plans"`, `href="/sign-in?next=%2Fcheckout%2Fmail-pack%2Fpro"`,
		`<div id="app">`, `aria-busy="true"`, "<noscript>", "noindex")
	free := show("free")
	wantParts(t, free, "<dd>Free</dd>", "For 1 installation<")
	if strings.Contains(free, "Charged") || strings.Contains(free, "Paid once") {
		t.Error("a free plan has a price to pay")
	}
	for _, period := range []product.BillingPeriod{product.Yearly, product.OneTime, ""} {
		one.Detail.Tiers[1].Period = period
		if page := show("pro"); strings.Contains(page, "checkout.renews") {
			t.Errorf("the period %q has no text", period)
		}
	}
}

// Nothing on a page is markup that a product or a search brought along.
func TestForeignTextsAreTexts(t *testing.T) {
	t.Parallel()

	const evil = `"><img src=x onerror=alert(1)>`
	one := sample()
	one.Name, one.ShortDescription, one.Category, one.Highlights = evil, evil, evil, []string{evil}
	one.Icon, one.Screenshots = "javascript:alert(1)", []string{"javascript:alert(1)"}
	one.Detail.FullDescription, one.Detail.FAQ = evil, []product.Question{{Question: evil, Answer: evil}}
	shown := reviewed(one)
	shown.Reviews[0].Text, shown.Reviews[0].Author, shown.Reviews[0].Title = evil, evil, evil
	pages := newPages(t)
	var page string
	if err := keep(&page)(pages.Product(acme, shown)); err != nil {
		t.Fatal(err)
	}
	body, _, _ := strings.Cut(page, `<script type="application/ld+json">`)
	_, rest, _ := strings.Cut(page, "</script>\n</head>")
	q := catalog.ListQuery{Page: 1, Search: evil, Category: evil, Sort: catalog.SortName}
	var list string
	if err := keep(&list)(pages.Catalog(acme, q, catalog.Listing{Products: []product.Product{one}, Total: 1, Categories: []string{evil, "b"}})); err != nil {
		t.Fatal(err)
	}
	var checkout string
	tier := product.Tier{ID: evil, Name: evil, Price: one.Pricing.Price, MaxInstances: 1}
	if err := keep(&checkout)(pages.Checkout(acme, one, tier)); err != nil {
		t.Fatal(err)
	}
	for _, html := range []string{body, rest, list, checkout} {
		if strings.Contains(html, "<img src=x") || regexp.MustCompile(`(src|href)="javascript:`).MatchString(html) {
			t.Errorf("the page runs foreign markup:\n%s", html)
		}
	}
}

func TestPagesOfTheCatalog(t *testing.T) {
	t.Parallel()

	pages := newPages(t)
	show := func(q catalog.ListQuery, found catalog.Listing) (page string) {
		t.Helper()
		if q.Sort == "" {
			q.Sort = catalog.SortFeatured
		}
		if err := keep(&page)(pages.Catalog(acme, q, found)); err != nil {
			t.Fatal(err)
		}
		return page
	}
	list := catalog.Listing{Products: []product.Product{sample()}, Total: 24 * 9, Categories: []string{"a b", "c"}}
	page := show(catalog.ListQuery{Page: 5, Search: "mail", Category: "c", Sort: catalog.SortName}, list)
	wantParts(t, page,
		`rel="prev" href="/?category=c&amp;page=4&amp;q=mail&amp;sort=name"`, `rel="next" href="/?category=c&amp;page=6&amp;q=mail&amp;sort=name"`,
		`href="/?category=a&#43;b&amp;q=mail&amp;sort=name"`, `value="mail"`, `<option value="name" selected>`, "216 products for “mail”",
		`<link rel="canonical" href="https://shop.example.com/?category=c&amp;page=5">`, `aria-current="page">5</a>`, `>9</a>`,
	)
	if strings.Count(page, "…") != 0 && strings.Contains(page, `>2</a>`) {
		t.Error("the pages in the middle are not left out")
	}
	wantParts(t, show(catalog.ListQuery{Page: 1}, list), "<title>Acme</title>", `href="/p/mail-pack"`, "Featured", "Trending")
	wantParts(t, show(catalog.ListQuery{Page: 1}, catalog.Listing{}), "Nothing is for sale yet", `href="/console"`)
	wantParts(t, show(catalog.ListQuery{Page: 1, Search: "x"}, catalog.Listing{}), "No product matches", `href="/"`)
	wantParts(t, show(catalog.ListQuery{Page: 99}, catalog.Listing{Total: 3}), "This page is empty", `href="/">Go to the first page`)
	test := acme
	test.Test = true
	if err := keep(&page)(pages.Catalog(test, catalog.ListQuery{Page: 1}, catalog.Listing{})); err != nil || !strings.Contains(page, "Test mode") {
		t.Errorf("a shop that takes no money does not say so: %v", err)
	}
	if err := keep(&page)(pages.App(acme)); err != nil || !strings.Contains(page, `<div id="app">`) || !strings.Contains(page, "noindex") {
		t.Errorf("the frame = %s, %v", page, err)
	}
}

// Where buyers find help, terms and privacy is on every page, and nothing in its place if
// the shop has none.
func TestEveryPageLeadsToHelpAndTerms(t *testing.T) {
	t.Parallel()

	pages, shop := newPages(t), acme
	shop.SupportEmail, shop.SupportURL = "help@acme.example", "https://acme.example/help"
	shop.TermsURL, shop.PrivacyURL = "https://acme.example/terms", "https://acme.example/privacy"
	links := []string{
		`href="mailto:help@acme.example"`, `href="https://acme.example/help"`, `href="https://acme.example/terms"`,
		`href="https://acme.example/privacy"`,
	}
	for name, write := range map[string]func(storefront.Site, *string) error{
		"app":     func(s storefront.Site, page *string) error { return keep(page)(pages.App(s)) },
		"missing": func(s storefront.Site, page *string) error { return keep(page)(pages.Missing(s)) },
		"product": func(s storefront.Site, page *string) error { return keep(page)(pages.Product(s, reviewed(sample()))) },
		"checkout": func(s storefront.Site, page *string) error {
			return keep(page)(pages.Checkout(s, sample(), sample().Detail.Tiers[0]))
		},
	} {
		var with, without string
		if err := write(shop, &with); err != nil {
			t.Fatal(name, err)
		}
		if err := write(acme, &without); err != nil {
			t.Fatal(name, err)
		}
		wantParts(t, with, links...)
		for _, text := range []string{"mailto:", ">Terms<", ">Privacy<", ">Support<"} {
			if strings.Contains(without, text) {
				t.Errorf("%s has %s without a setting", name, text)
			}
		}
	}
}

package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/testkit"
)

// page asks for a page as a browser does.
func page(path string, headers ...string) testkit.Request {
	req := testkit.Request{Method: http.MethodGet, Path: path, Header: http.Header{"Accept": {"text/html"}}}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	return req
}

var everyPage = []string{
	"/", "/p/mail-pack", "/p/nowhere", "/nowhere", "/checkout/mail-pack/once", "/licenses", "/orders/nothing", "/register",
	"/reset-password", "/claim-orders", "/payment/success", "/payment/cancelled", "/verify-email", "/setup",
}

// wantLanguage fails unless an answer is a page in a language, and says on what that depends.
func wantLanguage(t *testing.T, what string, res testkit.Response, tag string) {
	t.Helper()
	if want := `<html lang="` + tag + `" dir="ltr"`; !strings.Contains(string(res.Body), want) {
		t.Errorf("%s: the page has no %s:\n%.200s", what, want, res.Body)
	}
	vary := strings.Join(res.Header.Values("Vary"), ", ")
	if !strings.Contains(vary, "Accept-Language") || !strings.Contains(vary, "Cookie") {
		t.Errorf("%s: Vary = %q", what, vary)
	}
}

func TestPagesAreInALanguageOfTheReader(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	for _, path := range everyPage {
		tags := make(map[string]string)
		for tag, req := range map[string]testkit.Request{
			"en": page(path, "Accept-Language", "zh"),
			"de": page(path+"?lang=de", "Cookie", "stoa-language=fr"),
			"fr": page(path, "Cookie", "stoa-language=fr", "Accept-Language", "ja"),
			"ja": page(path, "Accept-Language", "ja-JP, en;q=0.5", "Cookie", "stoa-language=tlh"),
		} {
			res := a.DoUnchecked(t, req)
			wantLanguage(t, path+" in "+tag, res, tag)
			if res.Header.Get("Set-Cookie") != "" {
				t.Errorf("%s in %s sets a cookie", path, tag)
			}
			etag := res.Header.Get("ETag")
			if res.Status != http.StatusOK {
				continue
			}
			if other, ok := tags[etag]; ok || etag == "" {
				t.Errorf("%s: %s and %s have the entity tag %s", path, tag, other, etag)
			}
			tags[etag] = tag
			req.Header.Set("If-None-Match", etag)
			if res := a.DoUnchecked(t, req); res.Status != http.StatusNotModified || len(res.Header.Values("Vary")) == 0 {
				t.Errorf("%s in %s again answers %d, Vary %q", path, tag, res.Status, res.Header.Values("Vary"))
			}
		}
	}
}

// The API says what a new password must be in English, pages say the same in the language of the reader.
func TestPagesTellTheRulesOfPasswordsInTheLanguageOfTheReader(t *testing.T) {
	t.Parallel()

	for policy, german := range map[account.Policy]string{
		account.PolicyStandard: "Mindestens 6 Zeichen.",
		account.PolicyASVS: "Mindestens 8 Zeichen. Kein häufiges Passwort und nichts, was aus gängigen Wörtern, Tastaturfolgen, " +
			"Jahreszahlen oder Ihrem eigenen Namen besteht.",
	} {
		a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.SignIn.PasswordPolicy = string(policy) })
		req := testkit.Get("", "/api/v1/shop/settings")
		req.Header = http.Header{"Accept-Language": {"de"}}
		english := a.Do(t, req).Text(t, "data.registration.passwordRules")
		if english != policy.PasswordRules() {
			t.Errorf("%s: the API says %q", policy, english)
		}
		for tag, want := range map[string]string{"en": english, "de": german} {
			res := a.DoUnchecked(t, page("/reset-password", "Accept-Language", tag))
			if !strings.Contains(string(res.Body), `id="password-rules">`+want+"</p>") {
				t.Errorf("%s: the page in %s does not say %q", policy, tag, want)
			}
		}
	}
}

// A shop in another language has pages in it for all who name none.
func TestTheOperatorsLanguageIsForReadersWithoutOne(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.DefaultLocale = "fr-CA" })
	for _, path := range everyPage {
		wantLanguage(t, path, a.DoUnchecked(t, page(path)), "fr")
		wantLanguage(t, path, a.DoUnchecked(t, page(path, "Accept-Language", "en-GB")), "en")
	}
}

func TestSearchEnginesFindEveryLanguage(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	for path, parts := range map[string][]string{
		"/": {
			`rel="canonical" href="` + a.URL + `/">`, `hreflang="de" href="` + a.URL + `/?lang=de">`,
			`hreflang="ja" href="` + a.URL + `/?lang=ja">`, `hreflang="x-default" href="` + a.URL + `/">`,
		},
		"/p/mail-pack?lang=pt": {
			`rel="canonical" href="` + a.URL + `/p/mail-pack?lang=pt">`, `hreflang="pt" href="` + a.URL + `/p/mail-pack?lang=pt">`,
			`hreflang="x-default" href="` + a.URL + `/p/mail-pack">`,
		},
		"/?category=other&lang=es": {`rel="canonical" href="` + a.URL + `/?category=other&amp;lang=es">`},
	} {
		html := string(a.DoUnchecked(t, page(path)).Body)
		for _, part := range parts {
			if !strings.Contains(html, part) {
				t.Errorf("%s has no %s", path, part)
			}
		}
		if n := strings.Count(html, "hreflang="); n != 7 || strings.Contains(html, "XB") {
			t.Errorf("%s has %d versions, want six and that of the reader", path, n)
		}
	}
}

// Programs get the same answer, whatever language they accept.
func TestAnswersOfTheAPIHaveOneLanguage(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	want := a.Do(t, testkit.Get("", "/api/marketplace/products"))
	req := testkit.Get("", "/api/marketplace/products")
	req.Header = http.Header{"Accept-Language": {"de"}, "Cookie": {"stoa-language=de"}}
	got := a.Do(t, req)
	if string(got.Body) != string(want.Body) || strings.Contains(strings.Join(got.Header.Values("Vary"), ","), "Language") {
		t.Errorf("the answer depends on the language: Vary %q", got.Header.Values("Vary"))
	}
}

func TestAnAccountKeepsItsLanguage(t *testing.T) {
	t.Parallel()

	testkit.OnEngines(t, func(t *testing.T, a *testkit.App) {
		token := a.Register(t, "ada").Access
		choose := func(body any) testkit.Response {
			return a.DoUnchecked(t, testkit.Request{Method: http.MethodPut, Path: "/auth/language", Token: token, Body: body})
		}
		for _, tt := range []struct {
			body   any
			status int
			want   string
		}{
			{map[string]any{"language": "de"}, http.StatusOK, "de"},
			{map[string]any{"language": "tlh"}, http.StatusBadRequest, "de"},
			{map[string]any{"language": "fr-CA"}, http.StatusOK, "fr"},
			{map[string]any{"language": "de-AT"}, http.StatusOK, "de"},
			{map[string]any{"language": "de-"}, http.StatusBadRequest, "de"},
			{map[string]any{"language": ""}, http.StatusBadRequest, "de"},
			{map[string]any{"language": 1}, http.StatusBadRequest, "de"},
			{map[string]any{}, http.StatusBadRequest, "de"},
			{map[string]any{"language": "fr", "more": 1}, http.StatusBadRequest, "de"},
			{map[string]any{"language": nil}, http.StatusOK, ""},
		} {
			if res := choose(tt.body); res.Status != tt.status {
				t.Errorf("%v answers %d: %s", tt.body, res.Status, res.Body)
			}
			if got := a.Do(t, testkit.Get(token, "/auth/language")).Text(t, "data.language"); got != tt.want {
				t.Errorf("after %v the language is %q, want %q", tt.body, got, tt.want)
			}
		}
		if res := a.Do(t, testkit.Get("", "/auth/language")); res.Status != http.StatusUnauthorized {
			t.Errorf("a guest gets %d", res.Status)
		}
	})
}

// The shop's own language holds at once, before that of the operator.
func TestTheShopsLanguageIsASetting(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t, func(_ testing.TB, cfg *app.Config) { cfg.DefaultLocale = "fr" })
	admin := a.Admin(t, "root")
	for _, tt := range []struct {
		value  any
		status int
		want   string
	}{{"ja", http.StatusOK, "ja"}, {"tlh", http.StatusBadRequest, "ja"}, {nil, http.StatusOK, "fr"}} {
		res := a.DoUnchecked(t, testkit.Request{
			Method: http.MethodPatch, Path: "/api/v1/admin/settings", Token: admin.Access, Body: map[string]any{"language": tt.value},
		})
		if res.Status != tt.status {
			t.Errorf("%v answers %d: %s", tt.value, res.Status, res.Body)
		}
		for _, path := range []string{"/", "/register"} {
			wantLanguage(t, path, a.DoUnchecked(t, page(path)), tt.want)
		}
	}
}

// What a product says in the reader's language stands wherever the shop speaks of it; what it does not say
// there is in the original.
func TestPagesShowProductsInTheLanguageOfTheReader(t *testing.T) {
	t.Parallel()

	a := testkit.NewShop(t)
	shown := func(path, tag string) string {
		return string(a.DoUnchecked(t, page(path, "Accept-Language", tag)).Body)
	}
	paths := []string{"/", "/p/mail-pack", "/checkout/mail-pack/once"}
	before := make(map[string]string)
	for _, path := range paths {
		before[path] = shown(path, "ja")
	}
	a.Do(t, testkit.Request{
		Method: http.MethodPatch, Path: "/api/v1/admin/products/mail-pack", Token: a.Admin(t, "root").Access, Body: `{"translations": {
			"de": {"name": "Postpaket", "shortDescription": "Post.", "description": "Verschickt Post.", "fullDescription": "Viel *Post*.",
				"highlights": ["Flott"], "features": [{"title": "Versand", "items": ["Brief"]}], "faq": [{"question": "Wozu?", "answer": "Darum."}],
				"tiers": {"once": {"name": "Einmalig"}}, "comparison": {"rows": [{"feature": "Briefe", "values": {"free": "einer"}}]}},
			"fr": {"name": "Colis"}}}`,
	})
	for path, parts := range map[string][]string{
		"/": {"Postpaket", ">Post.<"},
		"/p/mail-pack": {
			"<title>Postpaket", `name="description" content="Post."`, `property="og:title" content="Postpaket`,
			`property="og:description" content="Post."`, `"name":"Postpaket"`, `"description":"Verschickt Post."`, `"name":"Einmalig"`,
			"Viel <em>Post</em>.", "Flott", "Versand", "Brief", "Wozu?", "Darum.", ">Einmalig<", ">Monthly<", "Briefe", ">einer<",
		},
		"/checkout/mail-pack/once": {"Postpaket", "Einmalig"},
	} {
		html := shown(path, "de-AT")
		for _, part := range parts {
			if !strings.Contains(html, part) {
				t.Errorf("%s in German has no %s", path, part)
			}
		}
		if strings.Contains(html, "Mail Pack") {
			t.Errorf("%s in German has the original name", path)
		}
	}
	if html := shown("/p/mail-pack", "fr"); !strings.Contains(html, "<title>Colis") || !strings.Contains(html, `content="Mails."`) {
		t.Error("the page in French is not partly in the original")
	}
	for _, path := range paths {
		if shown(path, "ja") != before[path] && path != "/p/mail-pack" { // which shows the day of the change
			t.Errorf("%s in Japanese has changed", path)
		}
	}
}

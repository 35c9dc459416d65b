package locale_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/html/locale"
)

func languages() *locale.Languages {
	return locale.New([]string{"en", "de", "fr", "es", "pt", "ja"}, []string{"en-XA", "ar-XB"})
}

func request(tb testing.TB, query, cookie string, accepts ...string) *http.Request {
	tb.Helper()
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodGet, "/"+query, nil)
	if cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	for _, line := range accepts {
		r.Header.Add("Accept-Language", line)
	}
	return r
}

func TestAnAddressComesBeforeACookieBeforeTheBrowser(t *testing.T) {
	t.Parallel()

	for _, tt := range []struct {
		name, query, cookie string
		accepts             []string
		want                string
		named               bool
	}{
		{name: "nothing"},
		{name: "all of them", query: "?q=a&lang=de", cookie: "stoa-language=fr", accepts: []string{"es"}, want: "de", named: true},
		{name: "cookie and browser", cookie: "a=b; stoa-language=fr", accepts: []string{"es"}, want: "fr"},
		{name: "browser", accepts: []string{"es"}, want: "es"},
		{name: "an unknown language in the address", query: "?lang=tlh", cookie: "stoa-language=fr", want: "fr"},
		{name: "an empty one", query: "?lang=", accepts: []string{"ja"}, want: "ja"},
		{name: "a parameter that ends with its name", query: "?mylang=de"},
		{name: "a region in the address", query: "?lang=pt-BR", want: "pt", named: true},
		{name: "another case", query: "?lang=DE-at", want: "de", named: true},
		{name: "a word that begins with a tag", query: "?lang=de-%3Cscript%3E"},
		{name: "a language whose tag begins with one of ours", query: "?lang=den"},
		{name: "a foreign cookie", cookie: "stoa-language=%3Cb%3E", accepts: []string{"ja"}, want: "ja"},
		{name: "two cookies", cookie: "stoa-language=fr; stoa-language=de", accepts: []string{"ja"}, want: "ja"},
		{name: "a pseudo language", query: "?lang=ar-XB", want: "ar-XB", named: true},
		{name: "a pseudo language in the cookie", cookie: "stoa-language=en-XA", want: "en-XA"},
		{name: "nobody accepts a pseudo language", accepts: []string{"ar-XB, ar"}},
		{name: "regions", accepts: []string{"de-CH, fr;q=0.9"}, want: "de"},
		{name: "Portugal", accepts: []string{"pt-PT"}, want: "pt"},
		{name: "Mexico", accepts: []string{"es-MX"}, want: "es"},
		{name: "a region of English", accepts: []string{"en-GB, de;q=0.9"}, want: "en"},
		{name: "weights", accepts: []string{"de;q=0.1, fr;q=0.8, *;q=0.5"}, want: "fr"},
		{name: "the second wish", accepts: []string{"zh-TW, ko;q=0.9, ja;q=0.2"}, want: "ja"},
		{name: "a language that is not wanted", accepts: []string{"de;q=0"}},
		{name: "none of ours", accepts: []string{"zh, *"}},
		{name: "malformed entries", accepts: []string{"!!, ;;;, de-;q=1, fr;q=x, es;q=0.2"}, want: "es"},
		{name: "several lines", accepts: []string{"zh", "fr;q=0.4", "es"}, want: "es"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			tag, named := languages().Of(request(t, tt.query, tt.cookie, tt.accepts...))
			if tag != tt.want || named != tt.named {
				t.Errorf("got %q, named %v; want %q, %v", tag, named, tt.want, tt.named)
			}
		})
	}
}

func TestHeadersAreReadUpToABound(t *testing.T) {
	t.Parallel()

	l := languages()
	for name, header := range map[string]string{
		"many entries":   strings.Repeat("zh,", 300) + "de",
		"one long entry": strings.Repeat("a", 10_000),
		"many dashes":    strings.Repeat("a-", 5_000) + ", de",
		"many hyphens":   "de" + strings.Repeat("-x-abcdefgh", 1_000),
	} {
		if tag, _ := l.Of(request(t, "", "", header)); tag != "" {
			t.Errorf("%s: %q", name, tag)
		}
	}
	long := "fr;q=0.5, de, " + strings.Repeat("zh;q=0.1, ", 1_000)
	if tag, _ := l.Of(request(t, "", "", long)); tag != "de" {
		t.Errorf("what comes before the bound is not read: %q", tag)
	}
	if got := l.Match("de" + strings.Repeat("-abcdefgh", 10)); got != "" {
		t.Errorf("a tag without end is %q", got)
	}
}

func TestTheDefaultIsTheFirstOfOurs(t *testing.T) {
	t.Parallel()

	l := languages()
	for _, tt := range []struct {
		tags []string
		want string
	}{
		{nil, "en"},
		{[]string{"", ""}, "en"},
		{[]string{"fr", "de"}, "fr"},
		{[]string{"", "de-AT"}, "de"},
		{[]string{"zh", "ja"}, "ja"},
		{[]string{"nonsense-1234567890"}, "en"},
	} {
		if got := l.Default(tt.tags...); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.tags, got, tt.want)
		}
	}
}

func TestScriptsSayWhereALineBegins(t *testing.T) {
	t.Parallel()

	for tag, want := range map[string]string{"en": "ltr", "ja": "ltr", "en-XA": "ltr", "ar-XB": "rtl", "he": "rtl", "uz-Arab": "rtl"} {
		if got := locale.Direction(tag); got != want {
			t.Errorf("%s: %s, want %s", tag, got, want)
		}
	}
}

// Whatever a client sends, it gets a language that there is, or none.
func FuzzRequestsNameLanguagesOfOurs(f *testing.F) {
	f.Add("?lang=de", "stoa-language=fr", "es, *;q=0.1")
	f.Add("?lang=%00", "stoa-language", "x-a-b-c;q=0.3,i-klingon,und")
	f.Fuzz(func(t *testing.T, query, cookie, accepts string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.URL.RawQuery = query
		r.Header["Cookie"], r.Header["Accept-Language"] = []string{cookie}, []string{accepts}
		l := languages()
		if tag, _ := l.Of(r); tag != "" && !l.Has(tag) {
			t.Errorf("%q, %q, %q: %q", query, cookie, accepts, tag)
		}
	})
}

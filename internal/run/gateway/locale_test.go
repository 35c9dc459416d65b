package gateway

import (
	"net/http"
	"regexp"
	"testing"
)

// FuzzLocale checks that the locale is short and safe in a header and in a file name, whatever
// a client sends.
func FuzzLocale(f *testing.F) {
	for _, s := range []string{
		"", "de-CH, de;q=0.9", "*;q=0.5", "../../etc", "en-x-../a", "i-klingon", "x-a-b",
		"en\r\nX-User-Id: 1", "en-u-ca-gregory;q=1",
	} {
		f.Add(s)
	}
	safe := regexp.MustCompile(`^[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*$`)
	g := &Gateway{Platform: Platform{Locale: "en"}, Memory: NewMemory()}
	f.Fuzz(func(t *testing.T, header string) {
		got := g.locale(http.Header{"Accept-Language": {header}})
		if !safe.MatchString(got) || len(got) > 2*maxLocaleLen {
			t.Errorf("locale of %q = %q", header, got)
		}
	})
}

func BenchmarkLocale(b *testing.B) {
	g := &Gateway{Platform: Platform{Locale: "en"}, Memory: NewMemory()}
	h := http.Header{"Accept-Language": {"de-CH,de;q=0.9,en-US;q=0.8,en;q=0.7"}}
	b.ReportAllocs()
	for b.Loop() {
		g.locale(h)
	}
}

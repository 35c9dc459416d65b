package shop

import (
	"net/url"
	"slices"
	"testing"

	"stoa/internal/shop/license"
)

// Whatever the query, its parameters are those that package url finds.
func FuzzReadUse(f *testing.F) {
	for _, query := range []string{
		"", "licenseKey=A&instanceId=b.example:80&nonce=n", "nonce=1&nonce=2&nonce", "licenseKey=&licenseKey=A", "&&=&nonce==x&",
		"instanceId=a;licenseKey=b&nonce=c", "licenseKey=%41+b&nonce=%zz", "licenseKey&instanceId=\xff&Nonce=x", "n%6fnce=x",
		"licenseKey=A#b?c&instanceId=a=b",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		use, nonces := readUse(query)
		v := (&url.URL{RawQuery: query}).Query()
		want := license.UseRequest{LicenseKey: v.Get("licenseKey"), InstanceID: v.Get("instanceId")}
		if use != want || !slices.Equal(nonces, v["nonce"]) {
			t.Errorf("readUse(%q) = %+v, %q; want %+v, %q", query, use, nonces, want, v["nonce"])
		}
	})
}

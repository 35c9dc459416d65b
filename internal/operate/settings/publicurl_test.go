package settings

import (
	"strings"
	"testing"
)

func TestPublicURLIsRefusedWithTheCorrectSpelling(t *testing.T) {
	t.Parallel()

	for given, write := range map[string]string{
		"shop.example.com":               "write https://shop.example.com",
		"shop.example.com:8443":          "write https://shop.example.com:8443",
		"localhost:8080":                 "write http://localhost:8080",
		"https://shop.example.com/docs":  "write https://shop.example.com",
		"https://shop.example.com/?a=b":  "write https://shop.example.com",
		"https://shop.example.com?":      "write https://shop.example.com",
		"https://shop.example.com/#x":    "write https://shop.example.com",
		"https://u:pw@shop.example.com":  "write https://shop.example.com",
		"ftp://shop.example.com":         "write https://shop.example.com",
		"https://":                       "write one like",
		"https:shop.example.com":         "write https://shop.example.com",
		"https:/shop.example.com":        "write https://shop.example.com",
		"https://shop.example.com:443":   "write https://shop.example.com",
		"http://shop.example.com:80/":    "write http://shop.example.com",
		"https://shop.example.com:":      "write https://shop.example.com",
		"https://shop.example.com.":      "write https://shop.example.com",
		"https://Shop.Example.com.":      "write https://shop.example.com",
		"https://shop.example.com.:8443": "write https://shop.example.com:8443",
		"https://shop.example.com:99999": "write one from 1 to 65535",
		"https://shop.example.com:0":     "write one from 1 to 65535",
		"https://b\u00fccher.example":    "write the host as browsers send it, xn--…",
		"https://*.example.com":          "write the name",
		"http://2130706433":              "write a name, or an address",
		"https://shop.example.com:x/abc": "write one like",
	} {
		_, _, err := checkPublicURL(given)
		if err == nil || !strings.HasSuffix(err.Error(), write) && !strings.Contains(err.Error(), write+" ") ||
			strings.Contains(err.Error(), "pw@") {
			t.Errorf("checkPublicURL(%q) = %v, want %q", given, err, write)
		}
	}
}

func TestPublicURLIsNormalized(t *testing.T) {
	t.Parallel()

	for given, want := range map[string]struct {
		clean  string
		warned bool
	}{
		"https://shop.example.com":       {"https://shop.example.com", false},
		"HTTPS://Shop.Example.com/":      {"https://shop.example.com", false},
		" https://shop.example.com:8443": {"https://shop.example.com:8443", false},
		"http://shop.example.com":        {"http://shop.example.com", true},
		"http://203.0.113.9:8080":        {"http://203.0.113.9:8080", true},
		"http://10.0.0.7:8080":           {"http://10.0.0.7:8080", false},
		"http://stoa:8080":               {"http://stoa:8080", false},
		"http://[::1]:8080":              {"http://[::1]:8080", false},
		"http://shop.localhost":          {"http://shop.localhost", false},
	} {
		clean, warning, err := checkPublicURL(given)
		if err != nil || clean != want.clean || (warning != "") != want.warned {
			t.Errorf("checkPublicURL(%q) = %q, %q, %v; want %+v", given, clean, warning, err, want)
		}
	}
}

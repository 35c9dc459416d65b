package settings

import (
	"slices"
	"strings"
	"testing"
)

func TestOriginsAreRefusedWithTheCorrectSpelling(t *testing.T) {
	t.Parallel()

	for given, write := range map[string]string{
		"https://shop.example.com/":     "write https://shop.example.com",
		"https://shop.example.com/a?b":  "write https://shop.example.com",
		"https://shop.example.com#x":    "write https://shop.example.com",
		"shop.example.com":              "write https://shop.example.com",
		"shop.example.com:8443":         "write https://shop.example.com:8443",
		"localhost:5173":                "write http://localhost:5173",
		"127.0.0.1:5173/":               "write http://127.0.0.1:5173",
		"HTTPS://Shop.example.com":      "write https://shop.example.com",
		"https://shop.example.com:443":  "write https://shop.example.com",
		"http://shop.example.com:80":    "write http://shop.example.com",
		"https://u:pw@shop.example.com": "write https://shop.example.com",
		"ftp://shop.example.com":        "write https://shop.example.com",
		"https://*.example.com":         "write each origin out",
		"https://münchen.example":       "xn--…",
		"https://":                      "write one like https://www.example.com",
		"null":                          "write one like https://www.example.com",
		"":                              "write one like https://www.example.com",
		"https://shop.example.com:x":    "write one like https://www.example.com",
	} {
		_, err := checkOrigins([]string{"https://good.example", given})
		if err == nil || !strings.Contains(err.Error(), write) ||
			strings.Contains(err.Error(), "pw@") {
			t.Errorf("checkOrigins(%q) = %v, want %q", given, err, write)
		}
	}
	if _, err := checkOrigins([]string{"*", "https://good.example"}); err == nil ||
		!strings.Contains(err.Error(), "write * alone") {
		t.Errorf("* beside an origin: %v", err)
	}
}

func TestOriginsAreTakenAsBrowsersSpellThem(t *testing.T) {
	t.Parallel()

	for _, given := range [][]string{
		nil,
		{"*"},
		{"https://shop.example.com", "http://localhost:5173"},
		{"https://shop.example.com:8443"},
		{"http://[::1]:3000"},
		{"https://xn--mnchen-3ya.example"},
	} {
		if got, err := checkOrigins(given); err != nil || !slices.Equal(got, given) {
			t.Errorf("checkOrigins(%q) = %q, %v", given, got, err)
		}
	}
	want := []string{"https://a.example", "https://b.example"}
	if got, err := checkOrigins([]string{" https://a.example", "https://b.example "}); err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("origins after a comma and a space = %q, %v", got, err)
	}
}

// Package mask hides who people are from staff who need not know it (contract 2.29).
package mask

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// address finds e-mail addresses within texts.
var address = regexp.MustCompile(`[^\s@<>()",;:|]+@[^\s@<>()",;:|]+`)

// Email returns an address with its first letter and its domain only. What is no address is a name.
func Email(s string) string {
	at := strings.LastIndexByte(s, '@')
	if at <= 0 {
		return Name(s)
	}
	return Name(s[:at]) + s[at:]
}

// Name returns the first letter of a name; nothing of nothing.
func Name(s string) string {
	if s == "" {
		return ""
	}
	_, size := utf8.DecodeRuneInString(s)
	return s[:size] + "…"
}

// Within returns a text with each address in it masked.
func Within(s string) string { return address.ReplaceAllStringFunc(s, Email) }

// Values returns a JSON value with each address in its texts masked.
func Values(v any) any {
	switch v := v.(type) {
	case string:
		return Within(v)
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			list[i] = Values(one)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for name, one := range v {
			m[name] = Values(one)
		}
		return m
	}
	return v
}

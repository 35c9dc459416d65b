package idempotency

import "strings"

// MaxKey is how many characters a key has at most.
const MaxKey = 255

// ParseKey reads the value of one Idempotency-Key header: a string of RFC 8941
// ("8e03978e", with \" and \\ inside), as the IETF draft wants it, or the same
// characters bare, as most clients send them. Both spellings are one key. ok is
// false for anything else: characters outside of printable ASCII, nothing or
// more than MaxKey of them, or, bare, a quote, a backslash or a comma. (A comma
// is what a proxy puts between two headers that it joins.)
func ParseKey(value string) (key string, ok bool) {
	value = strings.Trim(value, " \t")
	quoted := strings.HasPrefix(value, `"`)
	if quoted {
		value, ok = unquote(value)
	} else {
		ok = !strings.ContainsAny(value, `"\,`)
	}
	for i := range len(value) {
		ok = ok && value[i] >= ' ' && value[i] <= '~'
	}
	if !ok || value == "" || len(value) > MaxKey {
		return "", false
	}
	return value, true
}

// unquote reads an RFC 8941 string, without parameters after it.
func unquote(s string) (string, bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), i == len(s)-1
		case c != '\\':
			b.WriteByte(c)
		case i+1 < len(s) && (s[i+1] == '"' || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		default:
			return "", false
		}
	}
	return "", false // no end
}

package idempotency

import "strings"

// MaxKey is the maximum length of a key in characters.
const MaxKey = 255

// ParseKey reads the value of an Idempotency-Key header: an RFC 8941 string
// ("8e03978e", with \" and \\ as escapes), as the IETF draft requires, or the same key
// without quotes, as most clients send it. ok is false if the key is empty, longer than
// MaxKey or not printable ASCII, and if one without quotes contains a quote, a
// backslash or a comma. (Proxies join two headers with a comma.)
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

// unquote reads an RFC 8941 string without parameters.
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

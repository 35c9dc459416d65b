package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// Shortest is the length in bytes from which a secret is worth removing from texts.
// Removing shorter ones would hide ordinary words, and little else.
const Shortest = 6

// redacted replaces a secret.
const redacted = "[secret]"

// encodedObjects matches text that begins like a JSON object in base64: the
// platform's tokens (JWT, three parts) and the config header. The end may be
// missing, because long lines are cut.
var encodedObjects = regexp.MustCompile(`eyJ[A-Za-z0-9_+/=-]{12,}(?:\.[A-Za-z0-9_-]*){0,2}`)

// Secrets returns a function that removes from a text the secrets, plain or encoded, and
// everything that looks like a token. What a plugin prints goes to the log, what it says of its
// health to administrators, and a careless program tells its config or the headers of a request.
func Secrets(secrets []string) func(string) string {
	var forms []string
	for _, s := range secrets {
		forms = append(append(forms, s, inJSON(s)), inBase64(s)...)
	}
	// Of two forms that begin alike, the longer must come first: the first match wins.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) })
	pairs := make([]string, 0, 2*len(forms))
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, redacted)
	}
	replacer := strings.NewReplacer(pairs...)
	return func(text string) string {
		return replacer.Replace(encodedObjects.ReplaceAllString(text, redacted))
	}
}

// inJSON returns s as JavaScript writes it inside a JSON string.
func inJSON(s string) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return s // a string can always be encoded
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(buf.String()), `"`), `"`)
}

// inBase64 returns those parts of a base64 text containing s that depend on s alone:
// one for each position of s within a group of three bytes, in both alphabets.
func inBase64(s string) []string {
	var forms []string
	for before := range 3 {
		text := make([]byte, before, before+len(s))
		text = append(text, s...)
		first, end := (before*8+5)/6, len(text)*8/6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, enc.EncodeToString(text)[first:end])
		}
	}
	return forms
}

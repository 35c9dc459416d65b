package node

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"stoa/internal/plugin"
)

// shortestSecret is the length from which a config value is taken out of logs.
// Shorter ones would take ordinary words out, and hide little.
const shortestSecret = 6

// redacted stands where a secret stood.
const redacted = "[secret]"

// encodedObjects matches what begins like a JSON object in base64, as the
// platform's tokens do (JWT: three parts) and the config header. The end may be
// missing: long lines are cut.
var encodedObjects = regexp.MustCompile(`eyJ[A-Za-z0-9_+/=-]{12,}(?:\.[A-Za-z0-9_-]*){0,2}`)

// secretsOf returns what must not appear in a log: the values of the config's
// secret fields, and the config as the gateway sends it (x-plugin-config).
func secretsOf(in plugin.Installed) []string {
	var secrets []string
	for _, value := range in.Package.Settings.Environment {
		if len(value) >= shortestSecret {
			secrets = append(secrets, value)
		}
	}
	var config map[string]any
	if json.Unmarshal(in.Instance.Config, &config) != nil || len(config) == 0 {
		return secrets // no config
	}
	for name, field := range in.Package.Manifest.ConfigSchema {
		if value, ok := config[name].(string); ok && field.IsSecret() && len(value) >= shortestSecret {
			secrets = append(secrets, value)
		}
	}
	var compact bytes.Buffer
	if json.Compact(&compact, in.Instance.Config) == nil {
		secrets = append(secrets, base64.RawURLEncoding.EncodeToString(compact.Bytes()))
	}
	return secrets
}

// redactor returns a function that takes secrets out of a text, as they are and
// encoded, and whatever looks like a token: what a plugin prints goes to the log,
// and a careless one prints its config or the headers of a request.
func redactor(secrets []string) func(string) string {
	var forms []string
	for _, s := range secrets {
		forms = append(append(forms, s, inJSON(s)), inBase64(s)...)
	}
	// At the same place the first one wins: of two that begin alike, the longer.
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

// inBase64 returns the parts of every base64 text with s in it that depend on
// nothing but s: one for each place that s may have in a group of three bytes, in
// both alphabets.
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

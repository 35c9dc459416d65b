package child

import (
	"encoding/base64"
	"strings"
	"testing"
)

// jwt has the form of a platform token.
const jwt = "eyJhbGciOiJFZERTQSIsInR5cCI6InB0K2p3dCJ9." +
	"eyJhdWQiOiJzdG9hOnBsdWdpbiIsImV4cCI6MX0.c2lnbmF0dXJlLXNpZ25hdHVyZQ-_x"

func TestRedactorFindsSecretsInEveryForm(t *testing.T) {
	t.Parallel()
	const secret = "s3cr\"t\n>>??"
	redact := NewRedactor([]string{"s3cr\"t", secret, "other-value"})
	std, url := base64.StdEncoding, base64.URLEncoding
	for name, text := range map[string]string{
		"as it is":                 "key " + secret + " end",
		"in JSON":                  `{"key":"s3cr\"t\n>>??","x":1}`,
		"in base64":                std.EncodeToString([]byte(secret)),
		"in base64url":             url.EncodeToString([]byte(secret)),
		"of a user, in base64":     "Basic " + std.EncodeToString([]byte("me:"+secret)),
		"amid a text, in base64":   std.EncodeToString([]byte("a " + secret + " b")),
		"amid a text, base64url":   url.EncodeToString([]byte("key=" + secret + "&x")),
		"a token":                  "token " + jwt + ", end",
		"a token that was cut off": "token " + jwt[:60],
		"another secret":           "other-value",
	} {
		got := redact(text)
		for _, leak := range []string{"s3cr", "??", "other", std.EncodeToString([]byte(secret))[:6], "eyJ", "cy1zaWdu"} {
			if strings.Contains(got, leak) {
				t.Errorf("%s: %q became %q", name, text, got)
			}
		}
		if !strings.Contains(got, redacted) {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
}

func TestRedactorLeavesOrdinaryTextAlone(t *testing.T) {
	t.Parallel()
	for _, secrets := range [][]string{nil, {"s3cret-value"}} {
		for _, text := range []string{
			"", "ready", "eyJ is how a JWT begins", "at Object.<anonymous> (/x/index.js:3:9)", `{"a":"keyJack"}`,
		} {
			if got := NewRedactor(secrets)(text); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

package redact_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"stoa/internal/base/redact"
)

// jwt has the form of a platform token.
const jwt = "eyJhbGciOiJFZERTQSIsInR5cCI6InB0K2p3dCJ9." +
	"eyJhdWQiOiJzdG9hOnBsdWdpbiIsImV4cCI6MX0.c2lnbmF0dXJlLXNpZ25hdHVyZQ-_x"

func TestRedactorFindsSecretsInEveryForm(t *testing.T) {
	t.Parallel()
	const key = "s3cr\"t\n>>??"
	clean := redact.Secrets([]string{"s3cr\"t", key, "other-value"})
	std, url := base64.StdEncoding, base64.URLEncoding
	for name, text := range map[string]string{
		"as it is":                 "key " + key + " end",
		"in JSON":                  `{"key":"s3cr\"t\n>>??","x":1}`,
		"in base64":                std.EncodeToString([]byte(key)),
		"in base64url":             url.EncodeToString([]byte(key)),
		"of a user, in base64":     "Basic " + std.EncodeToString([]byte("me:"+key)),
		"amid a text, in base64":   std.EncodeToString([]byte("a " + key + " b")),
		"amid a text, base64url":   url.EncodeToString([]byte("key=" + key + "&x")),
		"a token":                  "token " + jwt + ", end",
		"a token that was cut off": "token " + jwt[:60],
		"another secret":           "other-value",
	} {
		got := clean(text)
		for _, leak := range []string{"s3cr", "??", "other", std.EncodeToString([]byte(key))[:6], "eyJ", "cy1zaWdu"} {
			if strings.Contains(got, leak) {
				t.Errorf("%s: %q became %q", name, text, got)
			}
		}
		if !strings.Contains(got, "[secret]") {
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
			if got := redact.Secrets(secrets)(text); got != text {
				t.Errorf("%q became %q", text, got)
			}
		}
	}
}

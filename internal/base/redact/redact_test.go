package redact_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"stoa/internal/base/redact"
)

const secret = "0123456789abcdefghijABCDEFGHIJ"

func TestTokensDoNotReachTheLog(t *testing.T) {
	t.Parallel()

	key := "stoa_pk_" + secret[:12] + "_" + strings.Repeat(secret, 2)[:49]
	jwt := "eyJhbGciOiJFZERTQSJ9." + secret + "." + secret
	challenge := "stoa_ch_" + secret + "-_x"
	for _, token := range []string{key, strings.Replace(key, "_pk_", "_sk_", 1), challenge, jwt} {
		var b strings.Builder
		log := slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{ReplaceAttr: redact.Attr}))
		log.With("of", token).WithGroup("g").Info("got "+token,
			"text", token, "err", errors.New("bad "+token), "list", []string{token}, slog.Group("in", "deep", "x"+token),
			"struct", struct{ A string }{token}, "pointer", &struct{ A string }{token})
		if strings.Contains(b.String(), secret) || strings.Contains(b.String(), secret[:12]+"_") || strings.Count(b.String(), "[token]") != 8 {
			t.Errorf("logged %s", b.String())
		}
	}
}

func TestOtherTextsStay(t *testing.T) {
	t.Parallel()

	for _, text := range []string{"", "stoa_plugin", "the table stoa_x", "stoa_pk_", "eyJ", "a.b.c"} {
		if got := redact.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Package redact takes tokens out of texts that leave the process: log records and spans. Nothing is meant to put one
// there; this is for the day when something does. It also takes the secrets of an extension out of what the extension
// says.
package redact

import (
	"fmt"
	"log/slog"
	"regexp"
	"strings"
)

// mark stands in place of a token.
const mark = "[token]"

// tokens match API keys, challenges and whatever else begins like a token of stoa's, and JWTs.
var tokens = regexp.MustCompile(`stoa_(?:[ps]k|[a-z]{2,8})_[0-9A-Za-z_-]{12,}|` +
	`eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]{8,}`)

// Text returns text with a mark in place of each token.
func Text(text string) string {
	if !strings.Contains(text, "stoa_") && !strings.Contains(text, "eyJ") {
		return text
	}
	return tokens.ReplaceAllLiteralString(text, mark)
}

// Attr is for slog.HandlerOptions.ReplaceAttr: it does with each attribute what Text does, whatever its type.
func Attr(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		if text := a.Value.String(); Text(text) != text {
			a.Value = slog.StringValue(Text(text))
		}
	case slog.KindAny:
		if text := fmt.Sprintf("%+v", a.Value.Any()); Text(text) != text {
			a.Value = slog.StringValue(Text(text))
		}
	case slog.KindBool, slog.KindDuration, slog.KindFloat64, slog.KindInt64, slog.KindTime, slog.KindUint64,
		slog.KindGroup, slog.KindLogValuer:
	}
	return a
}

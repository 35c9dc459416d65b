package gateway

import (
	"cmp"
	"net/http"
	"strings"

	"golang.org/x/text/language"
)

// Bounds on parsing Accept-Language. Browsers send a handful of short entries.
const (
	maxLocales   = 16  // entries
	maxLocaleLen = 100 // bytes of an entry: a tag and its weight
)

// anyLanguage is how package language parses "*".
var anyLanguage = language.MustParse("mul")

// locale returns the language tag that the client prefers, or the platform's. Of tags with the
// same weight the first wins. It skips "*" and entries that are no language tag or whose weight
// is not between 0 and 1.
//
// The tag is in canonical form, such as zh-Hant-TW: letters, digits and hyphens, which are safe
// in a header and in a file name.
func (g *Gateway) locale(h http.Header) string {
	lines := h["Accept-Language"]
	var best preferred
	switch len(lines) {
	case 0:
	case 1:
		best = g.Memory.locales.Of(lines[0])
	default:
		best = prefer(lines)
	}
	return cmp.Or(string(best), g.Platform.Locale)
}

// preferred is a language tag; empty for none.
type preferred string

func prefer(lines []string) (best preferred) {
	bestWeight, n := float32(0), 0
	for _, line := range lines {
		for entry := range strings.SplitSeq(line, ",") {
			if n++; n > maxLocales || bestWeight == 1 {
				return best
			}
			// Entry by entry: one malformed entry must not invalidate the others.
			tag, weight := acceptedLanguage(entry)
			if weight > bestWeight && weight <= 1 {
				best, bestWeight = preferred(tag.String()), weight
			}
		}
	}
	return best
}

// acceptedLanguage parses one entry. The weight is 0 if the entry names no language.
func acceptedLanguage(entry string) (language.Tag, float32) {
	if len(entry) > maxLocaleLen {
		return language.Und, 0
	}
	tags, weights, err := language.ParseAcceptLanguage(entry)
	if err != nil || len(tags) != 1 || tags[0] == language.Und || tags[0] == anyLanguage {
		return language.Und, 0
	}
	return tags[0], weights[0]
}

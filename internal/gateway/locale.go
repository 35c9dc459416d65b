package gateway

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// localePattern is BCP 47 in its rough shape. What passes is safe in a header
// and in a file's name.
var localePattern = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8}){0,7}$`)

// maxLocales is how many entries of Accept-Language are looked at. Browsers send
// a handful.
const maxLocales = 16

// locale returns the language tag that the client likes best, or the
// platform's. Of equal tags the first wins. What is no tag is skipped.
func (g *Gateway) locale(h http.Header) string {
	best, bestQ := g.Platform.Locale, 0.0
	n := 0
	for _, line := range h["Accept-Language"] {
		for entry := range strings.SplitSeq(line, ",") {
			if n++; n > maxLocales {
				return best
			}
			tag, params, _ := strings.Cut(entry, ";")
			tag = strings.TrimSpace(tag)
			if q := quality(params); q > bestQ && localePattern.MatchString(tag) {
				best, bestQ = tag, q
			}
		}
	}
	return best
}

// quality reads the "q=0.8" of an entry; 1 if there is none, 0 if it is no
// number between 0 and 1.
func quality(params string) float64 {
	params = strings.TrimSpace(params)
	if params == "" {
		return 1
	}
	name, value, _ := strings.Cut(params, "=")
	q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if !strings.EqualFold(strings.TrimSpace(name), "q") || err != nil || !(q >= 0 && q <= 1) {
		return 0
	}
	return q
}

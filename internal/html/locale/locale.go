// Package locale decides in which language a page is written (contract 1.12): it knows what a request
// asks for, but no text and no page.
package locale

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"stoa/internal/base/cache"
)

const (
	// Cookie is the cookie in which a browser keeps the language that somebody chose: a tag, nothing else.
	Cookie = "stoa-language"
	// Parameter is the parameter of an address that names a language for that page only.
	Parameter = "lang"
	// Last is the language of a page for which nothing else names one.
	Last = "en"
)

// Bounds of what requests bring.
const (
	maxTag     = 35  // bytes of a tag (RFC 5646, 4.4.1)
	maxHeader  = 512 // bytes of Accept-Language that are read
	maxHeaders = 512 // headers that are remembered
)

// rightToLeft are the scripts that begin at the right.
var rightToLeft = []string{"Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm", "Rohg", "Mand", "Samr"}

// Languages are those in which pages are written. New makes them. They never change, and are safe for
// concurrent use.
type Languages struct {
	tags, offered []string
	accepted      *cache.Memo[string] // by Accept-Language
}

// New returns the languages of tags. hidden are those that only a parameter or a cookie can name, such as
// the pseudo languages of a demo: they are offered to nobody.
func New(tags, hidden []string) *Languages {
	l := &Languages{offered: slices.Clone(tags), tags: slices.Concat(tags, hidden)}
	parsed := make([]language.Tag, len(tags))
	for i, tag := range tags {
		parsed[i] = language.Make(tag)
	}
	l.accepted = cache.NewMemo(maxHeaders,
		func(header string) string { return accepted(header, tags, language.NewMatcher(parsed)) })
	return l
}

// Offered returns the languages that everybody can have.
func (l *Languages) Offered() []string { return slices.Clone(l.offered) }

// Has reports whether a tag is that of a language, as it is spelled.
func (l *Languages) Has(tag string) bool { return slices.Contains(l.tags, tag) }

// Of returns the language that a request names: in its address, in its cookie, or among those that its
// browser accepts. It is empty if the request names none of ours; named reports that the address does.
func (l *Languages) Of(r *http.Request) (tag string, named bool) {
	if strings.Contains(r.URL.RawQuery, Parameter+"=") {
		if tag = l.Match(r.URL.Query().Get(Parameter)); tag != "" {
			return tag, true
		}
	}
	if cookies := r.CookiesNamed(Cookie); len(cookies) == 1 {
		if tag = l.Match(cookies[0].Value); tag != "" {
			return tag, false
		}
	}
	if len(l.offered) == 0 {
		return "", false
	}
	switch lines := r.Header["Accept-Language"]; len(lines) {
	case 0:
		return "", false
	case 1:
		return l.accepted.Of(cut(lines[0])), false
	default:
		return l.accepted.Of(cut(strings.Join(lines, ","))), false
	}
}

// Default returns the first of some tags that is a language of ours, else Last.
func (l *Languages) Default(tags ...string) string {
	for _, tag := range tags {
		if found := l.Match(tag); found != "" {
			return found
		}
	}
	return Last
}

// Match returns the language of ours that a tag means: itself, or the one of which it is a region. It is
// empty if there is none.
func (l *Languages) Match(tag string) string {
	if tag == "" || len(tag) > maxTag {
		return ""
	}
	for _, own := range l.tags {
		if strings.EqualFold(own, tag) {
			return own
		}
	}
	base, _, _ := strings.Cut(tag, "-")
	for _, own := range l.offered {
		if !strings.EqualFold(own, base) {
			continue
		}
		if _, err := language.Parse(tag); err == nil {
			return own
		}
	}
	return ""
}

// Direction is what the attribute dir of a page in a language says.
func Direction(tag string) string {
	script, _ := language.Make(tag).Script()
	if slices.Contains(rightToLeft, script.String()) {
		return "rtl"
	}
	return "ltr"
}

// cut leaves out what of a header is too long: whole entries, at its end.
func cut(header string) string {
	if len(header) <= maxHeader {
		return header
	}
	return header[:max(0, strings.LastIndexByte(header[:maxHeader], ','))]
}

// accepted returns the tag that suits a header best, entry by entry: a malformed one spoils no other.
func accepted(header string, tags []string, matcher language.Matcher) string {
	type wish struct {
		tag    language.Tag
		weight float32
	}
	var wishes []wish
	for entry := range strings.SplitSeq(header, ",") {
		parsed, weights, err := language.ParseAcceptLanguage(entry)
		if err == nil && len(parsed) == 1 && weights[0] > 0 && weights[0] <= 1 && parsed[0] != language.Und {
			wishes = append(wishes, wish{parsed[0], weights[0]})
		}
	}
	slices.SortStableFunc(wishes, func(a, b wish) int { return cmp.Compare(b.weight, a.weight) })
	for _, one := range wishes {
		// What is less sure is a language that few who wish for the tag read.
		if _, i, sure := matcher.Match(one.tag); sure >= language.High {
			return tags[i]
		}
	}
	return ""
}

package web

import (
	"net/http"
	"strconv"
	"strings"
)

// WantsHTML reports whether r comes from a browser that shows the answer to a person: it asks for HTML
// by name. Programs, fetch included, ask for anything. It decides between a page and an error at an
// address that is not a page.
func WantsHTML(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	weight, by := accepted(r, "text/html")
	return by == byName && weight > 0
}

// PrefersJSON reports whether r would rather have JSON than a page: it gives JSON the greater weight, or
// the same and names JSON alone, or refuses HTML. Whoever has no preference, as curl, monitors and
// previews of links, does not.
func PrefersJSON(r *http.Request) bool {
	page, pageBy := accepted(r, "text/html")
	data, dataBy := accepted(r, "application/json")
	refused := page == 0 && pageBy != byNothing
	return data > page || refused || data == page && data > 0 && dataBy > pageBy
}

// What of an Accept header fits a media type, the more exact the greater (RFC 9110, 12.5.1).
const (
	byNothing = iota
	byAll     // */*
	byRange   // text/*
	byName    // text/html
)

// accepted returns the weight that r's Accept header gives a media type, and by what.
func accepted(r *http.Request, media string) (weight float64, by int) {
	kind, _, _ := strings.Cut(media, "/")
	fits := map[string]int{media: byName, kind + "/*": byRange, "*/*": byAll}
	for element := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		name, params, _ := strings.Cut(element, ";")
		if at := fits[strings.ToLower(strings.TrimSpace(name))]; at > by {
			weight, by = weightOf(params), at
		}
	}
	return weight, by
}

// weightOf returns the weight among the parameters of an element (RFC 9110, 12.4.2). One that cannot be
// read is 0, as if the client refused the element.
func weightOf(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0) { // NaN included
			return 0
		}
		return q
	}
	return 1
}

// ByReader returns a handler that answers people in a browser with page and programs with h.
func ByReader(page, h HandlerFunc) HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Add("Vary", "Accept")
		if WantsHTML(r) {
			return page(w, r)
		}
		return h(w, r)
	}
}

// UnlessJSON returns a handler that answers with page whoever does not prefer JSON, and others with h.
func UnlessJSON(page, h HandlerFunc) HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Add("Vary", "Accept")
		if PrefersJSON(r) {
			return h(w, r)
		}
		return page(w, r)
	}
}

package web

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"stoa/internal/base/errs"
)

// OnlyParams reports query parameters other than page, limit and those named. A
// mistyped filter that is ignored shows a list of everything, which looks like an
// answer. Only lists for administrators are that strict.
func OnlyParams(r *http.Request, faults *errs.Issues, names ...string) {
	NoParamsBut(r, faults, append([]string{"page", "limit"}, names...)...)
}

// NoParamsBut is OnlyParams for a list that has no pages.
func NoParamsBut(r *http.Request, faults *errs.Issues, names ...string) {
	for _, name := range slices.Sorted(maps.Keys(r.URL.Query())) {
		if !slices.Contains(names, name) {
			faults.Add(name, errs.CodeUnknownValue, "This list has no such query parameter; it has %s.",
				strings.Join(names, ", "))
		}
	}
}

// ReadOnlyPage is OnlyPage for administrators, who are told of unknown parameters.
func ReadOnlyPage(r *http.Request) (Page, error) {
	var faults errs.Issues
	OnlyParams(r, &faults)
	p := ReadPage(r, &faults)
	return p, faults.Err()
}

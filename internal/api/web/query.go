package web

import (
	"net/http"
	"time"

	"stoa/internal/base/errs"
)

// ReadBool reads a query parameter that is true, false or absent, and reports
// what is wrong with it.
func ReadBool(r *http.Request, name string, faults *errs.Issues) *bool {
	switch text := r.URL.Query().Get(name); text {
	case "":
	case "true", "false":
		b := text == "true"
		return &b
	default:
		faults.Add(name, errs.CodeWrongType, "%s must be true or false.", name)
	}
	return nil
}

// ReadTime reads a query parameter that is a time, and reports what is wrong with
// it. It is zero if the parameter is absent.
func ReadTime(r *http.Request, name string, faults *errs.Issues) time.Time {
	q := r.URL.Query()
	if !q.Has(name) {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, q.Get(name))
	if err != nil {
		faults.Add(name, errs.CodeWrongType, "%s must be a time like 2030-03-01T12:00:00Z.", name)
	}
	return t
}

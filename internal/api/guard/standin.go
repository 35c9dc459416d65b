package guard

import (
	"net/http"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
)

// StandIn says what somebody of the staff may do at a route while they act as a user.
type StandIn int

const (
	// ReadsAndWrites lets them change something, if the impersonation is for that. All may read.
	ReadsAndWrites StandIn = iota
	// ReadsOnly is for what only the user may change.
	ReadsOnly
	// Nothing is for what only the user may see.
	Nothing
)

var (
	// ErrForUserOnly is the refusal of what nobody may do for a user.
	ErrForUserOnly = errs.New(errs.Forbidden, "IMPERSONATION_FORBIDDEN", "Nobody does this for somebody else.")

	errReadOnly = errs.New(errs.Forbidden, "IMPERSONATION_READ_ONLY",
		"You see the shop as somebody else, and can change nothing.")
)

// LimitStandIns refuses callers who act as somebody else and may not do this. It runs inside Identify, and before
// whatever else refuses callers.
func LimitStandIns(may StandIn, h web.HandlerFunc) web.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		if who := reqctx.CallerFrom(r.Context()); who.Impersonator != "" {
			switch writes := changes(r); {
			case may == Nothing:
				return ErrForUserOnly
			case writes && !who.Writes:
				return errReadOnly
			case writes && may == ReadsOnly:
				return ErrForUserOnly
			}
		}
		return h(w, r)
	}
}

// changes reports whether a request may change something. An upgraded connection may carry anything.
func changes(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead || len(r.Header["Upgrade"]) > 0
}

package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"stoa/internal/api/web"
	"stoa/internal/base/errs"
)

var errNotReady = errs.New(errs.Busy, "NOT_READY",
	"stoa cannot serve requests now. details.parts says what is missing.").After(time.Second)

// Build identifies the program.
type Build struct {
	Version string `json:"version"`
	// Commit is the full hash of the commit the program was built from, with +changes
	// if files differed from it. Date is that commit's, in RFC 3339. Both are empty if
	// unknown.
	Commit string `json:"commit,omitempty"`
	Date   string `json:"date,omitempty"`
}

// livez serves GET /livez: that the process runs, and its Build.
func (s *Server) livez(w http.ResponseWriter, _ *http.Request) error {
	type response struct {
		Status string `json:"status"`
		Build
	}

	web.WriteJSON(w, http.StatusOK, response{"ok", s.Build})
	return nil
}

// part is a part of stoa as /readyz shows it to anyone: without the reason, which may name addresses.
type part struct {
	Name     string `json:"name"`
	Ready    bool   `json:"ready"`
	Required bool   `json:"required"`
}

// readyz serves GET /readyz: 200 while all required parts are ready, else 503.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	type response struct {
		Status string `json:"status"`
		Parts  []part `json:"parts"`
	}

	conditions := s.Ready(r.Context())
	parts, missing := make([]part, len(conditions)), []error(nil)
	for i, c := range conditions {
		parts[i] = part{c.Name, c.Ready, c.Required}
		if c.Required && !c.Ready {
			missing = append(missing, fmt.Errorf("%s: %w", c.Name, c.Err))
		}
	}
	if missing != nil {
		return errNotReady.With("parts", parts).Because(errors.Join(missing...))
	}
	web.WriteJSON(w, http.StatusOK, response{"ok", parts})
	return nil
}

package httpapi

import (
	"net/http"
	"time"

	"stoa/internal/errs"
	"stoa/internal/httpapi/web"
)

var errNotReady = errs.New(errs.Busy, "NOT_READY", "stoa cannot reach its database, or is stopping.").After(time.Second)

// Build says which program this is.
type Build struct {
	Version string `json:"version"`
	// Commit is the full hash of the commit the program was built from, with +changes
	// if files differed from it. Date is that commit's, in RFC 3339. Both are empty if
	// unknown.
	Commit string `json:"commit,omitempty"`
	Date   string `json:"date,omitempty"`
}

// livez serves GET /livez: the process runs, and which program it is.
func (s *Server) livez(w http.ResponseWriter, _ *http.Request) error {
	type response struct {
		Status string `json:"status"`
		Build
	}

	web.WriteJSON(w, http.StatusOK, response{"ok", s.Build})
	return nil
}

// readyz serves GET /readyz: 200 while the process can do its work, else 503.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if err := s.Ready(r.Context()); err != nil {
		return errNotReady.Because(err)
	}
	web.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

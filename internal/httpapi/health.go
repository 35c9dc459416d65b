package httpapi

import (
	"net/http"
	"time"

	"stoa/internal/errs"
	"stoa/internal/httpapi/web"
)

var errNotReady = errs.New(errs.Busy, "NOT_READY", "stoa cannot reach its database, or is stopping.").After(time.Second)

// livez serves GET /livez: the process runs.
func livez(w http.ResponseWriter, _ *http.Request) error {
	web.WriteJSON(w, http.StatusOK, map[string]string{"status": "ok"})
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

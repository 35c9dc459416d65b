package httpapi

import "net/http"

// livez serves GET /livez: the process runs.
func (s *Server) livez(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

// readyz serves GET /readyz: the process can do its work, 503 if not.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if err := s.Ready(r.Context()); err != nil {
		return errNotReady.Because(err)
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	return nil
}

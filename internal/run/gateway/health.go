package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// healthPath is a plugin's health check. The platform answers it for a plugin that answers
// 404 (contract 5.10).
const healthPath = "/health"

// isHealth reports whether a request is a health check, which the platform may answer.
func isHealth(method, path string) bool {
	return path == healthPath && (method == http.MethodGet || method == http.MethodHead)
}

// healthy is the body that the platform answers in place of a plugin. The zero value means that
// it must not.
type healthy struct {
	Status  string `json:"status"`
	Slug    string `json:"slug"`
	Version string `json:"version"`
}

// writeHealth answers in place of a plugin (contract 5.10). The body of the plugin's 404 is
// discarded.
func (a *answer) writeHealth() {
	body, err := json.Marshal(a.health)
	if err != nil {
		panic(err) // of three texts
	}
	a.dropped, a.health = true, healthy{}
	h := a.Header()
	clear(h)
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	a.WriteHeader(http.StatusOK)
	_, _ = a.ResponseWriter.Write(body) // the client may be gone
}

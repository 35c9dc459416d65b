package gateway

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// healthPath is where a plugin says how it is. The platform answers there for a plugin
// whose own answer is 404 (contract 5.10).
const healthPath = "/health"

// isHealth reports whether the platform may answer a request to a plugin's path.
func isHealth(method, path string) bool {
	return path == healthPath && (method == http.MethodGet || method == http.MethodHead)
}

// healthy is what the platform answers for a plugin. The zero value: it must not.
type healthy struct {
	Status  string `json:"status"`
	Slug    string `json:"slug"`
	Version string `json:"version"`
}

// writeHealth answers in place of a plugin (contract 5.10). What the
// plugin sends after its 404 is dropped.
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

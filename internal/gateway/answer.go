package gateway

import (
	"net/http"
	"time"

	"stoa/internal/runtime/relay"
)

// answer is the way back: what the platform has set stays as it is, what plugins
// may not set does not get through, and a client that takes nothing for a while
// is given up.
type answer struct {
	http.ResponseWriter

	rc        *http.ResponseController
	body      *requestBody
	platform  http.Header // what was set before the plugin was called
	committed bool
}

func newAnswer(w http.ResponseWriter, body *requestBody) *answer {
	return &answer{ResponseWriter: w, rc: http.NewResponseController(w), body: body, platform: w.Header().Clone()}
}

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	h := a.Header()
	relay.Withhold(h)
	for name, values := range a.platform {
		h[name] = values
	}
	if status >= http.StatusOK {
		a.committed = true
		a.closeUnlessRead()
	}
	a.limit()
	a.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	if !a.committed {
		a.WriteHeader(http.StatusOK)
	}
	a.limit()
	return a.ResponseWriter.Write(p)
}

// FlushError is what http.ResponseController looks for.
func (a *answer) FlushError() error {
	if !a.committed {
		a.WriteHeader(http.StatusOK)
	}
	a.limit()
	return a.rc.Flush()
}

// Unwrap lets http.ResponseController reach Hijack and the deadlines.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// limit gives the next write its time. It fails only on writers without a
// connection.
func (a *answer) limit() { _ = a.rc.SetWriteDeadline(time.Now().Add(idle)) }

// finish takes out of the trailers what plugins may not set, and the time limit
// off the connection: the next request on it may wait longer.
func (a *answer) finish() {
	if !a.committed {
		a.closeUnlessRead()
		return
	}
	h := a.Header()
	for name := range h {
		if _, ours := a.platform[name]; !ours && relay.IsWithheld(name) {
			delete(h, name)
		}
	}
	_ = a.rc.SetWriteDeadline(time.Time{})
}

// closeUnlessRead ends the connection after an answer that comes while the client
// is still sending: nobody will read the rest.
func (a *answer) closeUnlessRead() {
	if a.body.unfinished() {
		a.Header().Set("Connection", "close")
	}
}

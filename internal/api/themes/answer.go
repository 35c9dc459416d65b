package themes

import (
	"maps"
	"net/http"
	"strings"
	"time"

	"stoa/internal/run/relay"
)

// appAnswer is the http.ResponseWriter for the app's answer. It keeps the headers that the platform has
// set, removes those that would affect more than the shop's pages, and gives up on a client that stops
// reading.
type appAnswer struct {
	http.ResponseWriter

	rc        *http.ResponseController
	platform  http.Header // the headers that were set before the app was called
	committed bool

	// leavesMissing makes WriteHeader keep an answer 404 to itself, and set missing.
	leavesMissing, missing bool
}

// WriteHeader implements http.ResponseWriter.
func (a *appAnswer) WriteHeader(status int) {
	if a.leavesMissing && status == http.StatusNotFound && !a.committed {
		a.missing = true
	}
	if a.missing {
		return
	}
	h := a.Header()
	relay.Withhold(h, relay.Allowed{Cookies: true})
	for name, values := range a.platform {
		h[name] = values
	}
	a.committed = a.committed || status >= http.StatusOK
	a.limit()
	a.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (a *appAnswer) Write(p []byte) (int, error) {
	if !a.committed {
		a.WriteHeader(http.StatusOK)
	}
	if a.missing {
		return len(p), nil
	}
	a.limit()
	return a.ResponseWriter.Write(p)
}

// FlushError is the method that http.ResponseController looks for.
func (a *appAnswer) FlushError() error {
	if !a.committed {
		a.WriteHeader(http.StatusOK)
	}
	if a.missing {
		return nil
	}
	a.limit()
	return a.rc.Flush()
}

// Unwrap lets http.ResponseController reach Hijack and the deadlines.
func (a *appAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// limit sets the write deadline. It has no effect on writers without a connection.
func (a *appAnswer) limit() { _ = a.rc.SetWriteDeadline(time.Now().Add(writeIdle)) }

// finish removes the trailers that apps may not set, or all headers of an answer that is not sent, and
// clears the deadlines of the connection: the next request on it may take longer.
func (a *appAnswer) finish() {
	h := a.Header()
	if a.missing {
		clear(h)
		maps.Copy(h, a.platform)
	}
	if a.committed {
		for name := range h {
			if _, ours := a.platform[name]; !ours && strings.HasPrefix(name, http.TrailerPrefix) && relay.IsWithheld(name) {
				delete(h, name)
			}
		}
	}
	_ = a.rc.SetWriteDeadline(time.Time{})
}

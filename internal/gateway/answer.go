package gateway

import (
	"mime"
	"net/http"
	"strings"
	"time"

	"stoa/internal/runtime/relay"
)

// answer is the way back to the client. It keeps the headers that the platform has
// set, withholds those that plugins may not set, and gives up on a client that
// reads nothing for a while.
type answer struct {
	http.ResponseWriter

	rc        *http.ResponseController
	body      *requestBody
	platform  http.Header // the headers that were set before the plugin was called
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
		sandbox(h)
		a.committed = true
		a.closeUnlessRead()
	}
	a.limit()
	a.ResponseWriter.WriteHeader(status)
}

// sandboxed is the policy of pages that plugins answer with: a page gets an origin of
// its own, and not the shop's with its storage and its workers (CONTRACT 5).
const sandboxed = "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads"

// sandbox adds that policy, beside the plugin's own, to answers that browsers show as
// pages. Without a Content-Type they guess.
func sandbox(h http.Header) {
	mediaType, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case err != nil, mediaType == "text/html", strings.HasSuffix(mediaType, "xml"):
		h.Add("Content-Security-Policy", sandboxed)
	}
}

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	if !a.committed {
		a.WriteHeader(http.StatusOK)
	}
	a.limit()
	return a.ResponseWriter.Write(p)
}

// FlushError is the method that http.ResponseController looks for.
func (a *answer) FlushError() error {
	if !a.committed {
		a.WriteHeader(http.StatusOK)
	}
	a.limit()
	return a.rc.Flush()
}

// Unwrap lets http.ResponseController reach Hijack and the deadlines.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// limit starts the time limit of the next write. It has no effect on writers
// without a connection.
func (a *answer) limit() { _ = a.rc.SetWriteDeadline(time.Now().Add(idle)) }

// finish removes from the trailers what plugins may not set, and the time limit
// from the connection: the next request on it may take longer.
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

// closeUnlessRead closes the connection after an answer that comes while the client
// is still sending: nobody will read the rest.
func (a *answer) closeUnlessRead() {
	if a.body.unfinished() {
		a.Header().Set("Connection", "close")
	}
}

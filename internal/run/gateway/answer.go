package gateway

import (
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"stoa/internal/base/cache"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/relay"
)

// answer is the way back to the client. It keeps the headers that the platform has
// set, withholds those that plugins may not set, and gives up on a client that
// reads nothing for a while.
type answer struct {
	http.ResponseWriter

	rc        http.ResponseController
	request   *http.Request // the client's
	body      *requestBody
	pages     *cache.Memo[bool]
	allowed   *plugin.Settings
	platform  []platformHeader // the headers that were set before the plugin was called
	few       [4]platformHeader
	verdict   verdict
	committed bool
	health    healthy   // what the platform answers if the plugin does not know the path
	dropped   bool      // the platform has answered so
	limited   time.Time // when the limit of the next write was set
	seen      *sighting
	spent     bool
}

type platformHeader struct {
	name   string
	values []string
}

// init makes a, which is zero, the way back to w.
func (a *answer) init(
	w http.ResponseWriter, r *http.Request, body *requestBody, m *Memory, allowed *plugin.Settings, seen *sighting,
) {
	a.ResponseWriter, a.rc, a.request, a.body, a.seen = w, *http.NewResponseController(w), r, body, seen
	a.pages, a.allowed = m.pages, allowed
	a.platform = a.few[:0]
	for name, values := range w.Header() {
		a.platform = append(a.platform, platformHeader{name, values[:len(values):len(values)]})
	}
}

// Spent says whether everything that the runtime got for this call can be used for
// another: nothing reads the request or writes the answer any longer. Without a word,
// it cannot. Package relay calls it.
func (a *answer) Spent(is bool) { a.spent = is }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if status == http.StatusNotFound && a.health != (healthy{}) {
		a.writeHealth()
		return
	}
	h := a.Header()
	if status >= http.StatusOK {
		a.Withhold(h)
	} else {
		a.withhold(h) // no verdict: the plugin may still fail to answer
	}
	for _, ours := range a.platform {
		h[ours.name] = ours.values
	}
	if status >= http.StatusOK {
		if !a.allowed.AllowSameOrigin && a.pages.Of(h.Get("Content-Type")) {
			h.Add("Content-Security-Policy", sandboxed)
		}
		a.committed, a.seen.status = true, status
		a.closeUnlessRead()
	} else {
		a.limit() // it is written at once
	}
	a.ResponseWriter.WriteHeader(status)
}

// Withhold removes from the header of the answer, or of an upgrade, what the plugin may
// not set.
func (a *answer) Withhold(h http.Header) {
	// Here, because WriteHeader never sees the header of an upgrade.
	a.verdict.settle(nil)
	a.seen.answered, a.seen.status = time.Since(a.seen.began), http.StatusSwitchingProtocols
	a.withhold(h)
}

func (a *answer) withhold(h http.Header) {
	relay.Withhold(h, relay.Allowed{Cookies: a.allowed.AllowCookies, CORS: a.allowed.AllowCORS})
}

// sandboxed is the policy of pages that plugins answer with, beside the plugin's own: a
// page gets an origin of its own, and not the shop's with its storage and its workers
// (contract 5.9).
const sandboxed = "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads"

// isPage reports whether browsers show answers with that Content-Type as pages. Without
// one they guess.
func isPage(contentType string) bool {
	mediaType, _, err := mime.ParseMediaType(contentType)
	return err != nil || mediaType == "text/html" || strings.HasSuffix(mediaType, "xml")
}

// heldBack is how many bytes of a body net/http holds back, with the header, until the
// handler returns or flushes. Writing them takes no time.
const heldBack = 2 << 10

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	if !a.committed {
		a.WriteHeader(http.StatusOK)
	}
	if a.dropped {
		return len(p), nil
	}
	if a.seen.bytes+int64(len(p)) > heldBack {
		a.limit()
	}
	n, err := a.ResponseWriter.Write(p)
	a.seen.bytes += int64(n)
	a.seen.lost = a.seen.lost || err != nil
	return n, err
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

// limit starts the time limit of the next write, unless it has just begun. It has no
// effect on writers without a connection.
func (a *answer) limit() {
	if now := time.Now(); now.Sub(a.limited) > time.Second {
		a.limited = now
		_ = a.rc.SetWriteDeadline(now.Add(idle + time.Second))
	}
}

// finish removes from the trailers what plugins may not set, and the time limit
// from the connection: the next request on it may take longer.
func (a *answer) finish() {
	if !a.committed {
		a.closeUnlessRead()
		return
	}
	h := a.Header()
	for name := range h {
		if relay.IsWithheld(name) && !a.isOurs(name) {
			delete(h, name)
		}
	}
	if !a.limited.IsZero() {
		_ = a.rc.SetWriteDeadline(time.Time{})
	}
}

func (a *answer) isOurs(name string) bool {
	return slices.ContainsFunc(a.platform, func(h platformHeader) bool { return h.name == name })
}

// closeUnlessRead closes the connection after an answer that comes while the client
// is still sending: nobody will read the rest.
func (a *answer) closeUnlessRead() {
	if a.body.unfinished() {
		endAfter(a, a.request)
	}
}

package gateway

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"stoa/internal/edge/splice"
	"stoa/internal/extension/plugin"
	"stoa/internal/run/relay"
)

// answer is the http.ResponseWriter that the runtime writes the plugin's answer to. It keeps
// the headers that the platform has set, removes those that plugins may not set, and gives up
// on a client that stops reading.
type answer struct {
	http.ResponseWriter

	rc        http.ResponseController
	request   *http.Request // the client's
	body      *requestBody
	allowed   *plugin.Settings
	cookies   cookieScope
	platform  []platformHeader // the headers that were set before the plugin was called
	few       [4]platformHeader
	verdict   verdict
	committed bool
	health    healthy   // the platform's answer if the plugin's is 404
	dropped   bool      // that answer was sent; the plugin's body is discarded
	limited   time.Time // when the write deadline was last set
	seen      *sighting
	spent     bool
}

type platformHeader struct {
	name   string
	values []string
}

// init makes a, which is zero, write to w.
func (a *answer) init(
	w http.ResponseWriter, r *http.Request, body *requestBody, allowed *plugin.Settings, seen *sighting,
) {
	a.ResponseWriter, a.rc, a.request, a.body, a.seen = w, *http.NewResponseController(w), r, body, seen
	a.allowed = allowed
	a.platform = a.few[:0]
	for name, values := range w.Header() {
		a.platform = append(a.platform, platformHeader{name, values[:len(values):len(values)]})
	}
}

// Spent reports whether the runtime is done with everything it got for this call: nothing
// reads the request or writes the answer any longer. If the runtime does not call Spent, the
// passage is not reused. Package relay calls it.
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
		relay.Withhold(h, relay.Allowed{CORS: a.allowed.AllowCORS}) // no verdict yet: the plugin may still fail to answer
	}
	for _, ours := range a.platform {
		h[ours.name] = ours.values
	}
	if status >= http.StatusOK {
		if a.allowed.AllowSameOrigin {
			h["Permissions-Policy"] = append(wellFormedPolicy(h["Permissions-Policy"]), noPasskeys)
		} else {
			addSandbox(h)
		}
		a.committed, a.seen.status = true, status
		a.closeUnlessRead()
	} else {
		a.limit() // an early answer is written at once
	}
	a.ResponseWriter.WriteHeader(status)
}

// Withhold removes the headers that the plugin may not set from an answer or an upgrade.
func (a *answer) Withhold(h http.Header) {
	// Here, because WriteHeader never sees the header of an upgrade.
	a.verdict.settle(nil)
	a.seen.answered, a.seen.status = time.Since(a.seen.began), http.StatusSwitchingProtocols
	a.withhold(h)
}

func (a *answer) withhold(h http.Header) {
	cookies := a.cookies.leave(h["Set-Cookie"])
	relay.Withhold(h, relay.Allowed{CORS: a.allowed.AllowCORS})
	if len(cookies) > 0 {
		h["Set-Cookie"] = cookies
	}
}

// sandbox is the Content-Security-Policy added to what plugins answer, next to their own. It gives
// a page an opaque origin, so that it cannot reach the storage and the service workers of the shop
// (contract 5.9). It is on every answer, because no list of the types that browsers show as pages
// stays complete: text/xsl and multipart/x-mixed-replace are two that were once forgotten.
const sandbox = "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads"

// onlySandbox is shared by all answers without a policy of the plugin's own. It is never modified.
var onlySandbox = []string{sandbox}

func addSandbox(h http.Header) {
	const name = "Content-Security-Policy"
	if own := h[name]; len(own) > 0 {
		h[name] = append(own[:len(own):len(own)], sandbox)
		return
	}
	h[name] = onlySandbox[:1:1]
}

// heldBack is how many bytes of a body net/http buffers, together with the header, until the
// handler returns or flushes. Writing them does not block.
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

// TakeFrom implements splice.Taker.
func (a *answer) TakeFrom(s *splice.Source, most int64) (int64, error) {
	if !a.committed || a.dropped {
		return 0, errors.ErrUnsupported
	}
	a.limit()
	n, err := splice.Take(a.ResponseWriter, s, most)
	a.seen.bytes += n
	a.seen.lost = a.seen.lost || err != nil && !errors.Is(err, errors.ErrUnsupported)
	return n, err
}

var _ splice.Taker = (*answer)(nil)

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

// limit sets the write deadline, unless it was set within the last second. It has no effect
// on writers without a connection.
func (a *answer) limit() {
	if now := time.Now(); now.Sub(a.limited) > time.Second {
		a.limited = now
		_ = a.rc.SetWriteDeadline(now.Add(idle + time.Second))
	}
}

// finish removes the trailers that plugins may not set, and clears the write deadline: the
// next request on the connection may take longer.
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

// closeUnlessRead closes the connection after an answer that begins while the client is still
// sending: the rest of the body will not be read.
func (a *answer) closeUnlessRead() {
	if a.body.unfinished() {
		endAfter(a, a.request)
	}
}

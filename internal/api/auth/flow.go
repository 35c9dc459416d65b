package auth

import (
	"net/http"

	"stoa/internal/account"
	"stoa/internal/edge/hosts"
)

// The flow cookie ties a sign-in that leaves the page, for a mailbox or another site, to the browser in which it
// began: what comes back by a link works in no other one. It is for pages on stoa's own origin.
//
// The prefix __Host- keeps neighboring names from setting it. Browsers accept it only over HTTPS, so that pages over
// http on a loopback name have one without.
const (
	flowCookie      = "__Host-stoa-flow"
	flowCookieLocal = "stoa-flow"
)

// setFlow puts a flow into the cookie. For a request that is not from a page on stoa's own origin it does nothing: no
// other site may replace the flow of this origin's pages.
func (h *Handlers) setFlow(w http.ResponseWriter, r *http.Request, flow string) {
	secure, ok := h.fromOwnPage(r)
	if !ok {
		return
	}
	name := flowCookie
	if !secure {
		name = flowCookieLocal
	}
	writeFlow(w, name, flow, int(account.FlowLife.Seconds()))
}

// flow returns the flow of the browser that sent r, empty without one. Several cookies count as none.
func (h *Handlers) flow(r *http.Request) string {
	if sent := flowCookies(r); len(sent) == 1 {
		return sent[0].Value
	}
	return ""
}

// clearFlow makes the browser forget its flow.
func (h *Handlers) clearFlow(w http.ResponseWriter, r *http.Request) {
	for _, c := range flowCookies(r) {
		writeFlow(w, c.Name, "", -1)
	}
}

// flowCookies returns the flow cookies of r. It does not ask for an Origin: browsers send none where a person comes
// back by a link.
func flowCookies(r *http.Request) []*http.Cookie {
	sent := r.CookiesNamed(flowCookie)
	if hosts.IsLoopback(r.Host) {
		sent = append(sent, r.CookiesNamed(flowCookieLocal)...)
	}
	return sent
}

// writeFlow sets the cookie. It is Lax, since a link from elsewhere leads back.
func writeFlow(w http.ResponseWriter, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // not Secure at http on a loopback name only, see flowCookie
		Name: name, Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, Secure: name == flowCookie, SameSite: http.SameSiteLaxMode,
	})
}

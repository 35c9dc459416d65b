package auth

import (
	"net/http"
	"net/url"
	"strings"

	"stoa/internal/account"
	"stoa/internal/api/web"
	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/edge/hosts"
)

// refreshHeader asks for the refresh token in a cookie, with the value "cookie".
const refreshHeader = "X-Refresh-Token"

var errForeignOrigin = errs.New(errs.Forbidden, "FORBIDDEN",
	"The refresh cookie is for pages on this server's own origin: Origin must name it.")

// refreshCookie hides the refresh token of a page on stoa's own origin from its scripts
// (contract 2.7). nil means a client that stores the token itself: its cookies are neither read nor
// set.
type refreshCookie struct {
	secure bool
	device *reqctx.Device
}

// refreshCookie returns the refreshCookie of r, or nil if r does not ask for one, and r with the faults
// of that header. It returns an error for a page on another origin, which must neither use nor replace
// the cookie of this origin's pages.
func (h *Handlers) refreshCookie(r *http.Request) (*refreshCookie, *http.Request, error) {
	switch values := r.Header.Values(refreshHeader); {
	case len(values) == 0:
		return nil, r, nil
	case len(values) > 1 || values[0] != "cookie":
		var faults errs.Issues
		faults.Add(refreshHeader, errs.CodeUnknownValue,
			"%s must be \"cookie\", or left out to have the refresh token in the body.", refreshHeader)
		return nil, web.WithHeaderFaults(r, faults), nil
	}
	secure, ok := h.fromOwnPage(r)
	if !ok {
		return nil, r, errForeignOrigin
	}
	c := &refreshCookie{secure: secure}
	c.device = &reqctx.Device{Sent: c.only(r, c.name(deviceCookie))}
	return c, r.WithContext(reqctx.WithDevice(r.Context(), c.device)), nil
}

// fromOwnPage reports whether r comes from a page on stoa's own origin, and whether its cookies are Secure: all
// are, but for pages over http on a loopback name, where browsers would refuse them.
func (h *Handlers) fromOwnPage(r *http.Request) (secure, ok bool) {
	origin, err := url.Parse(r.Header.Get("Origin"))
	if err != nil || len(r.Header.Values("Origin")) != 1 || !h.own(origin, r) {
		return false, false
	}
	return origin.Scheme == "https" || !hosts.IsLoopback(origin.Host), true
}

// own reports whether origin is an origin of stoa: that of the public URL, or that of r.Host, which
// was already checked against the allowed hosts.
func (h *Handlers) own(origin *url.URL, r *http.Request) bool {
	scheme, host, _ := strings.Cut(h.PublicURL, "://")
	if origin.Host == host {
		return origin.Scheme == scheme // a page loaded over http must not act for the https origin
	}
	return (origin.Scheme == "https" || origin.Scheme == "http") &&
		origin.Host == hosts.InBrowsers(origin.Scheme, r.Host)
}

// The cookies of a browser: its refresh token, and what it is known by (contract 2.25).
const (
	tokenCookie  = "stoa-refresh"
	deviceCookie = "stoa-device"
)

// name returns a cookie's full name. Browsers accept one with the prefix __Secure- only over HTTPS.
func (c *refreshCookie) name(of string) string {
	if c.secure {
		return "__Secure-" + of
	}
	return of
}

// take moves the refresh token from t into the cookie, and after a sign-in gives the browser what it is known by. A nil
// c leaves the token there.
func (c *refreshCookie) take(w http.ResponseWriter, t *account.Tokens) {
	if c == nil {
		return
	}
	c.set(w, tokenCookie, t.Refresh, int(account.RefreshLife.Seconds()), http.SameSiteStrictMode)
	t.Refresh = ""
	if c.device.Given != "" {
		// Lax: it proves nothing, and whoever comes from another site is known, too.
		c.set(w, deviceCookie, c.device.Given, int(account.DeviceLife.Seconds()), http.SameSiteLaxMode)
	}
}

// remove makes the browser forget its refresh token. It stays known.
func (c *refreshCookie) remove(w http.ResponseWriter) {
	c.set(w, tokenCookie, "", -1, http.SameSiteStrictMode)
}

func (c *refreshCookie) set(w http.ResponseWriter, name, value string, maxAge int, site http.SameSite) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // not Secure at http on a loopback name only, see refreshCookie
		Name: c.name(name), Value: value, Path: "/auth", MaxAge: maxAge,
		HttpOnly: true, Secure: c.secure, SameSite: site,
	})
}

// token returns the refresh token that the browser sent, empty without one.
// Several cookies of the name count as none: a neighboring name may have set one.
func (c *refreshCookie) token(r *http.Request) string { return c.only(r, c.name(tokenCookie)) }

// only returns the value of the one cookie with that full name.
func (c *refreshCookie) only(r *http.Request, name string) string {
	if all := r.CookiesNamed(name); len(all) == 1 {
		return all[0].Value
	}
	return ""
}

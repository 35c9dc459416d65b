package themes

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/base/reqctx"
	"stoa/internal/extension/theme"
	"stoa/internal/run/relay"
	"stoa/internal/trust/signing"
)

// The failures of calls to theme apps, beside those of package run/themeapp.
var (
	errNoApp = errs.New(errs.NotFound, "NOT_FOUND", "There is no such theme app.")
	errBody  = errs.New(errs.TooLarge, "PAYLOAD_TOO_LARGE", "The request body is larger than 10 MiB.")
)

const (
	maxBody     = 10 << 20         // bytes of a request to a theme app
	bodyTimeout = time.Minute      // for all of it
	writeIdle   = 30 * time.Second // that a client may take to read a part of the answer
)

// Headers of the calls that theme apps make.
const (
	TokenHeader   = "X-Theme-App-Token"  //nolint:gosec // a name; STOA_THEME_APP_TOKEN
	VisitorHeader = "X-Platform-Visitor" // copied from the visitor's request
)

// Runner runs theme apps. Package run/themeapp does.
type Runner interface {
	// Serve passes r to an app and copies its answer to w, as runtime.Runtime describes.
	Serve(w http.ResponseWriter, r *http.Request, a theme.App) error
}

// Front serves theme apps. All fields are required. It is safe for concurrent use.
type Front struct {
	Themes   *theme.Service
	Apps     Runner
	ClientIP reqctx.AddrResolver
}

// App serves ANY /theme-app/{target}/{slug}/{path...}. The app gets the path without its
// base path.
func (f *Front) App(w http.ResponseWriter, r *http.Request) error {
	target, err := theme.ParseTarget(r.PathValue("target"))
	if err != nil {
		return errNoApp
	}
	a, err := f.Themes.FindApp(r.Context(), target, r.PathValue("slug"))
	if errs.KindOf(err) == errs.NotFound {
		return errNoApp
	} else if err != nil {
		return err
	}
	base := theme.BasePath(target, a.Version.Manifest.Slug)
	// Both names are as sent: stoa's own have nothing to encode.
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), base)
	if !ok {
		return errNoApp
	}
	return f.pass(w, r, a, path, base)
}

// Root serves a path that is not stoa's own with the shop's active theme app. If there is none, served is
// false and nothing was written.
func (f *Front) Root(w http.ResponseWriter, r *http.Request) (served bool, err error) {
	a, ok, err := f.Themes.ActiveApp(r.Context(), theme.Shop)
	if err != nil || !ok {
		return false, err
	}
	return true, f.pass(w, r, a, r.URL.EscapedPath(), "")
}

// pass hands a request over to an app. prefix is the part that was removed from the client's path.
func (f *Front) pass(w http.ResponseWriter, r *http.Request, a theme.App, path, prefix string) error {
	if r.Method == http.MethodConnect || r.Method == http.MethodTrace || r.Header.Get("Service-Worker") != "" {
		return errNoApp // a service worker would outlive the theme
	}
	if r.ContentLength > maxBody {
		return tooLarge(w, r)
	}
	rc := http.NewResponseController(w)
	if r.Body != http.NoBody {
		_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout)) // fails only without a connection
	}
	out := r.WithContext(r.Context())
	out.URL = &url.URL{Path: path, RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery}
	if plain, err := url.PathUnescape(path); err == nil {
		out.URL.Path, out.URL.RawPath = plain, path
	}
	out.RequestURI, out.Trailer, out.TransferEncoding = "", nil, nil
	out.Body = http.MaxBytesReader(w, r.Body, maxBody)
	out.Header = f.header(r, prefix)
	aw := &appAnswer{ResponseWriter: w, rc: rc, platform: w.Header().Clone()}
	err := f.Apps.Serve(aw, out, a)
	aw.finish()
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		return tooLarge(w, r)
	}
	return err
}

// tooLarge closes the connection, or the server would read the rest of the body. An HTTP/2 connection
// stays open: closing it would end all its requests, and net/http resets the one stream anyway.
func tooLarge(w http.ResponseWriter, r *http.Request) error {
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	return errBody
}

// droppedByName lists client headers that are not passed on to apps, by their folded names
// (signing.Fold), besides hop-by-hop headers, claims (relay.IsClaim) and the platform's own. Cookies pass,
// except those of stoa and of plugins.
var droppedByName = []string{
	"expect", "content-length", "host", "authorization", "cookie", "cookie2", "x-theme-app-token",
}

// header returns the app's request headers: those of the client that are passed on, and those that
// describe the client as stoa sees it.
func (f *Front) header(r *http.Request, prefix string) http.Header {
	var named []string
	for name := range relay.ConnectionNames(r.Header) {
		named = append(named, signing.Fold(name))
	}
	out := make(http.Header, len(r.Header)+8)
	for name, values := range r.Header {
		folded := signing.Fold(name)
		if signing.Reserved(name) || relay.IsHopByHop(folded) || relay.IsClaim(folded) ||
			slices.Contains(droppedByName, folded) || slices.Contains(named, folded) {
			continue
		}
		out[name] = values
	}
	if upgrade := r.Header["Upgrade"]; slices.Contains(named, "upgrade") && len(upgrade) == 1 &&
		strings.EqualFold(upgrade[0], "websocket") {
		out["Connection"], out["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	}
	if cookies := foreignCookies(r.Cookies()); cookies != "" {
		out["Cookie"] = []string{cookies}
	}
	if addr := f.ClientIP.Addr(r); addr.IsValid() {
		out["X-Forwarded-For"] = []string{addr.String()}
		out[VisitorHeader] = []string{f.Themes.SealVisitor(addr)}
	}
	out["X-Forwarded-Proto"] = []string{f.ClientIP.Proto(r)}
	out["X-Forwarded-Host"] = []string{r.Host}
	out["X-Forwarded-Prefix"] = []string{prefix}
	out["X-Request-Id"] = []string{reqctx.RequestID(r.Context())}
	return out
}

func foreignCookies(all []*http.Cookie) string {
	var kept []string
	for _, c := range all {
		if !relay.IsOwnCookie(c.Name) {
			value := c.Value
			if c.Quoted {
				value = `"` + value + `"`
			}
			kept = append(kept, c.Name+"="+value)
		}
	}
	return strings.Join(kept, "; ")
}

// appAnswer is the http.ResponseWriter for the app's answer. It keeps the headers that the platform has
// set, removes those that would affect more than the shop's pages, and gives up on a client that stops
// reading.
type appAnswer struct {
	http.ResponseWriter

	rc        *http.ResponseController
	platform  http.Header // the headers that were set before the app was called
	committed bool
}

// WriteHeader implements http.ResponseWriter.
func (a *appAnswer) WriteHeader(status int) {
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
	a.limit()
	return a.ResponseWriter.Write(p)
}

// FlushError is the method that http.ResponseController looks for.
func (a *appAnswer) FlushError() error {
	if !a.committed {
		a.WriteHeader(http.StatusOK)
	}
	a.limit()
	return a.rc.Flush()
}

// Unwrap lets http.ResponseController reach Hijack and the deadlines.
func (a *appAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// limit sets the write deadline. It has no effect on writers without a connection.
func (a *appAnswer) limit() { _ = a.rc.SetWriteDeadline(time.Now().Add(writeIdle)) }

// finish removes the trailers that apps may not set, and clears the deadlines of the connection: the next
// request on it may take longer.
func (a *appAnswer) finish() {
	if a.committed {
		h := a.Header()
		for name := range h {
			if _, ours := a.platform[name]; !ours && strings.HasPrefix(name, http.TrailerPrefix) && relay.IsWithheld(name) {
				delete(h, name)
			}
		}
	}
	_ = a.rc.SetWriteDeadline(time.Time{})
}

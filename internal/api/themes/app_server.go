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

// AppServer serves theme apps. All fields are required. It is safe for concurrent use.
type AppServer struct {
	Themes   *theme.Service
	Apps     Runner
	ClientIP reqctx.AddrResolver
}

// App serves ANY /theme-app/{target}/{slug}/{path...}. The app gets the path without its
// base path.
func (f *AppServer) App(w http.ResponseWriter, r *http.Request) error {
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
	_, err = f.pass(w, r, call{app: a, path: path, prefix: base})
	return err
}

// Root serves a path with the shop's active theme app. Where stoa has a page of its own, the app's answer
// 404 is not sent, so that the page takes its place. If served is false, nothing was written.
func (f *AppServer) Root(w http.ResponseWriter, r *http.Request, ownPage bool) (served bool, err error) {
	a, ok, err := f.Themes.ActiveApp(r.Context(), theme.Shop)
	if err != nil || !ok {
		return false, err
	}
	return f.pass(w, r, call{app: a, path: r.URL.EscapedPath(), leavesMissing: ownPage})
}

// call is how an app is called.
type call struct {
	app          theme.App
	path, prefix string // prefix is the part that was removed from the client's path

	leavesMissing bool // do not send an answer 404
}

// pass hands a request over to an app. It reports false if the app's answer was not sent.
func (f *AppServer) pass(w http.ResponseWriter, r *http.Request, c call) (served bool, err error) {
	if r.Method == http.MethodConnect || r.Method == http.MethodTrace || r.Header.Get("Service-Worker") != "" {
		return true, errNoApp // a service worker would outlive the theme
	}
	if r.ContentLength > maxBody {
		return true, tooLarge(w, r)
	}
	rc := http.NewResponseController(w)
	if r.Body != http.NoBody {
		_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout)) // fails only without a connection
	}
	out := r.WithContext(r.Context())
	out.URL = &url.URL{Path: c.path, RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery}
	if plain, err := url.PathUnescape(c.path); err == nil {
		out.URL.Path, out.URL.RawPath = plain, c.path
	}
	out.RequestURI, out.Trailer, out.TransferEncoding = "", nil, nil
	out.Body = http.MaxBytesReader(w, r.Body, maxBody)
	out.Header = f.header(r, c.prefix)
	aw := &appAnswer{ResponseWriter: w, rc: rc, platform: w.Header().Clone(), leavesMissing: c.leavesMissing}
	err = f.Apps.Serve(aw, out, c.app)
	aw.finish()
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		err = tooLarge(w, r)
	}
	return !aw.missing, err
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
func (f *AppServer) header(r *http.Request, prefix string) http.Header {
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

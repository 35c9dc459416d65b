// Package external runs plugins that are HTTP services of their own: it passes
// requests to the externalBaseUrl of their manifest and streams the answers
// back.
//
// What a plugin gets to see is decided before, by package gateway. This package
// adds nothing to a request, no forwarding headers either, follows no redirect,
// and connects to no address that the operator has not allowed.
package external

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"stoa/internal/plugin"
	"stoa/internal/runtime"
)

// Config says how plugins are reached. Log is required; a zero value elsewhere
// means the default.
type Config struct {
	Log *slog.Logger

	// Allow lists networks that plugins may be in although they are private,
	// loopback or otherwise special (STOA_EXTERNAL_ALLOW).
	Allow []netip.Prefix

	// FirstByte is how long a plugin may take until its answer begins, by default
	// 30 s (CONTRACT 5). Waiting for the client's own upload does not count.
	FirstByte time.Duration
}

// Runtime passes requests to external plugins. It is safe for concurrent use.
type Runtime struct {
	log       *slog.Logger
	firstByte time.Duration
	transport *http.Transport
}

var _ runtime.Runtime = (*Runtime)(nil)

// New returns a Runtime with connections of its own. The caller closes it.
func New(cfg Config) *Runtime {
	return &Runtime{
		log:       cfg.Log,
		firstByte: cmp.Or(cfg.FirstByte, 30*time.Second),
		transport: newTransport(cfg.Allow),
	}
}

// Close closes the connections that are not in use.
func (rt *Runtime) Close() { rt.transport.CloseIdleConnections() }

// errSlow cancels a call whose answer did not begin in time.
var errSlow = errors.New("no answer in time")

// Serve implements runtime.Runtime. It panics with http.ErrAbortHandler if the
// answer breaks off after it began, so that the client does not take a part for
// the whole.
func (rt *Runtime) Serve(w http.ResponseWriter, r *http.Request, in plugin.Installed) error {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	out, err := outgoing(ctx, r, in.Package.Manifest)
	if err != nil {
		return err
	}
	c := &call{w: w, client: r.Context(), upload: &upload{}}
	c.watch = runtime.NewWatch(rt.firstByte, func() { cancel(errSlow) })
	defer c.watch.Stop()
	if out.Body != nil {
		c.upload.attach(out, c.watch)
	}
	if out.Header.Get("Upgrade") != "" {
		return c.explain(ctx, rt.upgrade(c, out))
	}
	return c.explain(ctx, rt.exchange(c, out))
}

// call is one request on its way to a plugin and back.
type call struct {
	w      http.ResponseWriter
	client context.Context //nolint:containedctx // of the client's request; the call's own is its child
	watch  *runtime.Watch
	upload *upload
}

// outgoing makes the request that is sent from the one the gateway made.
func outgoing(ctx context.Context, r *http.Request, m plugin.Manifest) (*http.Request, error) {
	base, err := url.Parse(m.ExternalBaseURL)
	if err != nil {
		return nil, fmt.Errorf("external: base URL of %s: %w", m.Slug, err)
	}
	target, err := runtime.Target(m, r.URL.RequestURI())
	if err != nil {
		return nil, err
	}
	out := r.WithContext(ctx)
	out.RequestURI = ""
	out.Close = false
	out.Host = base.Host
	// Opaque is sent as it is: Path would be encoded anew, and the signature
	// covers every byte.
	path, query, hasQuery := strings.Cut(target, "?")
	out.URL = &url.URL{Scheme: base.Scheme, Host: base.Host, Opaque: path, RawQuery: query, ForceQuery: hasQuery && query == ""}
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		out.Body, out.GetBody, out.ContentLength = nil, nil, 0
	}
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = []string{""} // or net/http would name itself
	}
	return out, nil
}

// explain turns a failed call into what Serve returns.
func (c *call) explain(ctx context.Context, failed error) error {
	if failed == nil {
		return nil
	}
	var tooLarge *http.MaxBytesError
	uploadErr := c.upload.failure()
	switch {
	case errors.As(uploadErr, &tooLarge):
		return fmt.Errorf("external: request body: %w", tooLarge)
	case errors.Is(context.Cause(ctx), errSlow), errors.Is(c.client.Err(), context.DeadlineExceeded):
		return runtime.ErrTimeout.Because(failed)
	case c.client.Err() != nil, uploadErr != nil:
		return nil //nolint:nilerr // the client went away: nobody to tell
	}
	return runtime.ErrUnreachable.Because(failed)
}

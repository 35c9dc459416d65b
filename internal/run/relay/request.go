package relay

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// outgoing returns the request to send, made from the gateway's.
func (c *Call) outgoing(ctx context.Context, up Upstream, w *watch) *http.Request {
	out := c.r.WithContext(ctx)
	out.RequestURI = ""
	out.Close = false
	if up.Host != "" {
		out.Host = up.Host
	}
	// Opaque is sent as it is. Path would be escaped again, and the signature covers every byte.
	path, query, hasQuery := strings.Cut(up.Target, "?")
	out.URL = &url.URL{
		Scheme: up.Scheme, Host: up.Addr,
		Opaque: path, RawQuery: query, ForceQuery: hasQuery && query == "",
	}
	c.attachBody(out, w)
	return out
}

// cleanRequest removes the hop-by-hop headers, and asks for an upgrade if the client did. Headers
// that Connection names stay: the gateway has removed the client's, and the platform's must not be
// removed.
func cleanRequest(h http.Header) {
	upgrade := upgradeType(h)
	deleteHopByHop(h)
	if upgrade != "" {
		h["Connection"], h["Upgrade"] = []string{"Upgrade"}, []string{upgrade}
	}
	if _, ok := h["User-Agent"]; !ok {
		h["User-Agent"] = unnamed // or net/http would name itself
	}
}

// unnamed is a header value that all requests share. It is never modified.
var unnamed = []string{""}

// attachBody makes the client's body the body of out.
//
// net/http sends a request again if a reused connection ends without an answer and it takes the
// request for one that may be repeated: by its method or a header, if it has no body or can get it
// again. It asks for a body only after the first attempt, so even a request without one gets a
// body, which is empty and cannot be had again once the plugin may have read the request.
func (c *Call) attachBody(out *http.Request, w *watch) {
	hideIdempotencyKey(out.Header)
	if c.upload == nil {
		out.Body, out.GetBody, out.ContentLength, out.TransferEncoding = nil, nil, 0, nil
		switch out.Method {
		case http.MethodGet, http.MethodHead, http.MethodOptions:
			out.Body = empty{}
			// Otherwise net/http tries for 200 ms whether there is a byte, and then sends it in chunks.
			out.TransferEncoding = []string{"identity"}
			out.GetBody = func() (io.ReadCloser, error) { return empty{}, c.unread() }
		}
		return
	}
	out.Body = c.upload.reader(w)
	if again := c.r.GetBody; again != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			if err := c.unread(); err != nil {
				return nil, err
			}
			body, err := again()
			if err != nil {
				return nil, err
			}
			return &uploadReader{body: body, upload: c.upload, watch: w}, nil
		}
	}
}

// empty is a body without a byte. net/http would know http.NoBody.
type empty struct{}

func (empty) Read([]byte) (int, error) { return 0, io.EOF }
func (empty) Close() error             { return nil }

var errMayBeRead = errors.New("relay: the connection ended without an answer")

// unread returns errMayBeRead if the plugin may have read the request.
func (c *Call) unread() error {
	if c.wrote.Load() {
		return errMayBeRead
	}
	return nil
}

// hideIdempotencyKey spells the headers in lower case for which net/http repeats a request of any
// method. To the plugin this is the same.
func hideIdempotencyKey(h http.Header) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if values, there := h[name]; there {
			delete(h, name)
			h[strings.ToLower(name)] = values
		}
	}
}

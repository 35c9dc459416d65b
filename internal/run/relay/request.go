package relay

import (
	"context"
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
func (c *Call) attachBody(out *http.Request, w *watch) {
	if c.upload == nil {
		out.Body, out.GetBody, out.ContentLength = nil, nil, 0
		return
	}
	out.Body = c.upload.reader(w)
	if again := c.r.GetBody; again != nil {
		out.GetBody = func() (io.ReadCloser, error) {
			body, err := again()
			if err != nil {
				return nil, err
			}
			return &uploadReader{body: body, upload: c.upload, watch: w}, nil
		}
	}
}

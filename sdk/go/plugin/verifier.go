package plugin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Limits of the platform.
const (
	// MaxSignedBody is the size in bytes of the largest body that a signature covers.
	MaxSignedBody = 1 << 20
	// MaxBody is the size in bytes of the largest body that the platform passes on.
	MaxBody = 10 << 20
	// Tolerance is how far the clocks of the platform and of the plugin may be apart.
	Tolerance = 5 * time.Minute
)

// Errors of Verify. They are for the plugin's log: answer 401 to all of them, but 413 to
// ErrUnsignedBody.
var (
	ErrMissing      = errors.New("plugin: the request has no signature or no timestamp")
	ErrMalformed    = errors.New("plugin: the signature's headers cannot be read, or one of the platform's is there twice")
	ErrClock        = errors.New("plugin: the request's timestamp and this clock are more than five minutes apart")
	ErrMismatch     = errors.New("plugin: the platform did not sign this request")
	ErrBody         = errors.New("plugin: the request's body could not be read")
	ErrUnsignedBody = errors.New("plugin: the body has more than 1 MiB, which the signature does not cover")
)

// Verifier checks that requests come from the platform. It is safe for concurrent use.
type Verifier struct {
	// Secrets are the package's signing secrets: GET /api/v1/admin/plugins/{slug}/secret. One match is
	// enough, so after a rotation list the old one as well until the new one is in use.
	Secrets []string

	// UnsignedBodies accepts bodies of more than MaxSignedBody bytes. The platform signs the headers of
	// such requests only: anybody on the network between it and the plugin can change the body, unless
	// the connection is HTTPS.
	UnsignedBodies bool

	// Now is the clock; if nil, time.Now.
	Now func() time.Time

	// HTTP is for calls of the platform API; if nil, a client that follows no redirects and waits 10 s.
	HTTP *http.Client

	configs configs
}

// Handler passes on to next the requests that the platform sent, with the Context that FromContext returns.
// It answers the others: 413 to a body that may not be unsigned, 401 to everything else.
func (v *Verifier) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := v.Read(r)
		switch {
		case errors.Is(err, ErrUnsignedBody):
			http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
		case err != nil:
			http.Error(w, "not signed by the platform", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, c)))
		}
	})
}

// Read verifies a request and returns its Context, for plugins that cannot use Handler. Its errors are those
// of Verify.
func (v *Verifier) Read(r *http.Request) (*Context, error) {
	if err := v.Verify(r); err != nil {
		return nil, err
	}
	return v.newContext(r)
}

// Verify returns nil if the platform sent the request, and otherwise ErrMissing, ErrMalformed, ErrClock,
// ErrMismatch, ErrUnsignedBody, or an error that wraps ErrBody. It reads at most MaxSignedBody bytes and
// one more of the body, and only once the timestamp is good; the handler can read the body as usual, up to
// MaxBody bytes.
//
// Call it before anything changes the request: the signature covers the path and query as sent.
func (v *Verifier) Verify(r *http.Request) error {
	s, err := readSigned(r)
	if err != nil {
		return err
	}
	now := time.Now
	if v.Now != nil {
		now = v.Now
	}
	if apart := now().UnixMilli() - s.at; apart > Tolerance.Milliseconds() || apart < -Tolerance.Milliseconds() {
		return ErrClock
	}
	body, err := start(r)
	if err != nil {
		return err
	}
	large := len(body) > MaxSignedBody
	if large && !v.UnsignedBodies {
		return ErrUnsignedBody
	}
	if !s.signedBy(v.Secrets, r, hashOf(body, large)) {
		return ErrMismatch
	}
	return nil
}

// start reads the body up to MaxSignedBody bytes and one more, and puts it back.
func start(r *http.Request) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	rest := r.Body
	body, err := io.ReadAll(io.LimitReader(rest, MaxSignedBody+1))
	if err != nil {
		return nil, errors.Join(ErrBody, err)
	}
	r.Body = http.NoBody
	switch {
	case len(body) > MaxSignedBody:
		whole := io.NopCloser(io.MultiReader(bytes.NewReader(body), rest))
		r.Body = readCloser{http.MaxBytesReader(nil, whole, MaxBody), rest}
	case len(body) > 0:
		r.Body = readCloser{bytes.NewReader(body), rest}
	}
	return body, nil
}

// readCloser reads from one and closes the other.
type readCloser struct {
	io.Reader
	io.Closer
}

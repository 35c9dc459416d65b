package remote

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"stoa/internal/run/egress"
)

// answerWithin is how long one answer may take, from the request to the last byte.
const answerWithin = 10 * time.Second

// keptFor is how long a connection is kept for the next file of the same check.
const keptFor = 5 * time.Second

const (
	maxHeader = 64 << 10
	maxETag   = 200

	maxRefusal = 4 << 10 // of a body that is not looked at
)

// Fetcher asks markets for files. It connects to no private address that the operator does not allow,
// asks without TLS only on this machine, and follows no redirect. It is safe for concurrent use.
type Fetcher struct {
	agent  string
	within time.Duration
	secure *http.Transport // https
	plain  *http.Transport // http, to loopback addresses only
}

// FetcherConfig says how markets are asked.
type FetcherConfig struct {
	Allow []netip.Prefix // private networks in which markets may be
	Agent string         // User-Agent

	// For tests; the zero values mean the usual ones.
	Within   time.Duration // for one answer
	Resolver *net.Resolver
	TLS      *tls.Config
}

// NewFetcher returns a Fetcher.
func NewFetcher(cfg FetcherConfig) *Fetcher {
	f := &Fetcher{agent: cfg.Agent, within: cfg.Within}
	if f.within == 0 {
		f.within = answerWithin
	}
	transport := func(control func(network, address string, c syscall.RawConn) error) *http.Transport {
		dialer := &net.Dialer{Timeout: f.within, Resolver: cfg.Resolver, Control: control}
		// No proxy: it would connect to private addresses all the same. No compression: the limits count
		// what is read.
		return &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: cfg.TLS, ForceAttemptHTTP2: true, DisableCompression: true,
			TLSHandshakeTimeout: f.within, IdleConnTimeout: keptFor, MaxIdleConnsPerHost: 1, MaxResponseHeaderBytes: maxHeader,
		}
	}
	f.secure, f.plain = transport(egress.Guard(cfg.Allow)), transport(onlyLoopback(cfg.Allow))
	return f
}

// onlyLoopback returns a check for net.Dialer.Control that refuses everything but allowed loopback
// addresses.
func onlyLoopback(allow []netip.Prefix) func(network, address string, c syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		addr := at.Addr().Unmap()
		for _, p := range allow {
			if addr.IsLoopback() && p.Contains(addr) {
				return nil
			}
		}
		return fmt.Errorf("%w: %s without TLS", ssrf.ErrProhibitedIP, addr)
	}
}

// transport returns what sends a request.
func (f *Fetcher) transport(req *http.Request) *http.Transport {
	if req.URL.Scheme == "http" {
		return f.plain
	}
	return f.secure
}

// Client returns a client for everything of a market that is no metadata, with the limits of f: it connects
// where f does, returns a redirect as the answer that it is, and waits as long for an answer. Who reads
// large bodies sets another Timeout; who reads any bounds it.
func (f *Fetcher) Client() *http.Client {
	return &http.Client{
		Transport:     named{f},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       f.within,
	}
}

// named sends requests under the name of this stoa.
type named struct{ f *Fetcher }

// RoundTrip implements http.RoundTripper.
func (n named) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("User-Agent") == "" {
		req = req.Clone(req.Context())
		req.Header.Set("User-Agent", n.f.agent)
	}
	return n.f.transport(req).RoundTrip(req)
}

// errMissing is the cause of the fault for a file that is not there.
var errMissing = errors.New("status 404")

// answer is a file of a market, or nothing if it is as its ETag says.
type answer struct {
	body []byte // nil: not modified
	etag string
}

// get asks for a file that has at most limit bytes. With an ETag it asks for what is not that.
func (f *Fetcher) get(ctx context.Context, address, path string, limit int64, etag string) (answer, *fault) {
	ctx, cancel := context.WithTimeout(ctx, f.within)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+path, nil)
	if err != nil {
		return answer{}, unfitting(err, "its address cannot be asked")
	}
	req.Header.Set("User-Agent", f.agent)
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	res, err := f.transport(req).RoundTrip(req) // not http.Client, which would follow redirects
	if err != nil {
		return answer{}, whyNoAnswer(err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusNotModified && etag != "" {
		return answer{etag: etag}, nil
	}
	if bad := badStatus(res.StatusCode); bad != nil {
		_, _ = io.CopyN(io.Discard, res.Body, maxRefusal) // else the connection could not be used again
		return answer{}, bad
	}
	body, bad := readUpTo(res.Body, path, limit)
	if bad != nil {
		return answer{}, bad
	}
	tag := res.Header.Get("ETag")
	if len(tag) > maxETag {
		tag = ""
	}
	return answer{body, tag}, nil
}

// whyNoAnswer says why a request had no answer. Certificates that are not valid are no answer, too:
// nobody knows who gave it.
func whyNoAnswer(err error) *fault {
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ssrf.ErrProhibitedIP):
		return &fault{refused, "it is private or reserved, and its network is not in --market-allow", err}
	case errors.As(err, &dns):
		return &fault{noAnswer, "its name cannot be resolved", err}
	case errors.As(err, &certificate):
		return &fault{noAnswer, "its certificate is not valid", err}
	case tooLate(err):
		return &fault{noAnswer, "it takes too long to answer", err}
	}
	return &fault{noAnswer, "it does not answer", err}
}

func tooLate(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

// badStatus returns what is wrong with an answer other than 200.
func badStatus(status int) *fault {
	switch {
	case status == http.StatusOK:
		return nil
	case status >= 300 && status < 400:
		return &fault{noMarket, "it redirects", fmt.Errorf("status %d", status)}
	case status == http.StatusNotFound:
		return &fault{noMarket, "it has no market there (status 404)", errMissing}
	case status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout:
		return &fault{noAnswer, fmt.Sprintf("it answers with status %d", status), nil}
	}
	return &fault{noMarket, fmt.Sprintf("it answers with status %d", status), nil}
}

// readUpTo reads a body to its end, which must come after limit bytes at the latest, and in time.
func readUpTo(body io.Reader, path string, limit int64) ([]byte, *fault) {
	file := path[strings.LastIndexByte(path, '/')+1:]
	content, err := io.ReadAll(io.LimitReader(body, limit+1))
	switch {
	case int64(len(content)) > limit:
		return nil, unfitting(nil, "%.100s has more than %d bytes", file, limit)
	case err != nil && tooLate(err):
		return nil, unfitting(err, "%.100s does not end", file)
	case err != nil:
		return nil, &fault{noAnswer, "its answer broke off", err}
	}
	return content, nil
}

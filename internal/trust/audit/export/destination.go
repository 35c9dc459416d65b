package export

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Open returns the destination of the lines: the file at a path, or an https:// address (http:// on
// this machine only), which gets a bearer token if it is not empty.
func Open(to, token string) (Destination, error) {
	scheme, _, isURL := strings.Cut(to, "://")
	if !isURL {
		return file(to), nil
	}
	u, err := url.Parse(to)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return nil, errors.New("the address for the audit log must be https://host/path without user and password; " +
			"set STOA_AUDIT_STREAM_TOKEN for a bearer token")
	case scheme == "https", scheme == "http" && isLoopback(u.Hostname()):
	default:
		return nil, errors.New("the audit log is sent to https:// addresses only, and to http:// on this machine")
	}
	return &address{url: to, token: token, client: &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: takeLimit, MaxIdleConnsPerHost: 1,
			IdleConnTimeout: 30 * time.Second, ForceAttemptHTTP2: true,
		},
		// A redirect would send the log and the token to a place that the operator did not
		// configure.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func isLoopback(host string) bool {
	return host == "localhost" || host == "::1" || strings.HasPrefix(host, "127.")
}

// file is the path of a file that lines are appended to. It is opened for each batch, so that
// it can be rotated by renaming it.
type file string

// Take implements Destination. A partially written batch is removed again, so that no line is cut
// in two.
func (f file) Take(_ context.Context, lines []byte) (err error) {
	to, err := os.OpenFile(string(f), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	info, err := to.Stat()
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		if err := cutPartialLine(to, info.Size()); err != nil {
			return err
		}
	}
	if _, err = to.Write(lines); err == nil {
		err = to.Sync()
	}
	if err != nil && info.Mode().IsRegular() {
		err = errors.Join(err, to.Truncate(info.Size()))
	}
	return err
}

// cutPartialLine removes an incomplete line at the end of a file, which a killed process left. Its
// entries are sent again.
func cutPartialLine(f *os.File, size int64) error {
	tail := make([]byte, min(size, 1<<20))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil {
		return err
	}
	whole := bytes.LastIndexByte(tail, '\n') + 1
	switch whole {
	case len(tail):
		return nil
	case 0: // not a line of ours
		_, err := f.WriteString("\n")
		return err
	}
	return f.Truncate(size - int64(len(tail)-whole))
}

// address is an HTTPS address that takes lines with POST.
type address struct {
	url, token string
	client     *http.Client
}

// Take implements Destination.
func (a *address) Take(ctx context.Context, lines []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(lines))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-ndjson")
	r.Header.Set("User-Agent", "stoa")
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	res, err := a.client.Do(r)
	if err != nil {
		if fault, ok := errors.AsType[*url.Error](err); ok {
			return fault.Err // without the address, whose query may be a secret
		}
		return err
	}
	defer res.Body.Close()
	_, _ = io.CopyN(io.Discard, res.Body, 64<<10) // so that the connection can be reused
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return fmt.Errorf("the address answered %d", res.StatusCode)
	}
	return nil
}

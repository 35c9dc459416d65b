package plugincall_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/testkit"
	"stoa/internal/trust/signing"
)

// rawPlugin is an external plugin on a bare socket. It reads requests more strictly than
// any server, and records them as they arrive.
type rawPlugin struct {
	*testkit.App

	host    string // of stoa
	secrets []string

	mu       sync.Mutex
	arrived  []string // method and target of each request
	problems []string // what a request was not
}

func newRawPlugin(tb testing.TB) *rawPlugin {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = ln.Close() })
	p := &rawPlugin{App: testkit.New(tb)}
	p.host = strings.TrimPrefix(p.URL, "http://")
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	admin := p.Admin(tb, "root").Access
	res := p.Install(tb, admin, "plugin",
		testkit.PluginArchive(tb, testkit.ExternalManifest("raw", "http://"+ln.Addr().String()), nil))
	if res.Status != http.StatusCreated {
		tb.Fatalf("install: %d %s", res.Status, res.Body)
	}
	p.secrets = []string{p.Do(tb, testkit.Get(admin, "/api/v1/admin/plugins/raw/secret")).Text(tb, "data.secret")}
	return p
}

// serve reads requests until the connection ends, and answers each.
func (p *rawPlugin) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	for {
		what, err := p.next(in)
		if errors.Is(err, io.EOF) {
			return
		}
		p.mu.Lock()
		if p.arrived = append(p.arrived, what); err != nil {
			p.problems = append(p.problems, fmt.Sprintf("%s: %v", what, err))
		}
		p.mu.Unlock()
		if err != nil {
			return
		}
		if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"); err != nil {
			return
		}
	}
}

var (
	rawLine = regexp.MustCompile(`^[A-Z]+ /[!-~]* HTTP/1\.1$`)
	rawName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
)

// next reads a request and checks that it has one meaning only, and that the platform has
// signed exactly what has arrived. The error is io.EOF at the end of the connection.
func (p *rawPlugin) next(in *bufio.Reader) (what string, err error) {
	var head bytes.Buffer
	length, chunked := -1, false
	for first := true; ; first = false {
		line, err := in.ReadString('\n')
		if err != nil && first && line == "" {
			return "", io.EOF
		}
		head.WriteString(line)
		text, ok := strings.CutSuffix(line, "\r\n")
		if err != nil || !ok {
			return what, fmt.Errorf("the line %q: %w", line, cmpErr(err))
		}
		if first {
			what = strings.TrimSuffix(text, " HTTP/1.1")
			if !rawLine.MatchString(text) {
				return what, fmt.Errorf("the request line %q", text)
			}
			continue
		}
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok || !rawName.MatchString(name) || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' }) {
			return what, fmt.Errorf("the header line %q", text)
		}
		switch strings.ToLower(strings.ReplaceAll(name, "_", "-")) {
		case "content-length":
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
			if err != nil || length >= 0 || chunked {
				return what, fmt.Errorf("the length %q beside another (%w)", value, cmpErr(err))
			}
			length = int(n)
		case "transfer-encoding":
			if length >= 0 || chunked || strings.TrimSpace(value) != "chunked" {
				return what, fmt.Errorf("the coding %q beside another", value)
			}
			chunked = true
		}
	}
	body, err := readRawBody(in, length, chunked)
	if err != nil {
		return what, err
	}
	r, err := http.ReadRequest(bufio.NewReader(&head))
	if err != nil {
		return what, err
	}
	return what, signing.VerifyRequest(p.secrets, r, signing.BodyHash(body), p.Clock.Now())
}

func cmpErr(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return errors.New("not as it must be")
	}
	return err
}

func readRawBody(in *bufio.Reader, length int, chunked bool) ([]byte, error) {
	if !chunked {
		body := make([]byte, max(length, 0))
		_, err := io.ReadFull(in, body)
		return body, err
	}
	var body []byte
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(strings.TrimSuffix(line, "\r\n"), 16, 31)
		if err != nil || !strings.HasSuffix(line, "\r\n") {
			return nil, fmt.Errorf("the chunk size %q", line)
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(in, chunk); err != nil || !bytes.HasSuffix(chunk, []byte("\r\n")) {
			return nil, fmt.Errorf("the chunk %q: %w", chunk, cmpErr(err))
		}
		if body = append(body, chunk[:n]...); n == 0 {
			return body, nil
		}
	}
}

// attack sends bytes to stoa and returns the statuses of the answers and what has reached
// the plugin meanwhile. It waits for the end of the connection, but not for long: then the
// client ends it.
func (p *rawPlugin) attack(tb testing.TB, sent string, wait time.Duration) (statuses, arrived []string) {
	tb.Helper()
	p.mu.Lock()
	p.arrived, p.problems = nil, nil
	p.mu.Unlock()
	c, err := net.Dial("tcp", p.host)
	if err != nil {
		tb.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(wait))
	go func() { _, _ = io.WriteString(c, sent) }()
	in := bufio.NewReader(c)
	for {
		res, err := http.ReadResponse(in, nil)
		if err != nil {
			break
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		statuses = append(statuses, strconv.Itoa(res.StatusCode))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, problem := range p.problems {
		tb.Errorf("%q: the plugin got %s", sent, problem)
	}
	return statuses, slices.Clone(p.arrived)
}

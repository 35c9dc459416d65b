package relay_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/run/relay"
)

// askUpgrade asks to switch protocols and returns the answer and what follows it.
func askUpgrade(tb testing.TB, addr string) (*http.Response, *bufio.ReadWriter) {
	tb.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { conn.Close() })
	_, _ = io.WriteString(conn,
		"GET /api/x HTTP/1.1\r\nHost: shop\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n")
	rw := bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn))
	res, err := http.ReadResponse(rw.Reader, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return res, rw
}

// byNetHTTP makes requests go through the transport of net/http, as those over TLS do.
func byNetHTTP(up relay.Upstream) relay.Upstream {
	up.Transport = up.Transport.(*relay.Transport).Transport
	return up
}

func TestUpgradedConnectionsPassBytesBothWays(t *testing.T) {
	t.Parallel()

	up := plugin(t, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn,
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+r.Header.Get("Upgrade")+
				"\r\nSet-Cookie: a=1\r\nX-Platform-Token: echoed\r\nX-Kept: yes\r\n\r\n")
		line, _ := rw.ReadString('\n')
		_, _ = io.WriteString(conn, "echo "+line)
	})
	for name, up := range map[string]relay.Upstream{"on sockets": up, "by net/http": byNetHTTP(up)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			passesBothWays(t, front(t, up))
		})
	}
}

func passesBothWays(t *testing.T, srv *httptest.Server) {
	t.Helper()
	res, rw := askUpgrade(t, srv.Listener.Addr().String())
	h := res.Header
	if res.StatusCode != http.StatusSwitchingProtocols || h.Get("Upgrade") != "websocket" {
		t.Fatalf("answer = %d %v", res.StatusCode, h)
	}
	if h.Get("X-Kept") != "yes" || h.Get("X-Request-Id") != "req-1" {
		t.Errorf("lost on the way: %v", h)
	}
	if h.Get("Set-Cookie") != "" || h.Get("X-Platform-Token") != "" {
		t.Errorf("not withheld: %v", h)
	}
	_, _ = rw.WriteString("hello\n")
	_ = rw.Flush()
	if line, err := rw.ReadString('\n'); line != "echo hello\n" || err != nil {
		t.Errorf("echo = %q, %v", line, err)
	}
	if _, err := rw.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("after the plugin ended: %v, want the end", err)
	}
}

func TestARefusedUpgradeIsAnOrdinaryAnswer(t *testing.T) {
	t.Parallel()

	srv := front(t, plugin(t, func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not here", http.StatusUpgradeRequired)
	}))
	res, _ := askUpgrade(t, srv.Listener.Addr().String())
	body, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusUpgradeRequired || string(body) != "not here\n" || err != nil {
		t.Errorf("answer = %d %q, %v", res.StatusCode, body, err)
	}
}

func TestAnotherProtocolThanTheOneAskedForIsAFailure(t *testing.T) {
	t.Parallel()

	for _, switched := range []string{
		"Connection: Upgrade\r\nUpgrade: h2c\r\n", "Connection: Upgrade\r\n", "Upgrade: websocket\r\n",
		"Connection: Upgrade\r\nUpgrade: web\u017focket\r\n", // folds to the same letters
	} {
		up := rawPlugin(t, "HTTP/1.1 101 Switching Protocols\r\n"+switched+"\r\n")
		for _, up := range []relay.Upstream{up, byNetHTTP(up)} {
			res, _ := askUpgrade(t, front(t, up).Listener.Addr().String())
			if res.StatusCode != 599 || res.Header.Get("Upgrade") != "" {
				t.Errorf("%q: answer = %d %v, want none of the plugin's", switched, res.StatusCode, res.Header)
			}
		}
	}
}

// What a side sends together with the end of its HTTP arrives, and before what it sends later.
func TestBytesThatComeWithTheUpgradeArrive(t *testing.T) {
	t.Parallel()
	up := scripted(t, func(l line) {
		if _, err := http.ReadRequest(l.in); err != nil {
			return
		}
		l.say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nready\n")
		for range 2 {
			text, _ := l.in.ReadString('\n')
			l.say("echo " + text)
		}
	})
	for name, up := range map[string]relay.Upstream{"on sockets": up, "by net/http": byNetHTTP(up)} {
		conn, err := net.Dial("tcp", front(t, up).Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "GET /api/x HTTP/1.1\r\nHost: shop\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nearly\n")
		in := bufio.NewReader(conn)
		if res, err := http.ReadResponse(in, nil); err != nil || res.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("%s: %v, %v", name, res, err)
		}
		for _, want := range []string{"ready\n", "echo early\n", "echo later\n"} {
			if want == "echo later\n" {
				_, _ = io.WriteString(conn, "later\n")
			}
			if got, err := in.ReadString('\n'); got != want {
				t.Errorf("%s: %q, %v; want %q", name, got, err, want)
			}
		}
	}
}

// The plugin gets the same request, and the client the same answer, whoever carries the upgrade.
func TestUpgradesAreAlikeOnEveryTransport(t *testing.T) {
	t.Parallel()
	requests := make(chan string, 2)
	up := scripted(t, func(l line) {
		var text []byte
		for !strings.HasSuffix(string(text), "\r\n\r\n") {
			more, err := l.in.ReadBytes('\n')
			if err != nil {
				return
			}
			text = append(text, more...)
		}
		lines := strings.Split(string(text), "\r\n")
		slices.Sort(lines[1:])
		requests <- strings.Join(lines, "\n")
		l.say("HTTP/1.1 101 Web Socket Handshake\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\nX-Two: 1\r\nX-Two: 2\r\n" +
			"Set-Cookie: a=1\r\nX-Request-Id: theirs\r\n\r\n")
	})
	var asked, answered []string
	for _, up := range []relay.Upstream{up, byNetHTTP(up)} {
		conn, err := net.Dial("tcp", front(t, up).Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "GET /api/x HTTP/1.1\r\nHost: shop\r\nconnection: keep-alive, Upgrade\r\nupgrade: websocket\r\n"+
			"Sec-WebSocket-Key: abc\r\nSec-WebSocket-Version: 13\r\nCookie: b=2\r\n\r\n")
		text, err := io.ReadAll(conn)
		if err != nil {
			t.Error(err)
		}
		asked, answered = append(asked, <-requests), append(answered, string(text))
	}
	const want = "HTTP/1.1 101 Web Socket Handshake\r\nConnection: upgrade\r\nUpgrade: WebSocket\r\n" +
		"X-Request-Id: req-1\r\nX-Two: 1\r\nX-Two: 2\r\n\r\n"
	if answered[0] != want || answered[1] != want {
		t.Errorf("the answers are %q and %q, want %q", answered[0], answered[1], want)
	}
	if asked[0] != asked[1] || !strings.Contains(asked[0], "Connection: Upgrade\n") {
		t.Errorf("the requests are\n%s\nand\n%s", asked[0], asked[1])
	}
}

// A side that has sent all still gets what the other one has to say.
func TestTheEndOfOneSideOfAnUpgradeIsPassedOn(t *testing.T) {
	t.Parallel()
	const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
	const last = "everything"
	clientFirst := scripted(t, func(l line) {
		if _, err := http.ReadRequest(l.in); err == nil {
			l.say(switching)
			got, err := io.ReadAll(l.in)
			l.say(fmt.Sprintf("%s, %v", got, err))
		}
	})
	got := make(chan string, 2)
	pluginFirst := scripted(t, func(l line) {
		if _, err := http.ReadRequest(l.in); err == nil {
			l.say(switching + last)
			_ = l.Conn.(*net.TCPConn).CloseWrite()
			text, err := io.ReadAll(l.in)
			got <- fmt.Sprintf("%s, %v", text, err)
		}
	})
	for name, through := range map[string]func(relay.Upstream) relay.Upstream{
		"on sockets": func(up relay.Upstream) relay.Upstream { return up }, "by net/http": byNetHTTP,
	} {
		for _, up := range []relay.Upstream{clientFirst, pluginFirst} {
			conn, err := net.Dial("tcp", front(t, through(up)).Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, "GET /api/x HTTP/1.1\r\nHost: shop\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
			in := bufio.NewReader(conn)
			if _, err := http.ReadResponse(in, nil); err != nil {
				t.Fatal(err)
			}
			want := last
			if up == pluginFirst {
				if text, err := io.ReadAll(in); err != nil || string(text) != want {
					t.Errorf("%s: the client got %q, %v", name, text, err)
				}
			}
			_, _ = io.WriteString(conn, last)
			_ = conn.(*net.TCPConn).CloseWrite()
			text := ""
			if up == pluginFirst {
				text = <-got
			} else {
				rest, _ := io.ReadAll(in)
				text = string(rest)
			}
			if text != last+", <nil>" {
				t.Errorf("%s: the plugin got %q", name, text)
			}
		}
	}
}

// A client without a connection of its own, as over HTTP/2, cannot switch: the call fails.
func TestAnUpgradeWithoutAConnectionIsAFailure(t *testing.T) {
	t.Parallel()
	up := rawPlugin(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	for _, up := range []relay.Upstream{up, byNetHTTP(up)} {
		r := request(t, "GET", "")
		r.Header.Set("Connection", "Upgrade")
		r.Header.Set("Upgrade", "websocket")
		w := httptest.NewRecorder()
		call := relay.NewCall(w, r)
		if err := call.Pass(up); err == nil || w.Body.Len() > 0 {
			t.Errorf("Pass = %v, %q", err, w.Body)
		}
		call.End()
	}
}

// stuck is a connection to a plugin that takes its request, and then nothing more.
type stuck struct {
	net.Conn

	asked   bool
	blocked chan struct{} // closed when the next write waits
	closed  chan struct{}
	once    *sync.Once
}

func (s *stuck) Write(p []byte) (int, error) {
	if !s.asked {
		s.asked = true
		return s.Conn.Write(p)
	}
	close(s.blocked)
	<-s.closed
	return 0, net.ErrClosed
}

func (s *stuck) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Conn.Close()
}

// dated is a connection that knows its deadline for reading.
type dated struct {
	net.Conn

	until *atomic.Pointer[time.Time]
}

func (d dated) SetDeadline(t time.Time) error {
	d.until.Store(&t)
	return d.Conn.SetDeadline(t)
}

// The limit for the answer does not limit what follows an upgrade.
func TestAnUpgradedConnectionHasNoDeadline(t *testing.T) {
	t.Parallel()
	up := scripted(t, func(l line) {
		if _, err := http.ReadRequest(l.in); err == nil {
			l.say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
			text, _ := l.in.ReadString('\n')
			l.say("echo " + text)
		}
	})
	until := new(atomic.Pointer[time.Time])
	up.Transport = relay.NewTransport(func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		return dated{conn, until}, err
	}, time.Minute)
	_, rw := askUpgrade(t, front(t, up).Listener.Addr().String())
	_, _ = rw.WriteString("hello\n")
	_ = rw.Flush()
	if got, err := rw.ReadString('\n'); err != nil || got != "echo hello\n" {
		t.Errorf("%q, %v", got, err)
	}
	if last := until.Load(); last == nil || !last.IsZero() {
		t.Errorf("the deadline is %v", last)
	}
}

// A call that is canceled after an upgrade ends on both sides, although neither says anything, and
// although the client sends what the plugin does not take.
func TestACanceledUpgradeEndsOnBothSides(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"silent on sockets", "silent by net/http", "sending"} {
		sends := how == "sending"
		ended := make(chan struct{})
		up := scripted(t, func(l line) {
			if _, err := http.ReadRequest(l.in); err == nil {
				l.say("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
				_, _ = io.Copy(io.Discard, l.in)
				close(ended)
			}
		})
		if how == "silent by net/http" {
			up = byNetHTTP(up)
		}
		blocked := make(chan struct{})
		if sends {
			up.Transport = relay.NewTransport(func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, addr)
				return &stuck{Conn: conn, blocked: blocked, closed: make(chan struct{}), once: new(sync.Once)}, err
			}, time.Minute)
		}
		ctx, cancel := context.WithCancel(t.Context())
		passed := make(chan error, 1)
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			call := relay.NewCall(w, r.WithContext(ctx))
			defer call.End()
			passed <- call.Pass(up)
		}))
		t.Cleanup(srv.Close)
		_, rw := askUpgrade(t, srv.Listener.Addr().String())
		if sends {
			_, _ = rw.WriteString("hello")
			_ = rw.Flush()
			<-blocked
		}
		cancel()
		if _, err := rw.ReadByte(); err == nil {
			t.Errorf("%s: the client reads on", how)
		}
		<-ended
		if err := <-passed; err != nil {
			t.Errorf("%s: Pass = %v", how, err)
		}
	}
}

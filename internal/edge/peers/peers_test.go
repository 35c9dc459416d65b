package peers

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"stoa/internal/base/reqctx"
	"stoa/internal/testkit/logtest"
)

// kit is a bound listener whose clients have the addresses that the test sets.
type kit struct {
	*Bound

	addr     string
	next     chan netip.Addr // of the next connection
	accepted chan net.Conn
	log      *logtest.Buffer
}

func newKit(t *testing.T, most int) *kit {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	k := &kit{addr: ln.Addr().String(), next: make(chan netip.Addr, 1), accepted: make(chan net.Conn, 1), log: &logtest.Buffer{}}
	k.Bound = &Bound{
		Most: most, Log: k.log.Logger(),
		Trusted: reqctx.AddrResolver{Trusted: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}},
	}
	bound := k.Listen(ln)
	if l, ok := bound.(*listener); ok {
		l.address = func(net.Conn) netip.Addr { return <-k.next }
	}
	go func() {
		for {
			c, err := bound.Accept()
			if err != nil {
				return
			}
			k.accepted <- c
		}
	}()
	return k
}

// connect connects from an address. It returns the server's side, or nil and the answer of
// a refusal.
func (k *kit) connect(t *testing.T, from string) (server net.Conn, answer *http.Response) {
	t.Helper()
	k.next <- reqctx.ParseAddr(from)
	c, err := net.Dial("tcp", k.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	refused := make(chan *http.Response)
	go func() {
		if res, err := http.ReadResponse(bufio.NewReader(c), nil); err == nil {
			refused <- res
		}
	}()
	select {
	case server = <-k.accepted:
		t.Cleanup(func() { _ = server.Close() })
		return server, nil
	case answer = <-refused:
		return nil, answer
	case <-time.After(2 * time.Minute):
		t.Fatal("neither accepted nor refused")
		return nil, nil
	}
}

func TestAnAddressHoldsMostConnectionsAndNotOneMore(t *testing.T) {
	t.Parallel()
	k := newKit(t, 3)
	var first net.Conn
	for range 3 {
		c, _ := k.connect(t, "203.0.113.7:1")
		if c == nil {
			t.Fatal("refused within the bound")
		}
		first = c
	}
	c, answer := k.connect(t, "203.0.113.7:2")
	if c != nil {
		t.Fatal("one more was accepted")
	}
	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusTooManyRequests || answer.Header.Get("Retry-After") != "1" || !answer.Close ||
		answer.Header.Get("X-Request-Id") == "" || !strings.Contains(string(body), `"RATE_LIMIT_EXCEEDED"`) {
		t.Errorf("refused with %d %v %s", answer.StatusCode, answer.Header, body)
	}
	if !strings.Contains(k.log.String(), "203.0.113.7") || !strings.Contains(k.log.String(), "STOA_TRUSTED_PROXIES") {
		t.Errorf("log: %s", k.log.String())
	}
	if c, _ := k.connect(t, "203.0.113.8:1"); c == nil {
		t.Error("another address was refused")
	}
	_ = first.Close()
	_ = first.Close() // counts once
	if c, _ := k.connect(t, "203.0.113.7:1"); c == nil {
		t.Error("refused after a connection ended")
	}
	if c, _ := k.connect(t, "203.0.113.7:1"); c != nil {
		t.Error("closing twice made room for two")
	}
}

func TestIPv6IsBoundedByTheNetworkOfASubscriber(t *testing.T) {
	t.Parallel()
	k := newKit(t, 1)
	for _, row := range []struct {
		from string
		ok   bool
	}{
		{"[2001:db8:1:1::1]:1", true},
		{"[2001:db8:1:1:ffff::2]:1", false}, // the same /64
		{"[2001:db8:1:2::1]:1", true},
		{"203.0.113.7:1", true},
		{"[::ffff:203.0.113.7]:1", false}, // the same address
	} {
		if c, _ := k.connect(t, row.from); (c != nil) != row.ok {
			t.Errorf("%s: accepted %t, want %t", row.from, c != nil, row.ok)
		}
	}
}

func TestProxiesAndThisMachineAreNotBounded(t *testing.T) {
	t.Parallel()
	k := newKit(t, 1)
	for _, from := range []string{"192.0.2.9:1", "127.0.0.1:1", "[::1]:1"} {
		for range 3 {
			if c, _ := k.connect(t, from); c == nil {
				t.Errorf("%s was refused", from)
			}
		}
	}
	if len(k.held) > 0 {
		t.Errorf("they are counted: %v", k.held)
	}
}

func TestNoBoundIsNoWrapper(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	if got := new(Bound).Listen(ln); got != ln {
		t.Errorf("got %T", got)
	}
}

func TestAddressesWithoutConnectionsTakeNoMemory(t *testing.T) {
	t.Parallel()
	k := newKit(t, 2)
	c, _ := k.connect(t, "203.0.113.7:1")
	_ = c.Close()
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.held) > 0 {
		t.Errorf("remembered: %v", k.held)
	}
}

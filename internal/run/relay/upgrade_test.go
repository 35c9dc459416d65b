package relay_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
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

func TestUpgradedConnectionsPassBytesBothWays(t *testing.T) {
	t.Parallel()

	srv := front(t, plugin(t, func(w http.ResponseWriter, r *http.Request) {
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
	}))
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

	up := rawPlugin(t, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n")
	res, _ := askUpgrade(t, front(t, up).Listener.Addr().String())
	if res.StatusCode != 599 || res.Header.Get("Upgrade") != "" {
		t.Errorf("answer = %d %v, want none of the plugin's", res.StatusCode, res.Header)
	}
}

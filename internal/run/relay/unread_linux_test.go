package relay_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"stoa/internal/run/relay"
)

// A plugin that ends before it reads a request has seen nothing of it, which its socket proves:
// the request may go to another process, whatever its method.
func TestARequestThatNobodyReadMayBeSentAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		method, body string
		reads        int // bytes that the plugin reads before it closes the connection
		repeatable   bool
	}{
		"a GET, unread":                      {"GET", "", 0, true},
		"a POST, unread":                     {"POST", "body", 0, true},
		"a GET, read":                        {"GET", "", 1 << 16, false},
		"a POST, read":                       {"POST", "body", 1 << 16, false},
		"more than is read at once, unread":  {"POST", strings.Repeat("x", 15<<10), 0, true},
		"more than is sent at once, unread":  {"POST", strings.Repeat("x", 64<<10), 0, false},
		"more than is sent at once, in part": {"POST", strings.Repeat("x", 64<<10), 100, false},
	} {
		for _, used := range []bool{false, true} {
			up := closing(t, used, tt.reads)
			if used {
				if rec, err := pass(t, up, request(t, "GET", "")); err != nil || rec.Code != http.StatusOK {
					t.Fatal(err)
				}
			}
			_, err := pass(t, up, request(t, tt.method, tt.body))
			failed, ok := errors.AsType[*relay.Failure](err)
			if !ok || failed.Repeatable != tt.repeatable || failed.Answered {
				t.Errorf("%s, used before: %t: %+v (%v)", name, used, failed, err)
			}
		}
	}
}

// closing starts a plugin on a unix socket that takes one connection. With used, it answers a
// request on it. It ends with the next request, of which it reads some bytes.
func closing(tb testing.TB, used bool, reads int) relay.Upstream {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "s")
	ln, err := net.Listen("unix", path)
	if err != nil {
		tb.Fatal(err)
	}
	go func() {
		conn, err := ln.Accept()
		_ = ln.Close()
		if err != nil {
			return
		}
		defer conn.Close()
		if used {
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil {
				return
			}
			_, _ = io.WriteString(conn, hi)
		}
		awaitBytes(conn)
		_, _ = conn.Read(make([]byte, reads))
	}()
	return atSocket(tb, path)
}

// awaitBytes returns when there is something to read from conn, and leaves it there.
func awaitBytes(conn net.Conn) {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
		return n > 0 || !errors.Is(err, syscall.EAGAIN)
	})
}

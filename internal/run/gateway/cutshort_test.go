package gateway_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// A body that breaks off is never answered as if the plugin had received it, whether it is read
// first or streamed.
func TestABodyThatBreaksOffIsNoSuccess(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		framing string
		sent    []byte
	}{
		"short, of a length":    {"Content-Length: 1000\r\n\r\n", bytes.Repeat([]byte("x"), 100)},
		"short, in chunks":      {"Transfer-Encoding: chunked\r\n\r\n", []byte("3\r\nabc\r\nzz\r\n")},
		"streamed, of a length": {fmt.Sprintf("Content-Length: %d\r\n\r\n", 3*mib), bytes.Repeat([]byte("x"), 2*mib)},
		"streamed, in chunks": {
			"Transfer-Encoding: chunked\r\n\r\n", fmt.Appendf(nil, "%x\r\n%s\r\nzz\r\n", 2*mib, bytes.Repeat([]byte("x"), 2*mib)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newKit(t)
			c, err := net.Dial("tcp", k.front.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			go func() {
				_, _ = io.WriteString(c, "POST /api/x HTTP/1.1\r\nHost: shop\r\n"+tt.framing)
				_, _ = c.Write(tt.sent)
				_ = c.(*net.TCPConn).CloseWrite()
			}()
			_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				return // the connection ended without an answer
			}
			if got := code(res); got != "MALFORMED_REQUEST" && got != "VALIDATION_ERROR" {
				t.Errorf("answered %s %v", got, res.Header)
			}
		})
	}
}

package httpapi

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// single is a listener with one connection.
type single chan net.Conn

func (s single) Accept() (net.Conn, error) {
	if c, ok := <-s; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (s single) Close() error   { close(s); return nil }
func (s single) Addr() net.Addr { return &net.TCPAddr{} }

// A refusal is sent although the body that was announced does not come.
func TestARefusalDoesNotWaitForABodyThatNeverComes(t *testing.T) {
	t.Parallel()
	for _, length := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked"} {
		synctest.Test(t, func(t *testing.T) {
			server, client := net.Pipe()
			ln := make(single, 1)
			ln <- server
			srv := &http.Server{
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.WriteHeader(http.StatusNotFound)
					linger(w, r, r.Body)
				}),
			}
			go func() { _ = srv.Serve(ln) }()
			defer srv.Close()
			defer client.Close()
			began := time.Now()
			fmt.Fprintf(client, "POST / HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", length)
			_ = client.SetReadDeadline(began.Add(time.Hour))
			res, err := http.ReadResponse(bufio.NewReader(client), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if took := time.Since(began); took > lingerTime {
				t.Errorf("%s: the answer came after %v", length, took)
			}
		})
	}
}

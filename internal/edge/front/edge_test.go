package front_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"stoa/internal/edge/framing"
	"stoa/internal/edge/front"
)

// A call whose head was read when the server shut down does not start after Wait returned.
func TestNoCallStartsAfterTheShutdown(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	held := holding{ln, make(chan struct{}), make(chan struct{})}
	var ran atomic.Bool
	f := &front.Front{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { ran.Store(true) })}
	idle, closed := make(chan struct{}, 8), make(chan struct{}, 8)
	srv := &http.Server{
		Handler: http.HandlerFunc(handler), Protocols: framing.Protocols(), ReadHeaderTimeout: time.Minute,
		ConnState: func(c net.Conn, state http.ConnState) {
			switch front.ConnState(c, state); state {
			case http.StateIdle:
				idle <- struct{}{}
			case http.StateClosed:
				closed <- struct{}{}
			default:
			}
		},
	}
	srv.RegisterOnShutdown(f.Drain)
	served := make(chan error, 1)
	go func() { served <- srv.Serve(f.Listen(framing.NewGuard().Listen(held))) }()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprint(c, passedOn)
	if _, err := c.Read(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	<-idle
	fmt.Fprint(c, strings.Replace(call, "/a ", "/held ", 1))
	<-held.read
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	if err := f.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	close(held.goOn)
	<-closed
	if got, _ := io.ReadAll(c); len(got) > 0 || ran.Load() {
		t.Errorf("the call ran: %t; the client got %q", ran.Load(), got)
	}
	<-served
}

// holding is a listener whose connections hold back a request for /held that they have read.
type holding struct {
	net.Listener

	read, goOn chan struct{}
}

// Accept implements net.Listener.
func (h holding) Accept() (net.Conn, error) {
	c, err := h.Listener.Accept()
	return heldConn{c, h}, err
}

type heldConn struct {
	net.Conn

	of holding
}

// Read implements net.Conn.
func (c heldConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if bytes.Contains(p[:n], []byte("/held ")) {
		close(c.of.read)
		<-c.of.goOn
	}
	return n, err
}

// HTTP/2 starts with the first bytes of a connection or not at all.
func TestHTTP2DoesNotStartAfterACall(t *testing.T) {
	t.Parallel()
	s := newServer(t, true, http.HandlerFunc(handler))
	c, in := s.dial(t)
	fmt.Fprint(c, call)
	expect(t, in, "200 /api/x/a ")
	fmt.Fprint(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", call)
	if got, _ := io.ReadAll(in); len(got) > 0 {
		t.Errorf("the client got %q", got)
	}
}

// net/http waits for four bytes before it parses a request, so fewer of them are left to it.
func TestBytesBetweenRequestsGoToNetHTTP(t *testing.T) {
	t.Parallel()
	for _, fronted := range []bool{true, false} {
		s := newServer(t, fronted, http.HandlerFunc(handler))
		for _, few := range []string{"a\n\n", "\r\r\n", "\n\r\n"} {
			c, in := s.dial(t)
			fmt.Fprint(c, "GET /one HTTP/1.1\r\nHost: x\r\n\r\n"+few)
			expect(t, in, "200 /one ")
			fmt.Fprint(c, call)
			if res, err := http.ReadResponse(in, nil); err == nil && res.StatusCode != http.StatusBadRequest {
				t.Errorf("with the front: %t; after %q: %d", fronted, few, res.StatusCode)
			}
		}
	}
}

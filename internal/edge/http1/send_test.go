package http1_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa/internal/edge/http1"
	"stoa/internal/testkit/waittest"
)

const (
	asked    = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	answered = "HTTP/1.1 204 No Content\r\n\r\n"
)

// served returns a pool whose connections lead to serve.
func served(tb testing.TB, serve func(nc net.Conn)) *http1.Pool {
	tb.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer nc.Close()
				serve(nc)
			})
		}
	})
	pool := http1.NewPool(func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, ln.Addr().String())
	}, time.Minute)
	tb.Cleanup(func() {
		pool.CloseIdle()
		_ = ln.Close()
		serving.Wait()
	})
	return pool
}

// used returns a connection that one request was sent on.
func used(tb testing.TB, pool *http1.Pool) *http1.Conn {
	tb.Helper()
	c, err := pool.Dial(tb.Context(), "a")
	if err != nil {
		tb.Fatal(err)
	}
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		tb.Fatal(err)
	}
	if err := exchange(c, asked); err != nil {
		tb.Fatal(err)
	}
	if c = pool.Reuse("a"); c == nil {
		tb.Fatal("the connection cannot be used again")
	}
	return c
}

func exchange(c *http1.Conn, request string) error {
	if n, err := c.Send([]byte(request), true); err != nil || n != len(request) {
		return fmt.Errorf("%d of %d bytes were sent: %w", n, len(request), err)
	}
	a, err := c.ReadAnswer(http.MethodGet)
	if err != nil {
		return err
	}
	body := c.Body(&a)
	c.Release(&a, &body)
	return nil
}

// echo answers all requests.
func echo(nc net.Conn) {
	requests := bufio.NewReader(nc)
	for {
		r, err := http.ReadRequest(requests)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(nc, answered)
	}
}

// A wait that misses the arrival of an answer would last until the deadline.
func TestNoAnswerIsMissed(t *testing.T) {
	t.Parallel()
	pool := served(t, func(nc net.Conn) {
		requests := bufio.NewReader(nc)
		for {
			if _, err := http.ReadRequest(requests); err != nil {
				return
			}
			for i := 0; i < len(answered); { // in pieces, some at once
				n := min(i+1+rand.IntN(2*len(answered)), len(answered))
				_, _ = io.WriteString(nc, answered[i:n])
				if i = n; rand.IntN(4) == 0 {
					time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
				}
			}
		}
	})
	var calls sync.WaitGroup
	for range 16 {
		calls.Go(func() {
			for range 500 {
				c := pool.Reuse("a")
				if c == nil {
					var err error
					if c, err = pool.Dial(t.Context(), "a"); err != nil {
						t.Error(err)
						return
					}
				}
				_ = c.SetDeadline(time.Now().Add(time.Minute))
				if err := exchange(c, asked); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	calls.Wait()
}

// waitForBytes waits until a read would return something, or the end.
func waitForBytes(t *testing.T, c *http1.Conn) {
	t.Helper()
	raw, err := c.Conn.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	waittest.True(t, "what the other side does to arrive", func() (arrived bool) {
		err := raw.Control(func(fd uintptr) {
			_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			arrived = !errors.Is(err, syscall.EAGAIN)
		})
		if err != nil {
			t.Fatal(err)
		}
		return arrived
	})
}

func TestAConnectionThatWasClosedMeanwhileIsStale(t *testing.T) {
	t.Parallel()
	for name, farewell := range map[string]string{"closed": "", "with an unsolicited answer": answered} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := make(chan struct{})
			pool := served(t, func(nc net.Conn) {
				_, _ = http.ReadRequest(bufio.NewReader(nc))
				_, _ = io.WriteString(nc, answered)
				select { // lest it arrives with the answer
				case <-read:
				case <-t.Context().Done(): // the test failed before
				}
				_, _ = io.WriteString(nc, farewell)
				if farewell == "" {
					_ = nc.Close()
				}
				_, _ = io.Copy(io.Discard, nc)
			})
			c := used(t, pool)
			close(read)
			waitForBytes(t, c)
			if n, err := c.Send([]byte(asked), true); n != 0 || !errors.Is(err, http1.ErrStale) {
				t.Errorf("Send = %d, %v; want ErrStale", n, err)
			}
			_ = c.Close()
		})
	}
}

// The system takes a part of a large request; the rest is written when there is room.
func TestARequestThatDoesNotFitIsSentWhole(t *testing.T) {
	t.Parallel()
	c := used(t, served(t, echo))
	if err := c.Conn.(*net.TCPConn).SetWriteBuffer(4 << 10); err != nil { //nolint:forcetypeassert // as dialed
		t.Fatal(err)
	}
	length := 8 << 20
	large := fmt.Sprintf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s", length, strings.Repeat("x", length))
	if err := exchange(c, large); err != nil {
		t.Error(err)
	}
}

// ReadAnswer returns the error that ended the wait inside Send.
func TestAWaitEndsWithTheDeadlineAndTheConnection(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end  func(c *http1.Conn)
		want error
	}{
		"deadline": {func(c *http1.Conn) { _ = c.SetDeadline(time.Now()) }, os.ErrDeadlineExceeded},
		"close":    {func(c *http1.Conn) { _ = c.Close() }, net.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := make(chan struct{})
			c := used(t, served(t, func(nc net.Conn) { // answers once
				requests := bufio.NewReader(nc)
				_, _ = http.ReadRequest(requests)
				_, _ = io.WriteString(nc, answered)
				if _, err := http.ReadRequest(requests); err == nil {
					close(sent)
				}
				_, _ = io.Copy(io.Discard, nc)
			}))
			go func() {
				<-sent
				tt.end(c)
			}()
			if n, err := c.Send([]byte(asked), true); n != len(asked) || err != nil {
				t.Errorf("Send = %d, %v", n, err)
			}
			if _, err := c.ReadAnswer(http.MethodGet); !errors.Is(err, tt.want) {
				t.Errorf("ReadAnswer: %v, want %v", err, tt.want)
			}
			if c.Touched() {
				t.Error("an answer is reported as started")
			}
			_ = c.Close()
		})
	}
}

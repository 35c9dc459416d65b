package measure

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// Client is one connection that sends one request after another. It reads as
// little of HTTP/1.1 as it can, because what it costs is taken from both sides.
type Client struct {
	// Header is lines of a head that every request has, each with its end.
	Header string

	conn net.Conn
	in   *bufio.Reader
	out  []byte
	body []byte
	lost bool // the connection; what was asked for last was not answered
}

// errLost says that a call was not answered, and that the next can be made.
var errLost = errors.New("the connection was lost")

// requestTimeout bounds one request.
const requestTimeout = 30 * time.Second

// Dial connects to an address.
func Dial(ctx context.Context, addr string) (*Client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Client{conn: conn, in: bufio.NewReader(conn)}, nil
}

// Do sends a request and returns the body of its answer, which is good until the
// next call. Answers other than 2xx are errors.
func (c *Client) Do(method, path, token string, body []byte) ([]byte, error) {
	b := append(c.out[:0], method...)
	b = append(b, ' ')
	b = append(b, path...)
	b = append(b, " HTTP/1.1\r\nHost: localhost\r\n"...)
	b = append(b, c.Header...)
	if token != "" {
		b = append(b, "Authorization: Bearer "...)
		b = append(b, token...)
		b = append(b, "\r\n"...)
	}
	if body != nil {
		b = append(b, "Content-Type: application/json\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(body)), 10)
		b = append(b, "\r\n"...)
	}
	b = append(b, "\r\n"...)
	c.out = append(b, body...)
	c.lost = true
	if err := c.conn.SetDeadline(time.Now().Add(requestTimeout)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return nil, err
	}
	return c.answer()
}

// redial connects again, in place of a connection that was lost.
func (c *Client) redial(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, c.conn.RemoteAddr().Network(), c.conn.RemoteAddr().String())
	if err != nil {
		return err
	}
	_ = c.conn.Close()
	c.conn, c.lost = conn, false
	c.in.Reset(conn)
	return nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

func (c *Client) answer() ([]byte, error) {
	status, err := c.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if len(status) < len("HTTP/1.1 200") {
		return nil, errors.New("no HTTP answer")
	}
	code, length := string(status[9:12]), -1
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			break
		}
		if name := []byte("Content-Length: "); bytes.HasPrefix(line, name) {
			if length, err = strconv.Atoi(string(line[len(name):])); err != nil {
				c.lost = false
				return nil, err
			}
		}
	}
	if length < 0 {
		c.lost = false
		return nil, errors.New("an answer without Content-Length")
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	if _, err := io.ReadFull(c.in, c.body); err != nil {
		return nil, err
	}
	c.lost = false
	if code[0] != '2' {
		return nil, fmt.Errorf("status %s: %s", code, c.body)
	}
	return c.body, nil
}

// Load has n connections to addr call once each, again and again, for d. It
// returns how many calls there were. A connection that is lost is opened again, and
// said on standard error: it does not end the benchmark.
func Load(ctx context.Context, addr string, n int, d time.Duration,
	call func(worker int, c *Client) error,
) (int, error) {
	var lost atomic.Int64
	done, err := Repeat(ctx, n, d, func(worker int) (func() error, func(), error) {
		c, err := Dial(ctx, addr)
		if err != nil {
			return nil, nil, err
		}
		once := func() error {
			err := call(worker, c)
			if err == nil || !c.lost || ctx.Err() != nil {
				return err
			}
			lost.Add(1)
			if again := c.redial(ctx); again != nil {
				return errors.Join(err, again)
			}
			return errLost
		}
		return once, func() { _ = c.Close() }, nil
	})
	if lost := lost.Load(); lost > 0 {
		fmt.Fprintf(os.Stderr, "%s: %d connections lost, %d calls answered\n", addr, lost, done)
	}
	return done, err
}

// Repeat runs n workers for d and returns how often they did their work together.
// Each begins with setUp, which returns the work and what ends the worker.
func Repeat(ctx context.Context, n int, d time.Duration,
	setUp func(worker int) (work func() error, end func(), err error),
) (int, error) {
	counts := make([]int, n)
	group, ctx := errgroup.WithContext(ctx)
	until := time.Now().Add(d)
	for i := range n {
		group.Go(func() error {
			work, end, err := setUp(i)
			if err != nil {
				return err
			}
			defer end()
			for ctx.Err() == nil && time.Now().Before(until) {
				switch err := work(); {
				case err == nil:
					counts[i]++
				case !errors.Is(err, errLost):
					return err
				}
			}
			return ctx.Err()
		})
	}
	err := group.Wait()
	total := 0
	for _, c := range counts {
		total += c
	}
	return total, err
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"stoa/bench/measure"
	"stoa/internal/market/terms"
)

const (
	pollers = 8
	// Each of pollingStoas asks once in pollEvery.
	pollingStoas = 10_000
	pollEvery    = time.Minute
)

// polls measures one poll: a connection, a request for the timestamp that was not changed since, and the
// answer 304. Its peer is a handler that writes a few bytes on a connection of its own.
func polls(ctx context.Context, o measure.Options, m *market) (row measure.Row, err error) {
	res, err := http.Get(m.url + terms.MetadataPath + "timestamp.json") //nolint:noctx // on loopback
	if err != nil {
		return row, err
	}
	if err := res.Body.Close(); err != nil {
		return row, err
	}
	static, err := measure.StartStatic(ctx, 2)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, static.Stop()) }()
	row = measure.Row{
		Name: "poll of the timestamp", Peer: "net/http handler that writes 2 constant bytes, on a connection each",
		Ours: poll(m.Addr, res.Header.Get("ETag"), "304"), Theirs: poll(static.Addr, "", "200"),
		PIDs: [2]int{m.PID(), static.PID()}, Target: 0.25,
	}
	before, count := measure.CPUOf(m.PID()), 0
	ours := row.Ours
	row.Ours = func(ctx context.Context, d time.Duration) (int, error) {
		n, err := ours(ctx, d)
		count += n
		return n, err
	}
	if err := row.Run(ctx, o.Rounds, o.Round); err != nil || count == 0 {
		return row, err
	}
	each := (measure.CPUOf(m.PID()) - before) / time.Duration(count)
	fmt.Printf("polls of %d stoas: %d µs of CPU each, %.1f %% of one core (at most 5)\n\n",
		pollingStoas, each.Microseconds(), 100*float64(each)*pollingStoas/float64(pollEvery))
	return row, nil
}

func poll(addr, etag, want string) func(context.Context, time.Duration) (int, error) {
	request := []byte("GET " + terms.MetadataPath + "timestamp.json HTTP/1.1\r\nHost: localhost\r\nUser-Agent: stoa\r\n" +
		"If-None-Match: " + etag + "\r\nConnection: close\r\n\r\n")
	return func(ctx context.Context, d time.Duration) (int, error) {
		return measure.Repeat(ctx, pollers, d, func(int) (func() error, func(), error) {
			return func() error { return once(ctx, addr, request, want) }, func() {}, nil
		})
	}
}

func once(ctx context.Context, addr string, request []byte, want string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write(request); err != nil {
		return err
	}
	answer, err := io.ReadAll(conn)
	if err == nil && !strings.HasPrefix(string(answer), "HTTP/1.1 "+want) {
		err = fmt.Errorf("a poll is answered with %.200s", answer)
	}
	return err
}

package main

import (
	"bufio"
	"context"
	"crypto/sha1" //nolint:gosec // RFC 6455 says so
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"stoa/bench/measure"
)

// serveSocket is the plugin's WebSocket: it sends back the bytes of each message, at once.
func serveSocket(w http.ResponseWriter, r *http.Request) {
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // RFC 6455
	fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
	buf := make([]byte, 4<<10)
	for {
		n, err := rw.Read(buf)
		if err != nil {
			return
		}
		if _, err := conn.Write(buf[:n]); err != nil {
			return
		}
	}
}

// message is a WebSocket frame of 100 bytes, the mask (of zeros) in it.
var message = append([]byte{0x82, 0x80 | (small - 6), 0, 0, 0, 0}, make([]byte, small-6)...)

// loadSocket has n WebSockets send a message and wait until it is back, again and again.
func loadSocket(ctx context.Context, s *side, n int, d time.Duration, _ string) (sample, error) {
	target, err := url.Parse(s.url)
	if err != nil {
		return sample{}, err
	}
	var (
		mu   sync.Mutex
		took []time.Duration
		lost float64
	)
	before, begin := s.used(), time.Now()
	_, err = measure.Repeat(ctx, n, d, func(int) (func() error, func(), error) {
		conn, err := openSocket(ctx, target)
		if err != nil {
			return nil, nil, err
		}
		mine, got := make([]time.Duration, 0, 64<<10), make([]byte, len(message))
		echo := func() error {
			sent := time.Now()
			_, err := conn.Write(message)
			if err == nil {
				_, err = io.ReadFull(conn, got)
			}
			if err != nil {
				return err
			}
			mine = append(mine, time.Since(sent))
			return nil
		}
		end := func() {
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
			_ = conn.Close()
		}
		return func() error {
			err := echo()
			if err != nil && ctx.Err() == nil { // a peer that loses a connection does not end the benchmark
				mu.Lock()
				defer mu.Unlock()
				lost++
				_ = conn.Close()
				conn, err = openSocket(ctx, target)
			}
			return err
		}, end, nil
	})
	passed := time.Since(begin)
	all, own := s.used().since(before)
	if err == nil && len(took) == 0 {
		err = errors.New("no message came back")
	}
	if err != nil {
		return sample{}, err
	}
	done := float64(len(took))
	got := sample{rate: done / passed.Seconds(), cpu: all / done, own: own / done, failed: lost}
	got.time(took)
	return got, nil
}

// openSocket opens a WebSocket.
func openSocket(ctx context.Context, target *url.URL) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", target.Host)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n", target.Path, target.Host)
	// Nothing follows before a message is sent.
	res, err := http.ReadResponse(bufio.NewReaderSize(conn, 1<<10), nil) //nolint:bodyclose // the connection goes on
	if err == nil && res.StatusCode != http.StatusSwitchingProtocols {
		err = errors.New("no WebSocket: " + res.Status)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

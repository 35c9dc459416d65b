package stall

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"stoa/internal/testkit/pipetest"
)

// serveHTTP2 serves h on a connection of which each stream may send window bytes. It
// returns the client's side, which has asked for /.
func serveHTTP2(t *testing.T, h http.HandlerFunc, window uint32) net.Conn {
	t.Helper()
	ln := pipetest.New()
	srv := &http.Server{Handler: Streams(h), Protocols: new(http.Protocols), ReadHeaderTimeout: time.Minute}
	srv.Protocols.SetUnencryptedHTTP2(true)
	go func() { _ = srv.Serve(ln) }()
	client := ln.Dial()
	t.Cleanup(func() {
		_ = client.Close()
		_ = srv.Close()
	})
	settings := binary.BigEndian.AppendUint32([]byte{0, 4}, window) // SETTINGS_INITIAL_WINDOW_SIZE
	head := []byte{0x82, 0x86, 0x84, 0x41, 1, 'x'}                  // GET http / x
	go func() {
		_, _ = io.WriteString(client, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
		_, _ = client.Write(frame(4, 0, 0, settings))
		_, _ = client.Write(frame(1, 5, 1, head)) // the whole request
	}()
	return client
}

// frame returns a frame of HTTP/2.
func frame(kind, flags byte, stream uint32, payload []byte) []byte {
	b := []byte{0, byte(len(payload) >> 8), byte(len(payload)), kind, flags}
	return append(binary.BigEndian.AppendUint32(b, stream), payload...)
}

// stream1 reads frames, and calls seen with those of the first stream until it is false.
func stream1(t *testing.T, r io.Reader, seen func(kind byte, payload []byte) bool) {
	t.Helper()
	for {
		var head [9]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			t.Fatal(err)
		}
		payload := make([]byte, int(head[0])<<16|int(head[1])<<8|int(head[2]))
		if _, err := io.ReadFull(r, payload); err != nil {
			t.Fatal(err)
		}
		if binary.BigEndian.Uint32(head[5:]) == 1 && !seen(head[3], payload) {
			return
		}
	}
}

const (
	dataFrame  = 0
	resetFrame = 3
)

// awaitReset returns how long it takes until the server resets the stream.
func awaitReset(t *testing.T, client net.Conn) time.Duration {
	t.Helper()
	began := time.Now()
	stream1(t, client, func(kind byte, _ []byte) bool { return kind != resetFrame })
	return time.Since(began)
}

// The client reads from the connection all the time, but opens no window for the stream.
func TestAStreamThatItsClientDoesNotReadEnds(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"small": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") },
		"large": func(w http.ResponseWriter, _ *http.Request) {
			if _, err := w.Write(make([]byte, 1<<20)); err == nil {
				t.Error("the handler wrote everything")
			}
		},
		"flushed": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "hello")
			if err := http.NewResponseController(w).Flush(); err == nil {
				t.Error("the handler flushed it")
			}
		},
		"own limit, but none any more": func(w http.ResponseWriter, _ *http.Request) {
			rc := http.NewResponseController(w)
			_ = errors.Join(rc.SetWriteDeadline(time.Now().Add(time.Hour)), rc.SetWriteDeadline(time.Time{}))
			_, _ = w.Write(make([]byte, 1<<20))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := serveHTTP2(t, h, 0)
				if took := awaitReset(t, client); took < Limit || took > 2*Limit {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// An idle stream may last forever, whatever limits its writes had.
func TestAQuietStreamLasts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := serveHTTP2(t, func(w http.ResponseWriter, _ *http.Request) {
			rc := http.NewResponseController(w)
			for i := range 4 {
				if i == 1 { // as package gateway does
					_ = rc.SetWriteDeadline(time.Now().Add(Limit))
				}
				_, _ = io.WriteString(w, "event")
				if err := rc.Flush(); err != nil {
					t.Error(err)
				}
				if i < 3 {
					time.Sleep(time.Hour)
				}
				if i == 1 {
					_ = rc.SetWriteDeadline(time.Time{})
				}
			}
		}, 1<<16)
		var got strings.Builder
		stream1(t, client, func(kind byte, payload []byte) bool {
			if kind == resetFrame {
				t.Errorf("the stream was reset after %q", got.String())
				return false
			}
			if kind == dataFrame {
				got.Write(payload)
			}
			return got.Len() < 4*len("event")
		})
	})
}

func TestADeadlineOfTheHandlerEndsItsStream(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]time.Duration{"in the past": -1, "in a second": time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client := serveHTTP2(t, func(w http.ResponseWriter, _ *http.Request) {
					_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(at))
					_, _ = w.Write(make([]byte, 1<<20))
				}, 0)
				if took, want := awaitReset(t, client), max(at, 0); took != want {
					t.Errorf("it took %v, want %v", took, want)
				}
			})
		})
	}
}

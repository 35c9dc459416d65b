package duplex_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"

	"stoa/internal/edge/duplex"
	"stoa/internal/testkit/conntest"
)

// pair returns both ends of a connection.
func pair(tb testing.TB, network string) (ours, theirs net.Conn) {
	tb.Helper()
	theirs, ours = conntest.Pair(tb, network)
	return ours, theirs
}

// join joins two connections and returns their far ends, and what Join returns.
func join(tb testing.TB, network string) (client, plugin net.Conn, ended <-chan error) {
	tb.Helper()
	a, client := pair(tb, network)
	b, plugin := pair(tb, network)
	done := make(chan error, 1)
	go func() { done <- duplex.Join(a, b) }()
	return client, plugin, done
}

func closeWrite(tb testing.TB, c net.Conn) {
	tb.Helper()
	if err := c.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		tb.Error(err)
	}
}

func TestBytesPassBothWaysAtOnce(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"tcp", "unix"} {
		for _, size := range []int{0, 1, 100, 32 << 10, 1<<20 + 7} {
			client, plugin, ended := join(t, network)
			sent := make([]byte, size)
			_, _ = rand.Read(sent)
			for _, c := range []net.Conn{client, plugin} {
				go func() {
					_, _ = c.Write(sent)
					closeWrite(t, c)
				}()
			}
			for _, c := range []net.Conn{client, plugin} {
				if got, err := io.ReadAll(c); err != nil || !bytes.Equal(got, sent) {
					t.Errorf("%s: %d bytes arrived as %d, %v", network, size, len(got), err)
				}
			}
			if err := <-ended; err != nil {
				t.Errorf("%s: %v", network, err)
			}
		}
	}
}

// Messages that wait for each other's answer, as those of a WebSocket do.
func TestMessagesGoBackAndForth(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"tcp", "unix"} {
		client, plugin, ended := join(t, network)
		go func() {
			_, _ = io.Copy(struct{ io.Writer }{plugin}, plugin)
			closeWrite(t, plugin)
		}()
		message, got := []byte("message"), make([]byte, 7)
		for range 1000 {
			if _, err := client.Write(message); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(client, got); err != nil || !bytes.Equal(got, message) {
				t.Fatalf("%s: %q, %v", network, got, err)
			}
		}
		closeWrite(t, client)
		if _, err := client.Read(got); !errors.Is(err, io.EOF) {
			t.Errorf("%s: after the end: %v", network, err)
		}
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", network, err)
		}
	}
}

// One event tells of a message and of the end that follows at once: neither is missed.
func TestTheEndThatComesWithAMessageIsPassedOn(t *testing.T) {
	t.Parallel()
	for range 200 {
		client, plugin, ended := join(t, "tcp")
		got := make([]byte, 5)
		_, _ = plugin.Write([]byte("first")) // now Join waits for events
		if _, err := io.ReadFull(client, got); err != nil {
			t.Fatal(err)
		}
		_, _ = plugin.Write([]byte("last."))
		_ = plugin.Close()
		if rest, err := io.ReadAll(client); err != nil || string(rest) != "last." {
			t.Fatalf("%q, %v", rest, err)
		}
		_ = client.Close()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
}

// What fails on one side ends the other.
func TestAResetEndsBothSides(t *testing.T) {
	t.Parallel()
	client, plugin, ended := join(t, "tcp")
	_ = client.(*net.TCPConn).SetLinger(0)
	_ = client.Close() // with a reset
	if _, err := io.ReadAll(plugin); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("Join returned no error")
	}
}

// Whoever closes one of the connections ends Join.
func TestClosingAConnectionEndsBoth(t *testing.T) {
	t.Parallel()
	a, client := pair(t, "tcp")
	b, plugin := pair(t, "tcp")
	ended := make(chan error, 1)
	go func() { ended <- duplex.Join(a, b) }()
	_, _ = plugin.Write([]byte("x"))
	if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	_ = a.Close()
	if _, err := plugin.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the plugin reads %v", err)
	}
	<-ended
}

// full is a connection whose writes wait until it is closed, as those of one whose peer does not read.
type full struct {
	*net.TCPConn

	asked  chan int // how much each write brings
	closed chan struct{}
	once   sync.Once
}

func (f *full) Below() net.Conn { return f.TCPConn }

func (f *full) Drained() bool { return true }

func (f *full) Write(p []byte) (int, error) {
	f.asked <- len(p)
	<-f.closed
	return 0, os.ErrDeadlineExceeded
}

func (f *full) Close() error {
	f.once.Do(func() { close(f.closed) })
	return f.TCPConn.Close()
}

// flood joins two connections, and sends from the first to the second, which does not read, until what is
// sent waits.
func flood(t *testing.T) (from, to net.Conn, ended <-chan error) {
	t.Helper()
	a, client := pair(t, "tcp")
	b, _ := pair(t, "tcp")
	stuck := &full{TCPConn: b.(*net.TCPConn), asked: make(chan int, 1), closed: make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- duplex.Join(a, stuck) }()
	go func() {
		block := make([]byte, 1<<20)
		for err := error(nil); err == nil; {
			_, err = client.Write(block)
		}
	}()
	if n := <-stuck.asked; n == 0 {
		t.Error("an empty write")
	}
	return a, stuck, done
}

// What a socket does not take at once is written through its wrapper, which knows how long that may last.
func TestTheWrapperLimitsWaiting(t *testing.T) {
	t.Parallel()
	_, to, ended := flood(t) // only the wrapper's Write gets so far
	_ = to.Close()
	if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) && !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// Whoever closes a connection does not wait for what comes from it, and waits to be taken elsewhere.
func TestClosingDoesNotWaitForTheOtherSide(t *testing.T) {
	t.Parallel()
	from, to, ended := flood(t)
	_ = from.Close() // for good, if it waited
	_ = to.Close()
	<-ended
}

// ahead is a connection of which the first bytes were read already.
type ahead struct {
	net.Conn

	ahead []byte
	asked *int // how often Read was called
}

func (w *ahead) Below() net.Conn { return w.Conn }

func (w *ahead) Drained() bool { return len(w.ahead) == 0 }

func (w *ahead) Read(p []byte) (int, error) {
	if *w.asked++; len(w.ahead) == 0 {
		return w.Conn.Read(p)
	}
	n := copy(p[:1], w.ahead)
	w.ahead = w.ahead[n:]
	return n, nil
}

func (w *ahead) CloseWrite() error { return w.Conn.(halfCloser).CloseWrite() }

// A wrapper passes on what it has, and is not asked any more.
func TestAWrapperStepsAside(t *testing.T) {
	t.Parallel()
	a, client := pair(t, "tcp")
	b, plugin := pair(t, "tcp")
	asked := 0
	ended := make(chan error, 1)
	go func() { ended <- duplex.Join(&ahead{a, []byte("abc"), &asked}, b) }()
	_, _ = client.Write([]byte("def"))
	closeWrite(t, client)
	if got, err := io.ReadAll(plugin); err != nil || string(got) != "abcdef" {
		t.Errorf("%q, %v", got, err)
	}
	_ = plugin.Close()
	if err := <-ended; err != nil || asked != 3 {
		t.Errorf("%v, and %d reads", err, asked)
	}
}

// A connection that is no socket is read as it is, and one that cannot be told that the other has ended
// is closed.
func TestOtherConnectionsAreJoined(t *testing.T) {
	t.Parallel()
	a, client := net.Pipe()
	b, plugin := pair(t, "tcp")
	ended := make(chan error, 1)
	go func() { ended <- duplex.Join(a, b) }()
	go func() { _, _ = client.Write([]byte("hello")) }()
	got := make([]byte, 5)
	if _, err := io.ReadFull(plugin, got); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	closeWrite(t, plugin)
	if _, err := client.Read(got); !errors.Is(err, io.EOF) {
		t.Errorf("the end came as %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("no error for an end that could not be passed on")
	}
}

// A message needs no memory.
func TestMessagesAreCopiedWithoutGarbage(t *testing.T) {
	client, plugin, _ := join(t, "tcp")
	message, got := []byte("message"), make([]byte, 7)
	once := func() {
		_, _ = client.Write(message)
		_, _ = io.ReadFull(plugin, got)
	}
	once()
	if n := testing.AllocsPerRun(100, once); n >= 1 {
		t.Errorf("%v allocations for a message", n)
	}
}

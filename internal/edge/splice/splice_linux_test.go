package splice_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"stoa/internal/edge/splice"
	"stoa/internal/testkit/conntest"
)

// source is the next n bytes of a socket. These tests use all pipes, so they do not run beside each other.
func source(tb testing.TB, c net.Conn, n int64) *splice.Source {
	tb.Helper()
	s := splice.New(conntest.Socket(tb, c), n)
	if s == nil {
		tb.Fatal("no pipe is left")
	}
	return s
}

// move moves all of a Source, and returns why it ended early.
func move(s *splice.Source, to syscall.RawConn, most int64) error {
	for s.Left() > 0 {
		if _, err := s.To(to, most); err != nil {
			return err
		}
		if s.Err() != nil {
			return s.Err()
		}
	}
	return nil
}

// Whatever the sizes and the pace, all bytes arrive, in their order, and none after them.
func TestAllBytesArrive(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		rapid.Check(t, func(rt *rapid.T) {
			size := rapid.IntRange(1, 3<<20).Draw(rt, "size")
			most := rapid.Int64Range(1, 2<<20).Draw(rt, "most")
			if most < 100 {
				size = min(size, 10_000)
			}
			body := make([]byte, size)
			random := rand.NewChaCha8([32]byte{byte(size)})
			_, _ = random.Read(body)
			plugin, from := conntest.Pair(t, network)
			to, client := conntest.Pair(t, "tcp")
			go func() { _, _ = plugin.Write(append(bytes.Clone(body), "the next answer"...)) }()
			got := make(chan []byte)
			go func() {
				all, _ := io.ReadAll(client)
				got <- all
			}()
			s := source(t, from, int64(size))
			err := move(s, conntest.Socket(t, to), most)
			s.Close()
			_ = to.Close()
			if all := <-got; err != nil || s.Err() != nil || !bytes.Equal(all, body) {
				rt.Fatalf("%d bytes of %d arrived, or others: %v", len(all), size, err)
			}
			rest := make([]byte, 15)
			if _, err := io.ReadFull(from, rest); err != nil || string(rest) != "the next answer" {
				rt.Fatalf("after it: %q, %v", rest, err)
			}
			_, _, _, _ = plugin.Close(), from.Close(), to.Close(), client.Close()
		})
	}
}

// What arrived before a socket ended is moved; then Err says so.
func TestABodyThatEndsEarly(t *testing.T) {
	plugin, from := conntest.Pair(t, "tcp")
	to, client := conntest.Pair(t, "tcp")
	_, _ = io.WriteString(plugin, "half")
	_ = plugin.Close()
	s := source(t, from, 8)
	defer s.Close()
	err := move(s, conntest.Socket(t, to), 100)
	_ = to.Close()
	if got, _ := io.ReadAll(client); !errors.Is(err, io.ErrUnexpectedEOF) || string(got) != "half" || s.Left() != 4 {
		t.Errorf("%q arrived, %d are left: %v", got, s.Left(), err)
	}
}

// A wait for the source is no wait for whoever reads: bytes are taken in one call and given in the next one, before
// which the write deadline is renewed.
func TestWaitingForTheSourceIsNotTheClientsTime(t *testing.T) {
	plugin, from := conntest.Pair(t, "tcp")
	to, client := conntest.Pair(t, "tcp")
	_ = to.SetWriteDeadline(time.Unix(1, 0)) // it has passed meanwhile
	_, _ = io.WriteString(plugin, "hello")
	s := source(t, from, 5)
	defer s.Close()
	if n, err := s.To(conntest.Socket(t, to), 5); n != 0 || err != nil || s.Err() != nil || s.Left() != 5 {
		t.Errorf("taken: %d, %v, %v", n, err, s.Err())
	}
	_ = to.SetWriteDeadline(time.Time{})
	if n, err := s.To(conntest.Socket(t, to), 2); n != 2 || err != nil || s.Left() != 3 {
		t.Errorf("given: %d, %v", n, err)
	}
	if n, err := s.To(conntest.Socket(t, to), 5); n != 3 || err != nil || s.Left() != 0 {
		t.Errorf("given: %d, %v", n, err)
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(client, got); err != nil || string(got) != "hello" {
		t.Errorf("%q arrived, %v", got, err)
	}
}

// unsupported is a socket that takes nothing, for a reason that reads like errors.ErrUnsupported.
type unsupported struct{ syscall.RawConn }

func (unsupported) Write(func(uintptr) bool) error {
	return os.NewSyscallError("splice", syscall.EOPNOTSUPP)
}

// An error after bytes were taken is never errors.ErrUnsupported, after which callers would copy what is left.
func TestALossIsNotTakenForAnUnsupportedMove(t *testing.T) {
	plugin, from := conntest.Pair(t, "tcp")
	_, _ = io.WriteString(plugin, "hello")
	s := source(t, from, 5)
	defer s.Close()
	err := move(s, unsupported{}, 5)
	if err == nil || errors.Is(err, errors.ErrUnsupported) || !errors.Is(err, syscall.EOPNOTSUPP) {
		t.Errorf("move = %v", err)
	}
}

// Both sides keep their time limits.
func TestDeadlinesEndAMove(t *testing.T) {
	_, from := conntest.Pair(t, "tcp")
	to, _ := conntest.Pair(t, "tcp")
	_ = from.SetReadDeadline(time.Now().Add(time.Millisecond))
	s := source(t, from, 8)
	if n, err := s.To(conntest.Socket(t, to), 8); n != 0 || err != nil || !errors.Is(s.Err(), os.ErrDeadlineExceeded) {
		t.Errorf("from nothing: %d, %v, %v", n, err, s.Err())
	}
	s.Close()

	plugin, from := conntest.Pair(t, "tcp")
	to, _ = conntest.Pair(t, "tcp")
	go func() { _, _ = plugin.Write(make([]byte, 64<<20)) }()
	_ = to.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	s = source(t, from, 64<<20)
	defer s.Close()
	if err := move(s, conntest.Socket(t, to), 64<<10); !errors.Is(err, os.ErrDeadlineExceeded) || s.Err() != nil {
		t.Errorf("to nobody who reads: %v, %v", err, s.Err())
	}
}

// A move that waits ends when either connection is closed, as when a client leaves.
func TestClosingEndsAMove(t *testing.T) {
	_, from := conntest.Pair(t, "tcp")
	to, _ := conntest.Pair(t, "tcp")
	s := source(t, from, 8)
	defer s.Close()
	time.AfterFunc(10*time.Millisecond, func() { _ = from.Close() })
	if _, err := s.To(conntest.Socket(t, to), 8); err != nil || !errors.Is(s.Err(), net.ErrClosed) {
		t.Errorf("the source: %v, %v", err, s.Err())
	}
}

// What a client did not take never reaches another one: its pipe is not used again.
func TestBytesThatAClientDidNotTakeReachNobodyElse(t *testing.T) {
	plugin, from := conntest.Pair(t, "tcp")
	to, client := conntest.Pair(t, "tcp")
	_ = client.Close()
	_ = to.Close()
	_, _ = io.WriteString(plugin, "a secret of the first client")
	s := source(t, from, 28)
	if err := move(s, conntest.Socket(t, to), 28); err == nil {
		t.Error("a closed client took it")
	}
	s.Close()
	for range 64 { // as many as there are pipes, and more
		plugin, from := conntest.Pair(t, "tcp")
		to, client := conntest.Pair(t, "tcp")
		_, _ = io.WriteString(plugin, "for the second")
		s := source(t, from, 14)
		err := move(s, conntest.Socket(t, to), 100)
		s.Close()
		_ = to.Close()
		if got, _ := io.ReadAll(client); err != nil || string(got) != "for the second" {
			t.Fatalf("the second got %q, %v", got, err)
		}
	}
}

// So many bodies are moved at once and no more: New returns nil until one is closed. None of them keeps a file open.
func TestMovesAreBounded(t *testing.T) {
	_, from := conntest.Pair(t, "tcp")
	var all []*splice.Source
	for {
		s := splice.New(conntest.Socket(t, from), 1)
		if s == nil {
			break
		}
		all = append(all, s)
	}
	if len(all) != splice.MaxPipes {
		t.Errorf("%d at once, want %d", len(all), splice.MaxPipes)
	}
	before := openFiles(t)
	for range 100 {
		all[0].Close()
		if all[0] = splice.New(conntest.Socket(t, from), 1); all[0] == nil {
			t.Fatal("a pipe was lost")
		}
	}
	if now := openFiles(t); now > before { // fewer, when a connection of an earlier test is closed
		t.Errorf("%d files are open, %d before", now, before)
	}
	for _, s := range all {
		s.Close()
	}
}

func openFiles(tb testing.TB) int {
	tb.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		tb.Fatal(err)
	}
	return len(list)
}

// Where the system refuses to move bytes, nothing is lost, and callers copy.
func TestWhatCannotBeMovedIsLeft(t *testing.T) {
	folder, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	raw, err := folder.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	to, _ := conntest.Pair(t, "tcp")
	s := splice.New(raw, 8)
	defer s.Close()
	if n, err := s.To(conntest.Socket(t, to), 8); n != 0 || !errors.Is(err, errors.ErrUnsupported) || s.Err() != nil || s.Left() != 8 {
		t.Errorf("To = %d, %v; %v", n, err, s.Err())
	}
}

type writer struct{ io.Writer }

// A writer that is none of these is written to.
func TestOtherWritersTakeNothing(t *testing.T) {
	if _, err := splice.Take(writer{io.Discard}, nil, 1); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Take = %v", err)
	}
}

package stall

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// pair returns a Conn and its client. Both take no byte that the other side does not read.
func pair(t *testing.T) (*Conn, net.Conn) {
	t.Helper()
	server, client := net.Pipe()
	t.Cleanup(func() { _, _ = server.Close(), client.Close() })
	return New(server), client
}

func TestAClientThatReadsNothingEndsTheWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t)
		began := time.Now()
		if _, err := c.Write([]byte("hello")); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Write = %v", err)
		}
		if took := time.Since(began); took < Limit || took > Limit+spare {
			t.Errorf("it took %v", took)
		}
	})
}

// Each write of many that share a deadline has the whole Limit.
func TestLaterWritesHaveTheWholeLimit(t *testing.T) {
	t.Parallel()
	for _, quiet := range []time.Duration{0, spare - 1, spare, Limit, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			c, client := pair(t)
			go func() { _, _ = client.Read(make([]byte, 1)) }()
			if _, err := c.Write([]byte("a")); err != nil {
				t.Fatal(err)
			}
			time.Sleep(quiet)
			go func() {
				time.Sleep(Limit - 1)
				_, _ = client.Read(make([]byte, 1))
			}()
			if _, err := c.Write([]byte("b")); err != nil {
				t.Errorf("after %v: %v", quiet, err)
			}
		})
	}
}

// slowly reads a piece, and waits for almost the Limit before the next.
func slowly(r io.Reader) (got []byte) {
	for {
		buf := make([]byte, piece)
		n, err := io.ReadFull(r, buf)
		if got = append(got, buf[:n]...); err != nil {
			return got
		}
		time.Sleep(Limit - time.Second)
	}
}

func TestAnAnswerLastsWhileItsClientMakesProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, client := pair(t)
		sent := bytes.Repeat([]byte("0123456789"), 20*piece/10+1)
		go func() {
			if n, err := c.Write(sent); n != len(sent) || err != nil {
				t.Errorf("Write = %d, %v", n, err)
			}
			_ = c.Close()
		}()
		if got := slowly(client); !bytes.Equal(got, sent) {
			t.Errorf("%d bytes arrived of %d, or others", len(got), len(sent))
		}
	})
}

func TestAnotherDeadlineReplacesTheLimit(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*Conn, time.Time) error{
		"SetWriteDeadline": (*Conn).SetWriteDeadline, "SetDeadline": (*Conn).SetDeadline,
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := pair(t)
			for _, want := range []time.Duration{time.Second, time.Hour} {
				began := time.Now()
				_ = set(c, began.Add(want))
				if _, err := c.Write(make([]byte, 3*piece)); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("%s: Write = %v", name, err)
				}
				if took := time.Since(began); took != want {
					t.Errorf("%s: it took %v, want %v", name, took, want)
				}
			}
			_ = set(c, time.Time{})
			began := time.Now()
			_, _ = c.Write([]byte("a"))
			if took := time.Since(began); took < Limit || took > Limit+spare {
				t.Errorf("%s: without it, it took %v", name, took)
			}
		})
	}
}

// A deadline that is set during a write applies to that write.
func TestADeadlineEndsTheCurrentWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := pair(t)
		go func() {
			time.Sleep(time.Second)
			_ = c.SetWriteDeadline(time.Unix(1, 0))
		}()
		began := time.Now()
		_, _ = c.Write(make([]byte, 3*piece))
		if took := time.Since(began); took != time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// deadlines counts how often a deadline for writing is set.
type deadlines struct {
	net.Conn

	set int
}

func (d *deadlines) Write(p []byte) (int, error)         { return len(p), nil }
func (d *deadlines) SetWriteDeadline(time.Time) error    { d.set++; return nil }
func (d *deadlines) ReadFrom(r io.Reader) (int64, error) { return io.Copy(io.Discard, r) }

func TestManyWritesShareADeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		under := &deadlines{}
		c := New(under)
		for range 1000 {
			_, _ = c.Write([]byte("a"))
			_ = c.SetWriteDeadline(time.Time{}) // as net/http does after each request
		}
		if under.set != 1 {
			t.Errorf("1000 writes at once set %d deadlines", under.set)
		}
	})
}

func TestFilesArriveWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, piece - 1, piece, piece + 1, 5*piece + 17} {
		name := filepath.Join(t.TempDir(), "file")
		want := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
		if err := os.WriteFile(name, want, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, of := range []int64{-1, 0, 1, int64(size) / 2, int64(size) + 5} {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			var r io.Reader = f
			expected := want
			if of >= 0 {
				r = &io.LimitedReader{R: f, N: of}
				expected = want[:min(of, int64(size))]
			}
			got, n := overTCP(t, r)
			_ = f.Close()
			if !bytes.Equal(got, expected) || n != int64(len(expected)) {
				t.Errorf("%d of %d: %d bytes arrived, %d were counted", of, size, len(got), n)
			}
		}
	}
}

// overTCP returns what arrives of r, and the count that ReadFrom returned.
func overTCP(t *testing.T, r io.Reader) (got []byte, n int64) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	done := make(chan error, 1)
	go func() {
		nc, err := ln.Accept()
		if err == nil {
			n, err = New(nc).ReadFrom(r)
			_ = nc.Close()
		}
		done <- err
	}()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	got, err = io.ReadAll(c)
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	return got, n
}

// A file has a deadline that moves on with it.
func TestAFileLastsWhileItsClientMakesProgress(t *testing.T) {
	t.Parallel()
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(40 * piece); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		under := &slowSink{}
		if n, err := New(under).ReadFrom(f); n != 40*piece || err != nil {
			t.Errorf("ReadFrom = %d, %v", n, err)
		}
	})
}

// slowSink is a connection whose client takes almost the Limit for each piece.
type slowSink struct {
	net.Conn

	until time.Time
}

func (s *slowSink) SetWriteDeadline(t time.Time) error { s.until = t; return nil }

func (s *slowSink) ReadFrom(r io.Reader) (n int64, err error) {
	for {
		m, err := io.CopyN(io.Discard, r, piece)
		n += m
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if time.Sleep(Limit - time.Second); time.Now().After(s.until) {
			return n, os.ErrDeadlineExceeded
		}
	}
}

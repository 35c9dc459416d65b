package duplex_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"stoa/internal/edge/duplex"
)

// far is the far end of a joined connection. It reads all the time.
type far struct {
	net.Conn

	sent   []byte
	closed bool

	mu  sync.Mutex
	is  *sync.Cond
	got []byte
	err error // nil until the end
}

func newFar(c net.Conn) *far {
	f := &far{Conn: c}
	f.is = sync.NewCond(&f.mu)
	go func() {
		for buf := make([]byte, 5000); ; {
			n, err := c.Read(buf)
			f.mu.Lock()
			f.got, f.err = append(f.got, buf[:n]...), err
			f.is.Broadcast()
			f.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return f
}

// send sends n bytes, each of which differs from its neighbors.
func (f *far) send(n int) {
	block := make([]byte, n)
	for i := range block {
		block[i] = byte((len(f.sent) + i) * 31 >> 2)
	}
	f.sent = append(f.sent, block...)
	_, _ = f.Write(block)
}

func (f *far) closeWrite(tb testing.TB) {
	if !f.closed {
		f.closed = true
		closeWrite(tb, f.Conn)
	}
}

// await waits until f has all that other sent, and returns how f ended, if it has.
func (f *far) await(other *far) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for f.err == nil && (len(f.got) < len(other.sent) || other.closed) {
		f.is.Wait()
	}
	return f.err
}

// near wraps the near end of a connection in one of the ways that a plan may choose.
func near(c net.Conn, way byte, early []byte) io.ReadWriteCloser {
	switch way % 3 {
	case 0:
		return &ahead{c, early, new(int)}
	case 1:
		return struct { // no socket: as one of net/http's transport
			io.Reader
			io.WriteCloser
			halfCloser
		}{io.MultiReader(bytes.NewReader(early), c), c, c.(halfCloser)}
	}
	return c
}

type halfCloser interface{ CloseWrite() error }

// carry joins two connections as plan says, and checks that each end gets what the other one sends, in order,
// and then its end. Each byte of plan is a step of one end: it sends, waits, or ends.
func carry(t *testing.T, plan []byte) {
	t.Helper()
	var ends [2]*far
	var nears [2]io.ReadWriteCloser
	var early [2][]byte
	for i := range ends {
		way := byte(0)
		if len(plan) > i {
			way = plan[i]
		}
		c, theirs := pair(t, []string{"tcp", "unix"}[way>>4%2])
		ends[i] = newFar(theirs)
		if way%3 != 2 { // what came with the end of HTTP
			early[i] = bytes.Repeat([]byte{'e'}, int(way))
		}
		ends[i].sent = bytes.Clone(early[i])
		nears[i] = near(c, way, early[i])
	}
	ended := make(chan error, 1)
	go func() { ended <- duplex.Join(nears[0], nears[1]) }()
	for _, step := range plan {
		me, other := ends[step&1], ends[1-step&1]
		switch size := int(step >> 3); {
		case me.closed:
		case step>>1&3 == 0:
			me.send(size + 1)
		case step>>1&3 == 1:
			me.send((size + 1) * 4099)
		case step>>1&3 == 2:
			if err := other.await(me); err != nil {
				t.Fatalf("%v after %d bytes of %d", err, len(other.got), len(me.sent))
			}
		case size < 4:
			me.send(size)
			me.closeWrite(t)
		}
	}
	for i, me := range ends {
		me.closeWrite(t)
		other := ends[1-i]
		if err := other.await(me); !errors.Is(err, io.EOF) || !bytes.Equal(other.got, me.sent) {
			t.Errorf("%v after %d bytes of %d", err, len(other.got), len(me.sent))
		}
	}
	if err := <-ended; err != nil {
		t.Errorf("Join = %v", err)
	}
}

func FuzzJoin(f *testing.F) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 80 {
		plan := make([]byte, 2+dice.IntN(40))
		for i := range plan {
			plan[i] = byte(dice.Uint32())
		}
		f.Add(plan)
	}
	f.Fuzz(carry)
}

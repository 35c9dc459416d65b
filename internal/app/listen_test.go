package app

import (
	"log/slog"
	"net"
	"testing"

	"stoa/internal/edge/framing"
	"stoa/internal/edge/front"
	"stoa/internal/edge/peers"
)

// With NoFront, net/http's server gets connections on which nothing looks at requests before it.
func TestTheLoopForPlainCallsCanBeTurnedOff(t *testing.T) {
	t.Parallel()

	for _, off := range []bool{false, true} {
		a := &App{
			guard: framing.NewGuard(), peers: &peers.Bound{Log: slog.New(slog.DiscardHandler)},
			front: new(front.Front), noFront: off,
		}
		plain, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ln := a.Listen(plain)
		client, err := net.Dial("tcp", plain.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		server, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if _, got := server.(*framing.Conn); got != off {
			t.Errorf("NoFront %v: the connection is a %T", off, server)
		}
		_, _, _ = client.Close(), server.Close(), ln.Close()
	}
}

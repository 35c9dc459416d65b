// Package porttest finds addresses for programs that have to be told one, because they
// cannot choose a port and say which.
package porttest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// Systems take the ports of outgoing connections, and those of listeners that leave the
// choice to them, from above this range. So nothing takes a port that was found here before
// its program listens, or while its program is restarted. The ports of stoa's demo are below
// it (internal/app/demo).
const lowest, count = 30_000, 2_700

// marks is how far below a port the UDP port is that marks it as taken. Other tests, of this process and of
// others, leave a marked port alone even while nobody listens at it. browser/scenarios/server.js does the same.
const marks = 10_000

// Free returns an address on loopback at which nobody listens, and which is the test's own until it
// ends. The test fails if there is none.
func Free(tb testing.TB) string {
	tb.Helper()
	var err error
	for range 100 {
		port := lowest + rand.IntN(count)
		if err = mark(tb, port); err != nil {
			continue
		}
		var ln net.Listener
		addr := loopback(port)
		if ln, err = new(net.ListenConfig).Listen(tb.Context(), "tcp", addr); err == nil {
			_ = ln.Close()
			return addr
		}
	}
	tb.Fatalf("porttest: no free port: %v", err)
	return ""
}

// mark marks a port as the test's own until it ends. It fails if another test has marked it.
func mark(tb testing.TB, port int) error {
	tb.Helper()
	c, err := new(net.ListenConfig).ListenPacket(tb.Context(), "udp", loopback(port-marks))
	if err == nil {
		tb.Cleanup(func() { _ = c.Close() })
	}
	return err
}

func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

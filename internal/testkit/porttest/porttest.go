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

// Free returns an address on loopback at which nobody listens. The test fails if there
// is none.
func Free(tb testing.TB) string {
	tb.Helper()
	var err error
	for range 100 {
		var ln net.Listener
		addr := fmt.Sprintf("127.0.0.1:%d", lowest+rand.IntN(count))
		if ln, err = new(net.ListenConfig).Listen(tb.Context(), "tcp", addr); err == nil {
			_ = ln.Close()
			return addr
		}
	}
	tb.Fatalf("porttest: no free port: %v", err)
	return ""
}

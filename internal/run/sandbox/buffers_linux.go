package sandbox

import (
	"os"
	"path/filepath"
)

// SocketBytes is the most that the kernel keeps for one TCP socket of a contained program whose
// buffers are bounded (Contained.Bounded): a send and a receive buffer, and the socket.
const SocketBytes = 2*socketBuffer + 8<<10

// socketBuffer in bytes is how large each buffer of a TCP socket may be, see buffers. With less, a
// connection passes on much less in the same time; with more, hardly more.
const socketBuffer = 48 << 10

// backlog is how many connections may wait at one listener of a program.
const backlog = "16"

// buffers bound what the kernel keeps for sockets in this process's network, which no limit of a
// process counts. The kernel has a value of each for every network. With the usual ones a
// connection may hold 10 MiB.
var buffers = []struct{ name, value string }{
	{"ipv4/tcp_rmem", "4096 49152 49152"},
	{"ipv4/tcp_wmem", "4096 49152 49152"},
}

// lesser are further bounds, which a kernel may lack: on what outlives a socket, and on
// datagrams that come in parts.
var lesser = []struct{ name, value string }{
	{"ipv4/tcp_max_tw_buckets", "1024"},
	{"ipv4/tcp_max_syn_backlog", "64"},
	{"ipv4/ipfrag_low_thresh", "131072"},
	{"ipv4/ipfrag_high_thresh", "262144"},
	{"ipv6/ip6frag_low_thresh", "131072"},
	{"ipv6/ip6frag_high_thresh", "262144"},
	{"core/optmem_max", "20480"},
}

// boundBuffers bounds the buffers of this process's network, and reports whether it could: a
// container may have a read-only /proc/sys.
func boundBuffers() bool {
	for _, b := range lesser {
		_ = sysctl(b.name, b.value)
	}
	bounded := true
	for _, b := range buffers {
		bounded = sysctl(b.name, b.value) == nil && bounded
	}
	return bounded
}

// sysctl sets a value of this process's network.
func sysctl(name, value string) error {
	return os.WriteFile(filepath.Join("/proc/sys/net", name), []byte(value), 0)
}

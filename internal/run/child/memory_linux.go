package child

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"stoa/internal/run/sandbox"
)

// memory reads how much memory a process takes: its own, and what the kernel keeps for it.
type memory struct {
	statm     *os.File   // what it has in memory
	status    *os.File   // that, and what is swapped out, and page tables: ten times the work
	sockets   []*os.File // how many sockets its network has; none if the network is not its own
	queues    []string   // files that list its TCP sockets
	temp      scratch
	bounded   func() bool
	datagrams int64 // bytes that the kernel keeps for one UDP socket, at most

	looks         int
	swapped, kept int64 // at the last look at all of it
	buf           [4096]byte
}

const (
	// One in allEvery looks reads all of the memory, the others only the process's own. In between,
	// the bounds of package sandbox limit the rest.
	allEvery = 5
	// fewSockets hold little even where their size is not bounded.
	fewSockets = 16
	// datagramSlack is what a UDP socket may take beyond its buffer: one more datagram, and itself.
	datagramSlack = 72 << 10
)

// openMemory opens what is to be read of a process. It fails when the process is gone.
func openMemory(pid int, contained *sandbox.Contained) (*memory, error) {
	m := &memory{bounded: contained.Bounded, temp: openScratch(pid)}
	var err error
	if m.statm, err = os.Open(fmt.Sprintf("/proc/%d/statm", pid)); err != nil {
		return nil, err
	}
	if m.status, err = os.Open(fmt.Sprintf("/proc/%d/status", pid)); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	if !contained.OwnNetwork() {
		return m, nil
	}
	for _, name := range []string{"sockstat", "sockstat6"} {
		f, err := os.Open(fmt.Sprintf("/proc/%d/net/%s", pid, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // no IPv6 here
		}
		if err != nil {
			return nil, errors.Join(err, m.Close())
		}
		m.sockets = append(m.sockets, f)
	}
	for _, name := range []string{"tcp", "tcp6"} {
		m.queues = append(m.queues, fmt.Sprintf("/proc/%d/net/%s", pid, name))
	}
	m.datagrams = 208<<10 + datagramSlack // the kernel's default
	if text, err := os.ReadFile("/proc/sys/net/core/rmem_default"); err == nil {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil {
			m.datagrams = n + datagramSlack
		}
	}
	return m, nil
}

// Close closes what was opened.
func (m *memory) Close() error {
	m.temp.close()
	var errs []error
	for _, f := range append(m.sockets, m.statm, m.status) {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}

// look returns what the process has in memory, in its temporary folder or swapped out, and what the kernel keeps for
// it: page tables and sockets. It fails when the process is gone.
func (m *memory) look() (own, kernel int64, err error) {
	text, err := m.read(m.statm)
	if err != nil {
		return 0, 0, err
	}
	_, resident, _ := bytes.Cut(text, []byte(" "))
	own = number(resident, "") * int64(os.Getpagesize())
	if m.looks++; m.looks%allEvery == 1 || len(m.queues) > 0 && !m.bounded() {
		if err = m.lookAtAll(); err != nil {
			return 0, 0, err
		}
	}
	return own + m.temp.used() + m.swapped, m.kept, nil
}

// lookAtAll sets what is swapped out, and what the kernel keeps.
func (m *memory) lookAtAll() error {
	text, err := m.read(m.status)
	if err != nil {
		return err
	}
	m.swapped, m.kept = number(text, "VmSwap:")<<10, number(text, "VmPTE:")<<10
	var all, tcp, udp int64
	for _, f := range m.sockets {
		if text, err = m.read(f); err != nil {
			return err
		}
		all += number(text, "sockets: used")
		tcp += number(text, "TCP: inuse") + number(text, "TCP6: inuse")
		udp += number(text, "UDP: inuse") + number(text, "UDP6: inuse")
	}
	m.kept += all*sandbox.SocketBytes + udp*m.datagrams
	if tcp <= fewSockets || m.bounded() {
		return nil
	}
	for _, path := range m.queues {
		if text, err := os.ReadFile(path); err == nil { //nolint:gosec // below /proc
			m.kept += queued(text)
		}
	}
	return nil
}

func (m *memory) read(f *os.File) ([]byte, error) {
	n, err := f.ReadAt(m.buf[:], 0)
	if n == 0 {
		return nil, err
	}
	return m.buf[:n], nil
}

// number returns the number after a name in a file of /proc, and 0 if there is none.
func number(text []byte, name string) int64 {
	_, after, _ := bytes.Cut(text, []byte(name))
	after = bytes.TrimLeft(after, " \t")
	n := int64(0)
	for _, c := range after {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// queued returns how many bytes are queued in the sockets of /proc/net/tcp. Their packets take about
// twice as much.
func queued(text []byte) int64 {
	sum := int64(0)
	for line := range bytes.Lines(text) {
		// sl local_address rem_address st tx_queue:rx_queue …, in hexadecimal
		fields := bytes.Fields(line)
		if len(fields) < 5 {
			continue
		}
		tx, rx, _ := bytes.Cut(fields[4], []byte(":"))
		for _, text := range [][]byte{tx, rx} {
			if n, err := strconv.ParseInt(string(text), 16, 64); err == nil {
				sum += 2 * n
			}
		}
	}
	return sum
}

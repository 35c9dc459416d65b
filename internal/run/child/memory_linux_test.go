package child

import (
	"os"
	"testing"

	"stoa/internal/run/sandbox"
)

func BenchmarkLookAtMemory(b *testing.B) {
	m, err := openMemory(os.Getpid(), &sandbox.Contained{})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	for b.Loop() {
		if _, _, err := m.look(); err != nil {
			b.Fatal(err)
		}
	}
}

func TestQueuedCountsBothDirections(t *testing.T) {
	t.Parallel()
	const text = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n" +
		"   0: 0100007F:DCEF 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n" +
		"   1: 0100007F:DCEF 0100007F:0001 01 00000100:00000010 00:00000000 00000000     0\n"
	if got := queued([]byte(text)); got != 2*0x110 {
		t.Errorf("got %d, want %d", got, 2*0x110)
	}
}

func TestANumberOfAFileOfTheKernelIsFoundByItsName(t *testing.T) {
	t.Parallel()
	const text = "Name:\tVmSwap\nVmRSS:\t  50252 kB\nVmPTE:\t     120 kB\nVmSwap:\t       7 kB\n"
	for name, want := range map[string]int64{"VmRSS:": 50252, "VmPTE:": 120, "VmSwap:": 7, "VmPin:": 0} {
		if got := number([]byte(text), name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
}

func TestPageTablesCount(t *testing.T) {
	t.Parallel()
	m, err := openMemory(os.Getpid(), &sandbox.Contained{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	own, kernel, err := m.look()
	if err != nil || own < 1<<20 || kernel <= 0 || kernel > own {
		t.Errorf("got %d bytes and %d of the kernel's, %v", own, kernel, err)
	}
}

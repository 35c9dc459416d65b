package main

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// systemd, with Type=notify, takes a start for finished at READY=1, and other units wait
// for it.
func TestServeTellsTheServiceManagerThatItIsReadyAndThatItStops(t *testing.T) {
	t.Parallel()

	dir, err := os.MkdirTemp("", "stoa-notify-") //nolint:usetesting // socket paths have 108 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "notify")
	socket, err := new(net.ListenConfig).ListenPacket(t.Context(), "unixgram", path)
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	told := func() string {
		buf := make([]byte, 100)
		_ = socket.SetReadDeadline(time.Now().Add(2 * time.Minute))
		n, _, err := socket.ReadFrom(buf)
		if err != nil {
			t.Fatal(err)
		}
		return string(buf[:n])
	}

	s := serve(t, []string{"NOTIFY_SOCKET=" + path}, "--data", migratedFolder(t))
	if got := told(); got != "READY=1" {
		t.Errorf("the service manager was told %q, want READY=1", got)
	}
	if code := s.stop(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Log())
	}
	if got := told(); got != "STOPPING=1" {
		t.Errorf("then it was told %q, want STOPPING=1", got)
	}
}

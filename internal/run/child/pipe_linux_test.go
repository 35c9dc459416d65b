package child

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestAPipeIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	r, w, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	go func() {
		defer w.Close()
		for range 1000 {
			w.Write(make([]byte, 1000))
		}
	}()
	if all, err := io.ReadAll(r); err != nil || len(all) != 1_000_000 {
		t.Errorf("read %d bytes, %v", len(all), err)
	}
}

func TestClosingAPipeEndsItsReader(t *testing.T) {
	t.Parallel()
	r, w, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := r.Read(make([]byte, 1))
		ended <- err
	}()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("it read %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("it still reads")
	}
	if err := r.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed again: %v", err)
	}
}

// TestWritesWakeNobodyWhoDoesNotRead: a child that tries to write to a full pipe in a loop costs
// stoa nothing.
func TestWritesWakeNobodyWhoDoesNotRead(t *testing.T) {
	t.Parallel()
	r, w, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	news := func() int {
		n, err := unix.EpollWait(int(r.(*pipe).events.Fd()), make([]unix.EpollEvent, 1), 0)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 3 {
		if _, err := w.WriteString("xx"); err != nil {
			t.Fatal(err)
		}
		if n := news(); n != 0 {
			t.Error("there is news of a pipe that nobody reads")
		}
		if _, err := r.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

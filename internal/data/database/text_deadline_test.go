package database

import (
	"context"
	"errors"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// The deadline of a query ends its reads, and does not outlive it: what uses the connection next may last.
func TestTheDeadlineOfAQueryEndsWithIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		conn, server := net.Pipe()
		defer conn.Close()
		defer server.Close()
		read := func() error {
			_, err := conn.Read(make([]byte, 1))
			return err
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		err := untilDeadline(ctx, conn, read)
		if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took != time.Second {
			t.Errorf("it took %v: %v", took, err)
		}
		go func() {
			time.Sleep(time.Hour)
			_, _ = server.Write([]byte("a"))
		}()
		if err := read(); err != nil {
			t.Errorf("what came next: %v", err)
		}
	})
}

package s3

import (
	"context"
	"errors"
	"io"
	"net"
	"time"
)

// errSilent means that the storage did not answer in time.
var errSilent = errors.New("no answer within the timeout")

// watch ends a transfer that stalls.
type watch struct {
	idle  time.Duration
	timer *time.Timer
	end   context.CancelCauseFunc
}

// watchMoves returns a context that ends when moved was not called for idle. The caller stops the
// watch.
func watchMoves(ctx context.Context, idle time.Duration) (context.Context, *watch) {
	ctx, end := context.WithCancelCause(ctx)
	return ctx, &watch{idle, time.AfterFunc(idle, func() { end(errSilent) }), end}
}

func (w *watch) moved() { w.timer.Reset(w.idle) }

func (w *watch) stop() {
	w.timer.Stop()
	w.end(nil)
}

// movingSeeker reports its reads to a watch.
type movingSeeker struct {
	io.ReadSeeker

	watch *watch
}

// Read implements io.Reader.
func (m *movingSeeker) Read(b []byte) (int, error) {
	m.watch.moved()
	return m.ReadSeeker.Read(b)
}

// download is the body of an object.
type download struct {
	body  io.ReadCloser
	watch *watch
	fail  func(error) error
	left  int64
}

// Read implements io.Reader. A body that ends early is an error.
func (d *download) Read(b []byte) (int, error) {
	n, err := d.body.Read(b)
	d.watch.moved()
	d.left -= int64(n)
	switch {
	case errors.Is(err, io.EOF) && d.left > 0:
		return n, d.fail(io.ErrUnexpectedEOF)
	case err == nil || errors.Is(err, io.EOF):
		return n, err
	}
	return n, d.fail(err)
}

// Close implements io.Closer.
func (d *download) Close() error {
	d.watch.stop()
	return d.body.Close()
}

// movingConn fails when the other side accepts nothing for idle.
type movingConn struct {
	net.Conn

	idle time.Duration
}

// Write implements net.Conn.
func (c movingConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

package relay

import (
	"cmp"
	"errors"
	"io"
	"time"

	"stoa/internal/edge/http1"
)

// upload writes the body of the request on another goroutine.
func (x *exchange) upload() {
	x.written, x.c.lent = make(chan struct{}), true
	_ = x.conn.SetDeadline(time.Time{}) // the watch takes over, and pauses while waiting for the client
	w := newWatch(x.up.FirstByte, func() {
		x.slow.Store(true)
		_ = x.conn.SetReadDeadline(time.Unix(1, 0))
	})
	x.watch = w
	go func() {
		defer close(x.written)
		if x.writeErr = x.copyBody(x.c.upload.reader(w)); x.writeErr == nil {
			x.c.sent.Store(true)
		} else if x.c.upload.failure() != nil {
			_ = x.conn.Close() // the request cannot be completed
		}
	}()
}

// uploaded reports whether the whole request was sent. A plugin that has answered has usually read
// it all, so uploaded waits a moment for the upload to end.
func (x *exchange) uploaded() bool {
	if x.written == nil {
		return true
	}
	soon := time.NewTimer(cmp.Or(x.up.UploadEnds, uploadEnds))
	defer soon.Stop()
	select {
	case <-x.written:
		return x.writeErr == nil
	case <-soon.C:
		return false
	}
}

// uploadEnds is Upstream.UploadEnds unless that is set.
const uploadEnds = 50 * time.Millisecond

var errTooMuch = errors.New("relay: the body is longer than its Content-Length")

// copyBody writes the body as the head of the request announced it.
func (x *exchange) copyBody(body io.Reader) error {
	buf := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buf)
	left := x.c.r.ContentLength
	var chunk []byte
	for {
		n, err := body.Read(buf[:])
		if n > 0 {
			data := buf[:n]
			if left < 0 {
				chunk = http1.AppendChunk(chunk[:0], data)
				data = chunk
			} else if left -= int64(n); left < 0 {
				return errTooMuch
			}
			if _, err := x.conn.Write(data); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF) && left < 0:
			_, err = io.WriteString(x.conn, http1.LastChunk)
			return err
		case errors.Is(err, io.EOF) && left > 0:
			_ = x.conn.Close()
			return io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

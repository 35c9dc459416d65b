package gateway

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// deadlines is a connection whose reads wait until their deadline has passed.
type deadlines struct {
	*httptest.ResponseRecorder

	write *io.PipeWriter
	set   chan time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error {
	if !at.IsZero() && at.Before(time.Now()) {
		_ = d.write.CloseWithError(errors.New("deadline passed"))
	}
	d.set <- at
	return nil
}

// After the handler has returned, no Read touches the client's body or its connection.
func TestDetachEndsAllReading(t *testing.T) {
	t.Parallel()

	pr, pw := io.Pipe()
	conn := &deadlines{ResponseRecorder: httptest.NewRecorder(), write: pw, set: make(chan time.Time, 10)}
	b := &clientBody{body: pr, rc: http.NewResponseController(conn), left: maxBody, until: time.Now().Add(maxUpload)}
	done := make(chan error)
	go func() {
		_, err := b.Read(make([]byte, 1))
		done <- err
	}()
	<-conn.set // it reads, or is about to
	b.detach()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the waiting Read was not interrupted")
	}
	for len(conn.set) > 0 {
		<-conn.set
	}
	b.body = nil // a Read would panic
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("a later Read = %v, want ErrBodyReadAfterClose", err)
	}
	if len(conn.set) > 0 {
		t.Error("a later Read touched the connection")
	}
}

// Once a body has ended, the server reads from the connection. It would mistake an expired
// deadline for a client that left, and cancel all further requests on the connection.
func TestABodyThatEndedGetsNoDeadline(t *testing.T) {
	t.Parallel()
	_, pw := io.Pipe()
	conn := &deadlines{ResponseRecorder: httptest.NewRecorder(), write: pw, set: make(chan time.Time, 10)}
	b := &clientBody{body: strings.NewReader("body"), rc: http.NewResponseController(conn), left: maxBody, until: time.Now().Add(maxUpload)}
	if _, err := io.ReadAll(b); err != nil {
		t.Fatal(err)
	}
	for len(conn.set) > 0 {
		<-conn.set
	}
	b.detach()
	if len(conn.set) > 0 {
		t.Errorf("a deadline: %v", <-conn.set)
	}
}

// However steadily it drips, a body must end in time.
func TestTheWholeBodyHasATimeLimit(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		conn := &deadlines{ResponseRecorder: httptest.NewRecorder(), set: make(chan time.Time, 10)}
		for _, left := range []time.Duration{maxUpload, idle / 2, time.Second} {
			b := &clientBody{
				body: strings.NewReader("xx"), rc: http.NewResponseController(conn), left: maxBody, until: time.Now().Add(left),
			}
			if _, err := b.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if at, want := time.Until(<-conn.set), min(left, idle); at != want {
				t.Errorf("with %s left, the next byte may take %s, want %s", left, at, want)
			}
		}
	})
}

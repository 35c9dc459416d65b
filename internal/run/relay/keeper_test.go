package relay_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"stoa/internal/run/relay"
)

// keeper is a ResponseWriter whose Write fails but goes on reading its argument, as that of HTTP/2
// does when the client resets the stream.
type keeper struct {
	*httptest.ResponseRecorder

	kept []byte
}

func (k *keeper) Write(p []byte) (int, error) {
	k.kept = p
	return 0, errors.New("stream closed")
}

func TestABufferOfAFailedWriteIsNotReused(t *testing.T) {
	t.Parallel()
	up := plugin(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("X-Mine"))
	})
	pass := func(w http.ResponseWriter, mine string) {
		r := request(t, "GET", "")
		r.Header.Set("X-Mine", mine)
		call := relay.NewCall(w, r)
		defer call.End()
		if err := call.Pass(up); err != nil {
			t.Error(err)
		}
	}
	for range 20 { // the pool may drop buffers
		gone := &keeper{ResponseRecorder: httptest.NewRecorder()}
		pass(gone, "first")
		pass(httptest.NewRecorder(), "other")
		if !bytes.Equal(gone.kept, []byte("first")) {
			t.Fatalf("the first client may still get %q", gone.kept)
		}
	}
}

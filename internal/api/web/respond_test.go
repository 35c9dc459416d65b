package web_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/api/web"
)

// keeper is a way to a client that fails, and goes on reading what it was given, as that of
// HTTP/2 does when the client resets the stream.
type keeper struct {
	*httptest.ResponseRecorder

	kept []byte
}

func (k *keeper) Write(p []byte) (int, error) {
	k.kept = p
	return 0, errors.New("stream closed")
}

func TestWhatAFailedWriteMayStillSendIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	for range 20 { // the pool may drop what it is given
		gone := &keeper{ResponseRecorder: httptest.NewRecorder()}
		web.WriteData(gone, http.StatusOK, "first")
		web.WriteData(httptest.NewRecorder(), http.StatusOK, "other")
		if !strings.Contains(string(gone.kept), "first") {
			t.Fatalf("the first client may still get %q", gone.kept)
		}
	}
}

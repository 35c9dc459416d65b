package gateway_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// A proxy's HTTP/2 connection carries the calls of many clients. One whose body is refused,
// or answered early, does not end it.
func TestARefusedBodyDoesNotEndAConnectionThatOthersUse(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	k.answer = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }
	var connections atomic.Int32
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	front := httptest.NewUnstartedServer(http.HandlerFunc(k.serve))
	front.Config.Protocols = protocols
	front.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	front.Start()
	t.Cleanup(front.Close)
	client := &http.Transport{Protocols: protocols}
	t.Cleanup(client.CloseIdleConnections)
	for range 3 {
		for _, body := range []io.Reader{
			bodyOf(10*mib + 1), bodyOf(5 * mib), struct{ io.Reader }{bodyOf(5 * mib)}, bodyOf(0),
		} {
			r, err := http.NewRequestWithContext(t.Context(), "POST", front.URL+"/api/x", body)
			if err != nil {
				t.Fatal(err)
			}
			res, err := client.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			if res.ProtoMajor != 2 {
				t.Fatalf("answered over %s", res.Proto)
			}
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections were made, want 1", n)
	}
}

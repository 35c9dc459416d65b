package httpapi

import (
	"io"
	"net/http"
	"time"
)

// How much a client may still send after its request was refused (contract 1.6).
const (
	lingerBytes = 64 << 20
	lingerTime  = 10 * time.Second
)

// linger sends the answer to a refused request, and reads and discards the rest of its body. If the
// connection were closed at once, clients that read only after they have sent everything would see a
// reset instead of the answer.
func linger(w http.ResponseWriter, r *http.Request, body io.Reader) {
	if r.ProtoMajor != 1 || body == nil || body == http.NoBody || r.ContentLength == 0 {
		return // streams of HTTP/2 end one by one
	}
	rc := http.NewResponseController(w)
	// Before the flush: it waits for the body, if that is short.
	if rc.SetReadDeadline(time.Now().Add(lingerTime)) != nil || rc.Flush() != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, body, lingerBytes) // until the body or one of the limits ends
}

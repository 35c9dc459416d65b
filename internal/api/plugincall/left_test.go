package plugincall_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"stoa/internal/testkit"
)

// A client that closes its half while the plugin works counts as gone, as with nginx. It
// must not get an answer that the plugin never gave.
func TestAClientThatClosedItsHalfGetsNoAnswerOfStoasOwn(t *testing.T) {
	t.Parallel()
	app := testkit.New(t)
	asked, gone := make(chan struct{}), make(chan struct{})
	installService(t, app, "slow", func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done()
		close(gone)
	})
	c, err := net.Dial("tcp", strings.TrimPrefix(app.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, "GET /api/v1/shop/plugins/slow/api/x HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	<-gone
	if got, _ := io.ReadAll(c); len(got) > 0 {
		t.Errorf("it was answered %q", got)
	}
}

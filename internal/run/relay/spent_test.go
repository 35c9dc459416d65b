package relay_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/run/relay"
)

// spender is a ResponseWriter that records whether it is spent.
type spender struct {
	*httptest.ResponseRecorder

	spent bool
}

func (s *spender) Spent(is bool) { s.spent = is }

// Memory that a goroutine may still read must not be reused for another call.
func TestACallIsSpentWhenNoGoroutineUsesIt(t *testing.T) {
	t.Parallel()
	up := plugin(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	upgrade := request(t, "POST", "hello")
	upgrade.Header.Set("Connection", "Upgrade")
	upgrade.Header.Set("Upgrade", "websocket")
	upgradeHere := request(t, "GET", "")
	upgradeHere.Header = upgrade.Header.Clone()
	for _, tt := range []struct {
		name string
		r    *http.Request
		up   relay.Upstream
		want bool
	}{
		{"no body", request(t, "GET", ""), up, true},
		{"a small body", request(t, "POST", "hello"), up, true},
		{"a body that another goroutine writes", request(t, "POST", strings.Repeat("x", 20<<10)), up, false},
		{"net/http's transport", upgrade, up, false},
		{"an upgrade on this goroutine", upgradeHere, up, true},
		{"a plugin that is not there", request(t, "GET", ""), closedPort(t), true},
	} {
		w := &spender{ResponseRecorder: httptest.NewRecorder()}
		call := relay.NewCall(w, tt.r)
		_ = call.Pass(tt.up)
		call.End()
		if w.spent != tt.want {
			t.Errorf("%s: spent is %t", tt.name, w.spent)
		}
	}
}

// A second attempt does not undo the first, whose goroutine may still run.
func TestALentRequestStaysLent(t *testing.T) {
	t.Parallel()
	up := plugin(t, func(http.ResponseWriter, *http.Request) {})
	r := request(t, "POST", "hello") // with the body, the upgrade goes through net/http's transport
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	w := &spender{ResponseRecorder: httptest.NewRecorder()}
	call := relay.NewCall(w, r)
	defer call.End()
	_ = call.Pass(up)
	r.Header.Del("Connection")
	if _ = call.Pass(up); w.spent {
		t.Error("spent")
	}
}

// The attempt that reaches a plugin lends the request, even if the attempt before, to a process
// that was gone, did not.
func TestARequestThatIsLentLaterIsNotSpent(t *testing.T) {
	t.Parallel()
	up := plugin(t, func(http.ResponseWriter, *http.Request) {})
	w := &spender{ResponseRecorder: httptest.NewRecorder()}
	call := relay.NewCall(w, request(t, "POST", strings.Repeat("x", 20<<10)))
	defer call.End()
	if err := call.Pass(closedPort(t)); err == nil || !w.spent {
		t.Fatalf("%v, and spent is %t", err, w.spent)
	}
	if _ = call.Pass(up); w.spent {
		t.Error("spent")
	}
}

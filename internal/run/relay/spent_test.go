package relay_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stoa/internal/run/relay"
)

// spender is a way to the client that is told when it is spent.
type spender struct {
	*httptest.ResponseRecorder

	spent bool
}

func (s *spender) Spent(is bool) { s.spent = is }

// What a goroutine may still read must not become another call's.
func TestOnlyWhatNobodyUsesIsSpent(t *testing.T) {
	t.Parallel()
	up := plugin(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) })
	upgrade := request(t, "GET", "")
	upgrade.Header.Set("Connection", "Upgrade")
	upgrade.Header.Set("Upgrade", "websocket")
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
		{"a plugin that is not there", request(t, "GET", ""), nobody(t), true},
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

// A second attempt does not make up for the first, whose goroutine may go on.
func TestALentRequestStaysLent(t *testing.T) {
	t.Parallel()
	up := plugin(t, func(http.ResponseWriter, *http.Request) {})
	r := request(t, "GET", "")
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

// A request is lent by the attempt that reaches a plugin, although the one before, to a
// process that was gone, was over.
func TestARequestThatIsLentLaterIsNotSpent(t *testing.T) {
	t.Parallel()
	up := plugin(t, func(http.ResponseWriter, *http.Request) {})
	w := &spender{ResponseRecorder: httptest.NewRecorder()}
	call := relay.NewCall(w, request(t, "POST", strings.Repeat("x", 20<<10)))
	defer call.End()
	if err := call.Pass(nobody(t)); err == nil || !w.spent {
		t.Fatalf("%v, and spent is %t", err, w.spent)
	}
	if _ = call.Pass(up); w.spent {
		t.Error("spent")
	}
}

package proof

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"
)

const (
	inside      = "/api/v1/shop/plugins/inside/api/version"
	outsidePath = "/api/v1/shop/plugins/hooked/api/book"
)

// outside is the service of the external plugin: it takes hooks, and calls that must not
// be carried out twice.
type outside struct {
	url   string
	hooks *plugin

	mu    sync.Mutex
	calls map[string]int  // by id
	told  map[string]bool // those whose client got the answer
}

func newOutside() *outside {
	return &outside{hooks: newPlugin(), calls: make(map[string]int), told: make(map[string]bool)}
}

func (o *outside) install(t *testing.T, f *fleet, admin string) {
	t.Helper()
	o.hooks.install(t, f.processes[0], admin, o.url)
}

func (o *outside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("X-Hook-Id") != "" {
		o.hooks.ServeHTTP(w, r)
		return
	}
	var call struct{ ID string }
	if err := json.NewDecoder(r.Body).Decode(&call); err == nil {
		o.mu.Lock()
		o.calls[call.ID]++
		o.mu.Unlock()
	}
	<-time.After(60 * time.Millisecond) // work, during which the replica that waits may be killed
	_, _ = io.WriteString(w, `{}`)
}

// acknowledged notes that the client of a call got its answer.
func (o *outside) acknowledged(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told[id] = true
}

// check fails the test if a call came twice, or did not come though it was answered.
func (o *outside) check(tb testing.TB) {
	tb.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.calls, "")
	for id, n := range o.calls {
		if n > 1 {
			tb.Errorf("a POST to a plugin, %s, came %d times", id, n)
		}
	}
	for id := range o.told {
		if o.calls[id] == 0 {
			tb.Errorf("the call %s was answered, and did not come", id)
		}
	}
	tb.Logf("%d calls of the external plugin, %d of them answered", len(o.calls), len(o.told))
}

package plugincall_test

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"stoa/internal/run/node"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// A plugin whose process is killed five times in a row, each time with calls that wait for it, is away for the pauses
// between its starts, and no longer: what is refused meanwhile says that it starts, and the calls that the process died
// with do not add the circuit breaker's pause.
func TestAPluginThatIsKilledFiveTimesComesBackAfterItsPauses(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	archive := testkit.PluginArchive(t, testkit.InternalManifest("killed", "index.js"), map[string]string{"index.js": `
		module.exports = async (app) => {
			let waiting = 0
			app.get('/api/waiting', async () => ({ waiting }))
			app.get('/api/wait', () => { waiting++; return new Promise(() => {}) })
		}`})
	if res := a.Install(t, admin, "plugin", archive); res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	list := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/killed/instances"))
	id := list.Get(t, "data.items").([]any)[0].(map[string]any)["installationId"].(string)
	processes := a.Plugins.Processes.(*node.Runtime)
	call := func(path string) testkit.Response { return a.Fetch(t, "/api/v1/shop/plugins/killed/api/"+path) }
	// waiting returns how many calls wait for the process, once there is one that says so.
	waiting := func() any {
		t.Helper()
		for {
			res := call("waiting")
			if res.Status == http.StatusOK {
				return res.Get(t, "waiting")
			}
			seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
			if code := res.Text(t, "error.code"); code != "PLUGIN_STARTING" || err != nil || seconds > 5 {
				t.Fatalf("refused with %d %s, retry after %d s, %v", res.Status, code, seconds, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	const calls = 12 // more than the breaker asks for
	for range 5 {
		waiting()
		var died sync.WaitGroup
		for range calls {
			died.Go(func() {
				if res := call("wait"); res.Status != http.StatusBadGateway {
					t.Errorf("a call that the process died with: %d %s", res.Status, res.Body)
				}
			})
		}
		waittest.Until(t, "all calls to wait for the process", func() error {
			if n := waiting(); n != float64(calls) {
				return fmt.Errorf("%v wait", n)
			}
			return nil
		})
		pid := processes.Status(id).PID
		if pid < 2 { // which kill would take for a group, or for everything
			t.Fatalf("%s has the process %d", id, pid)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		died.Wait()
	}
	waiting()
	if st := processes.Status(id); st.Restarts != 5 {
		t.Errorf("started again %d times, want 5", st.Restarts)
	}
}

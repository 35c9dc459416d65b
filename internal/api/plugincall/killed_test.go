package plugincall_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"stoa/internal/app"
	"stoa/internal/run/node"
	"stoa/internal/testkit"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/waittest"
)

// A plugin whose process is killed five times in a row, each time with calls that wait for it, is away for the pauses
// between its starts, and no longer: what is refused meanwhile says that it starts, and the calls that the process died
// with do not add the circuit breaker's pause.
func TestAPluginThatIsKilledFiveTimesComesBackAfterItsPauses(t *testing.T) {
	t.Parallel()
	var died sync.WaitGroup
	t.Cleanup(died.Wait) // after the stoa that they call
	var log logtest.Buffer
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Log = log.Logger() })
	admin := a.Admin(t, "root").Access
	archive := testkit.PluginArchive(t, testkit.InternalManifest("killed", "index.js"), map[string]string{"index.js": `
		module.exports = async (app) => {
			app.get('/api/x', async () => ({ ok: true }))
			app.get('/api/wait', () => { console.log('somebody waits'); return new Promise(() => {}) })
		}`})
	if res := a.Install(t, admin, "plugin", archive); res.Status != http.StatusCreated {
		t.Fatalf("install: %d %s", res.Status, res.Body)
	}
	list := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/killed/instances"))
	id := list.Get(t, "data.items").([]any)[0].(map[string]any)["installationId"].(string)
	processes := a.Plugins.Processes.(*node.Runtime)
	call := func(path string) testkit.Response { return a.Fetch(t, "/api/v1/shop/plugins/killed/api/"+path) }
	// answers waits until the plugin answers. There is no other good answer: the breaker counts them as well.
	answers := func() {
		t.Helper()
		waittest.Until(t, "an answer", func() error {
			res := call("x")
			if res.Status == http.StatusOK {
				return nil
			}
			seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
			if code := res.Text(t, "error.code"); code != "PLUGIN_STARTING" || err != nil || seconds > 5 {
				t.Fatalf("refused with %d %s, retry after %d s, %v", res.Status, code, seconds, err)
			}
			return errors.New("it starts")
		})
	}
	const calls = 12 // the breaker asks for ten, and for half of them to fail
	for round := range 5 {
		answers()
		for range calls {
			died.Go(func() {
				if res := call("wait"); res.Status != http.StatusBadGateway {
					t.Errorf("a call that the process died with: %d %s", res.Status, res.Body)
				}
			})
		}
		waittest.Until(t, "the process to have all calls", func() error {
			if n := strings.Count(log.String(), "somebody waits"); n != (round+1)*calls {
				return fmt.Errorf("%d of %d", n, (round+1)*calls)
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
	answers()
	if st := processes.Status(id); st.Restarts != 5 {
		t.Errorf("started again %d times, want 5", st.Restarts)
	}
}

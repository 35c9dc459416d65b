package platform_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
)

// The example of docs/plugins/platform-api.md, run by stoa as it stands there, counts
// exactly, however many ask at once.
func TestTheDocumentedExampleCounts(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/plugins/platform-api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```js\n")
	source, _, ok := strings.Cut(rest, "```\n")
	if !ok {
		t.Fatal("the page has no example")
	}
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now }) // the plugin's clock is real
	admin := a.Admin(t, "root").Access
	manifest := testkit.InternalManifest("visits", "index.js")
	manifest["permissions"] = []string{"storage:read", "storage:write"}
	res := a.Install(t, admin, "plugin", testkit.PluginArchive(t, manifest, map[string]string{"index.js": source}))
	if res.Status != http.StatusCreated || res.Get(t, "data.defaultInstance.enabled") != true {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	const calls = 8
	var running sync.WaitGroup
	for range calls {
		running.Go(func() {
			req := testkit.Request{Method: http.MethodPost, Path: "/api/v1/shop/plugins/visits/api/visits"}
			if res := a.DoUnchecked(t, req); res.Status != http.StatusOK {
				t.Errorf("visit = %d %s", res.Status, res.Body)
			}
		})
	}
	running.Wait()
	res = a.DoUnchecked(t, testkit.Request{Method: http.MethodPost, Path: "/api/v1/shop/plugins/visits/api/visits"})
	if got, want := string(res.Body), fmt.Sprintf(`{"visits":%d}`, calls+1); got != want {
		t.Errorf("the last visit answers %s, want %s", got, want)
	}
}

package platform_test

import (
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// A plugin that waits for the platform while it registers fails its trial, and is told why; enabled, it works.
func TestATrialSaysThatItHasNoPlatform(t *testing.T) {
	t.Parallel()
	a := testkit.New(t)
	admin := a.Admin(t, "root").Access
	c := install(t, a, admin, "early", `module.exports = async (app, { stoa }) => {
		const config = await stoa.platform().config()
		app.get('/api/config', async () => config)
	}`, nil)
	path := "/api/v1/admin/plugins/early/instances/" + c.id
	res := a.Do(t, testkit.Get(admin, path))
	if got := res.Text(t, "data.runtime.lastError.message"); !strings.Contains(got, "while it registers") {
		t.Errorf("lastError = %q", got)
	}
	if res := a.Do(t, testkit.Patch(admin, path, map[string]any{"enabled": true})); res.Status != http.StatusOK {
		t.Fatalf("enable: %d %s", res.Status, res.Body)
	}
	if res := c.call(t, testkit.Get("", "config")); string(res.Body) != "{}" {
		t.Errorf("enabled: %d %s", res.Status, res.Body)
	}
}

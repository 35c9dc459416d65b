package platform_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
)

// worker works before it is called, with what stoa gives it, and without it. What it has found out is in
// its storage.
const worker = `
module.exports = async (app, options) => {
  if (Object.keys(options).join() !== 'name') throw new Error('the options are ' + Object.keys(options))
  const { stoa } = options
  const work = async () => {
    const platform = stoa.platform()
    await platform.storage.putJSON('found', {
      name: (await platform.config()).name, id: stoa.installationId,
      environment: process.env.STOA_INSTALLATION_ID ?? 'none',
      same: await stoa.token() === await stoa.token(), url: process.env.STOA_PLATFORM_URL
    })
  }
  const again = () => work().catch((err) => { console.log('it cannot work yet:', err); setTimeout(again, 100) })
  setTimeout(again, 1)
  app.get('/api/found', async (request) => {
    const base = request.headers['x-platform-api-base-url'] + '/api/v1/platform/'
    const answer = await fetch(base + 'storage/found', { headers: { authorization: 'Bearer ' + request.headers['x-platform-token'] } })
    return answer.ok ? await answer.json() : {}
  })
}`

// found is what worker stores.
type found struct {
	Name, ID, Environment, URL string
	Same                       bool
}

// Plugins reach the platform between calls: in a process of their own and in one that instances share,
// where each works for itself.
func TestPluginsWorkWithoutACall(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"instance", "shared"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			a := testkit.New(t)
			admin := a.Admin(t, "root").Access
			c := install(t, a, admin, "worker", worker, map[string]any{
				"permissions":  []string{"storage:read", "storage:write"},
				"configSchema": map[string]any{"name": map[string]any{"type": "string", "required": true}},
			})
			send := func(r testkit.Request, want int) testkit.Response {
				t.Helper()
				res := a.Do(t, r)
				if res.Status != want {
					t.Fatalf("%s %s: %d %s", r.Method, r.Path, res.Status, res.Body)
				}
				return res
			}
			const path = "/api/v1/admin/plugins/worker"
			send(testkit.Patch(admin, path, map[string]any{"isolation": isolation}), http.StatusOK)
			send(testkit.Patch(admin, path+"/instances/"+c.id, map[string]any{
				"enabled": true, "config": map[string]any{"name": "one"},
			}), http.StatusOK)
			two := send(testkit.Post(admin, path+"/instances", map[string]any{
				"instanceKey": "two", "config": map[string]any{"name": "two"},
			}), http.StatusCreated).Text(t, "data.installationId")
			for id, name := range map[string]string{c.id: "one", two: "two"} {
				want := found{Name: name, ID: id, Environment: id, URL: a.URL, Same: true}
				if isolation == "shared" {
					want.Environment = "none"
				}
				if got := c.finds(t, id); got != want {
					t.Errorf("%s found %+v, want %+v", name, got, want)
				}
			}
		})
	}
}

// finds waits until an instance of worker has worked.
func (c contained) finds(t *testing.T, id string) (f found) {
	t.Helper()
	waittest.Until(t, "what the worker found", func() error {
		r := testkit.Get("", "found")
		r.Header = http.Header{"X-Installation-Id": {id}}
		res := c.call(t, r)
		if res.Status != http.StatusOK || !strings.Contains(string(res.Body), "name") {
			return fmt.Errorf("%d %s", res.Status, res.Body)
		}
		return json.Unmarshal(res.Body, &f)
	})
	return f
}

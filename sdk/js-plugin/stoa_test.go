package jsplugin_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/app"
	"stoa/internal/testkit"
	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/npmtest"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/waittest"
)

// readmeExample returns the first program below a heading of the README.
func readmeExample(t *testing.T, heading string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(readme), "\n## "+heading+"\n")
	_, program, _ := strings.Cut(section, "```js\n")
	program, _, ok := strings.Cut(program, "```")
	if !ok {
		t.Fatalf("the README has no program below %q", heading)
	}
	return program
}

// installed is a plugin that is installed and enabled.
type installed struct {
	*testkit.App

	admin    string
	id       string // of the default instance
	dir      string // of an external plugin's program
	manifest map[string]any
	files    map[string]string
}

// external installs an external plugin and starts its program.
func external(t *testing.T, program string) installed {
	t.Helper()
	node := needtest.Program(t, "node", "")
	address := porttest.Free(t)
	p := installed{dir: pkg.Project(t, "module"), manifest: testkit.ExternalManifest("visits", "http://"+address)}
	p.install(t)

	res := p.Do(t, testkit.Get(p.admin, "/api/v1/admin/plugins/visits/secret"))
	npmtest.Write(t, p.dir, "app.js", program)
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(node, "app.js")
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "PORT="+port, "PLUGIN_SECRET="+res.Text(t, "data.secret"))
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	waittest.True(t, "the plugin listens", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return p
}

// internal installs an internal plugin, with the package beside its program.
func internal(t *testing.T, program string) installed {
	t.Helper()
	p := installed{manifest: testkit.InternalManifest("visits", "index.js")}
	p.files = map[string]string{
		"package.json": `{"type":"module"}`,
		"index.js":     strings.Replace(program, "'stoa-plugin/internal'", "'./stoa-plugin/internal.js'", 1),
	}
	sources, err := filepath.Glob("src/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p.files["stoa-plugin/"+filepath.Base(name)] = string(text)
	}
	p.install(t)
	return p
}

// install starts a stoa and installs, configures and enables the plugin. The clock of
// stoa is real, because that of the plugin is.
func (p *installed) install(t *testing.T) {
	t.Helper()
	p.App = testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now })
	p.admin = p.Admin(t, "root").Access
	p.manifest["permissions"] = []string{
		"storage:read", "storage:write", "products:read", "orders:read", "licenses:read", "users:read",
		"events:subscribe",
	}
	p.manifest["configSchema"] = map[string]any{
		"greeting": map[string]any{"type": "string", "label": "Greeting", "required": true},
	}
	res := p.Install(t, p.admin, "plugin", testkit.PluginArchive(t, p.manifest, p.files))
	if res.Status != http.StatusCreated {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	p.id = res.Text(t, "data.defaultInstance.installationId")
	p.change(t, map[string]any{"enabled": true, "config": map[string]any{"greeting": "Welcome"}})
}

// change changes the default instance.
func (p *installed) change(t *testing.T, to map[string]any) {
	t.Helper()
	res := p.Do(t, testkit.Patch(p.admin, "/api/v1/admin/plugins/visits/instances/"+p.id, to))
	if res.Status != http.StatusOK {
		t.Fatalf("change of the instance = %d %s", res.Status, res.Body)
	}
}

// upgrade installs the next version, which wants hooks and events.
func (p *installed) upgrade(t *testing.T) {
	t.Helper()
	p.manifest["version"] = "1.1.0"
	p.manifest["events"] = map[string]any{"subscribe": []string{"user.*", "visits.*"}, "path": "/events"}
	p.manifest["lifecycle"] = map[string]any{
		"onUpgrade": true, "onEnable": true, "onDisable": true, "onUninstall": true,
	}
	res := p.Install(t, p.admin, "plugin", testkit.PluginArchive(t, p.manifest, p.files))
	if res.Status != http.StatusOK && res.Status != http.StatusCreated {
		t.Fatalf("upgrade = %d %s", res.Status, res.Body)
	}
}

// visit calls the plugin through the gateway.
func (p *installed) visit(t *testing.T, token string) string {
	t.Helper()
	res := p.DoUnchecked(t, testkit.Request{
		Method: http.MethodPost, Path: "/api/v1/shop/plugins/visits/api/visits?x=%20y", Token: token,
		Body: map[string]any{"note": "Grüezi"},
	})
	if res.Status != http.StatusOK {
		t.Errorf("visit = %d %s", res.Status, res.Body)
	}
	return string(res.Body)
}

// The programs of the README, called through the gateway, greet with their config and
// count in their storage, however many visitors come at once.
func TestTheREADMEsPluginsCountVisits(t *testing.T) {
	t.Parallel()

	for heading, start := range map[string]func(*testing.T, string) installed{
		"Express": external, "Fastify": external, "Plain http": external, "Internal plugins": internal,
	} {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()

			p := start(t, readmeExample(t, heading))
			const visitors = 6
			var running sync.WaitGroup
			for range visitors {
				running.Go(func() { p.visit(t, "") })
			}
			running.Wait()
			want := fmt.Sprintf(`{"text":"Welcome, guest!","visits":%d}`, visitors+1)
			if got := p.visit(t, ""); got != want {
				t.Errorf("the plugin answers %s, want %s", got, want)
			}
			want = fmt.Sprintf(`{"text":"Welcome, admin!","visits":%d}`, visitors+2)
			if got := p.visit(t, p.admin); got != want {
				t.Errorf("the plugin answers an administrator %s, want %s", got, want)
			}
			res := p.DoUnchecked(t, testkit.Request{
				Method: http.MethodGet, Path: "/api/v1/shop/plugins/visits/health",
			})
			if res.Status != http.StatusOK || heading != "Internal plugins" && res.Get(t, "slug") != "visits" {
				t.Errorf("health = %d %s", res.Status, res.Body)
			}
		})
	}
}

func TestTheClientReadsTheShopAndStores(t *testing.T) {
	t.Parallel()

	program, err := os.ReadFile("testdata/client.js")
	if err != nil {
		t.Fatal(err)
	}
	p := external(t, string(program))
	p.SellMailPack(t)
	p.BuyMailPack(t)
	config := map[string]any{"greeting": "Hi", "filler": strings.Repeat("x", 20_000)} // too large for a header
	p.change(t, map[string]any{"config": config})
	if got := p.visit(t, p.admin); got != "ok" {
		t.Errorf("the plugin says %s", got)
	}
}

// told waits until one more line was written, and compares it.
func (p *installed) told(t *testing.T, line int, want string) {
	t.Helper()
	var lines []string
	waittest.True(t, want, func() bool {
		text, _ := os.ReadFile(filepath.Join(p.dir, "told.log"))
		lines = strings.Split(string(text), "\n")
		return len(lines) > line
	})
	if got := lines[line-1]; got != want+" "+p.id {
		t.Errorf("the plugin was told %q, want %q", got, want)
	}
}

// frameworks are those of external plugins: one, or when proving, all. The README's programs use all.
func frameworks() []string {
	if needtest.Proving() {
		return []string{"express", "fastify", "http"}
	}
	return []string{"express"}
}

// An upgrade, the instance disabled and enabled, a new user, and the end: each reaches
// its handler once. While the instance is enabled, handlers can store.
func TestStoaCallsTheHandlersOfExternalPlugins(t *testing.T) {
	t.Parallel()

	program, err := os.ReadFile("testdata/told.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, framework := range frameworks() {
		t.Run(framework, func(t *testing.T) {
			t.Parallel()

			p := external(t, "const framework = '"+framework+"';\n"+string(program))
			p.upgrade(t)
			p.told(t, 1, "onUpgrade 1.0.0 1 1")
			p.change(t, map[string]any{"enabled": false})
			p.told(t, 2, "onDisable undefined 1 2")
			p.change(t, map[string]any{"enabled": true})
			p.told(t, 3, "onEnable undefined 1 3")
			p.Register(t, "ada")
			p.told(t, 4, "user.registered userId 1 4")
			res := p.Do(t, testkit.Request{
				Method: http.MethodDelete, Path: "/api/v1/admin/extensions/plugin/visits", Token: p.admin,
			})
			if res.Status != http.StatusOK {
				t.Fatalf("uninstall = %d %s", res.Status, res.Body)
			}
			p.told(t, 5, "onDisable undefined 1 5")
			p.told(t, 6, "onUninstall undefined 1 6")
		})
	}
}

// publishes upgrades the plugin to a version that may publish events, and grants that.
func (p *installed) publishes(t *testing.T) {
	t.Helper()
	p.manifest["permissions"] = []string{"events:publish", "events:subscribe"}
	p.upgrade(t)
	p.change(t, map[string]any{"grantedPermissions": p.manifest["permissions"]})
}

// What a plugin publishes reaches its own handlers of events, through stoa.
func TestEventsThatPluginsPublishArrive(t *testing.T) {
	t.Parallel()

	program, err := os.ReadFile("testdata/publish.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, framework := range frameworks() {
		t.Run(framework, func(t *testing.T) {
			t.Parallel()

			p := external(t, "const framework = '"+framework+"';\n"+string(program))
			p.publishes(t)
			id := p.visit(t, p.admin)
			p.told(t, 1, `visits.counted `+id+` {"n":1,"text":"<&>ß"}`)
		})
	}
	t.Run("internal", func(t *testing.T) {
		t.Parallel()

		p := internal(t, `import { definePlugin } from 'stoa-plugin/internal'
			export default definePlugin({
			  register (app, { context }) {
			    app.post('/api/visits', async (request) =>
			      (await context(request).platform.events.publish('visits.counted', { n: 2 })).id)
			  },
			  hooks: { onUpgrade () {} },
			  events: { 'visits.*': ({ id, data }) => console.log('told ' + id + ' ' + data.n) }
			})`)
		p.publishes(t)
		id := p.visit(t, p.admin)
		waittest.True(t, "the handler is told", func() bool {
			res := p.Do(t, testkit.Get(p.admin, "/api/v1/admin/plugins/visits/instances/"+p.id+"/logs"))
			return strings.Contains(string(res.Body), "told "+id+" 2")
		})
	})
}

func TestStoaCallsTheHandlersOfInternalPlugins(t *testing.T) {
	t.Parallel()

	program, err := os.ReadFile("testdata/told-internal.js")
	if err != nil {
		t.Fatal(err)
	}
	p := internal(t, string(program))
	told := func(want string) {
		t.Helper()
		waittest.True(t, want, func() bool {
			res := p.Do(t, testkit.Get(p.admin, "/api/v1/admin/plugins/visits/instances/"+p.id+"/logs"))
			return strings.Contains(string(res.Body), want)
		})
	}
	p.upgrade(t)
	told("told onUpgrade 1.0.0 " + p.id)
	p.change(t, map[string]any{"enabled": false})
	p.change(t, map[string]any{"enabled": true})
	told("told onEnable undefined " + p.id)
	p.Register(t, "ada")
	told("told user.registered Welcome 1")
}

package jsplugin_test

import (
	"fmt"
	"maps"
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

// platform is a stoa with real time, because its plugins have real clocks.
func platform(t *testing.T) (a *testkit.App, admin string) {
	t.Helper()
	a = testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now })
	return a, a.Admin(t, "root").Access
}

// manifest is the manifest of the README's plugins.
func manifest(changes map[string]any) map[string]any {
	m := map[string]any{
		"permissions": []string{
			"storage:read", "storage:write", "products:read", "orders:read", "licenses:read", "users:read",
		},
		"configSchema": map[string]any{
			"greeting": map[string]any{"type": "string", "label": "Greeting", "required": true},
			"filler":   map[string]any{"type": "string"},
		},
	}
	maps.Copy(m, changes)
	return m
}

// external installs an external plugin and starts its program. It returns the id of the
// default instance.
func external(t *testing.T, a *testkit.App, admin, program string, changes map[string]any) (id string) {
	t.Helper()
	node := needtest.Program(t, "node", "")
	dir := project(t, "module")
	address := freeAddress(t)
	m := testkit.ExternalManifest("visits", "http://"+address)
	maps.Copy(m, manifest(changes))
	id = configure(t, a, admin, testkit.PluginArchive(t, m, nil))

	res := a.Do(t, testkit.Get(admin, "/api/v1/admin/plugins/visits/secret"))
	write(t, dir, "app.js", program)
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(node, "app.js")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PORT="+port, "PLUGIN_SECRET="+res.Text(t, "data.secret"))
	cmd.Stdout, cmd.Stderr = t.Output(), t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	waitFor(t, "the plugin listens", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	return id
}

// internal installs an internal plugin, with the package beside its program.
func internal(t *testing.T, a *testkit.App, admin, program string, changes map[string]any) (id string) {
	t.Helper()
	m := testkit.InternalManifest("visits", "index.js")
	maps.Copy(m, manifest(changes))
	files := map[string]string{
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
		files["stoa-plugin/"+filepath.Base(name)] = string(text)
	}
	return configure(t, a, admin, testkit.PluginArchive(t, m, files))
}

// configure installs a plugin, and configures and enables its default instance.
func configure(t *testing.T, a *testkit.App, admin string, archive []byte) (id string) {
	t.Helper()
	res := a.Install(t, admin, "plugin", archive)
	if res.Status != http.StatusCreated {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	id = res.Text(t, "data.defaultInstance.installationId")
	setConfig(t, a, admin, id, "")
	return id
}

func setConfig(t *testing.T, a *testkit.App, admin, id, filler string) {
	t.Helper()
	res := a.Do(t, testkit.Patch(admin, "/api/v1/admin/plugins/visits/instances/"+id, map[string]any{
		"enabled": true, "config": map[string]any{"greeting": "Welcome", "filler": filler},
	}))
	if res.Status != http.StatusOK {
		t.Fatalf("enable = %d %s", res.Status, res.Body)
	}
}

// freeAddress returns an address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("after a minute, not yet: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// visit calls the plugin through the gateway.
func visit(t *testing.T, a *testkit.App, token string) string {
	t.Helper()
	res := a.DoUnchecked(t, testkit.Request{
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

	for heading, start := range map[string]func(*testing.T, *testkit.App, string, string, map[string]any) string{
		"Express": external, "Fastify": external, "Plain http": external, "Internal plugins": internal,
	} {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()

			a, admin := platform(t)
			start(t, a, admin, readmeExample(t, heading), nil)
			const visitors = 6
			var running sync.WaitGroup
			for range visitors {
				running.Go(func() { visit(t, a, "") })
			}
			running.Wait()
			want := fmt.Sprintf(`{"text":"Welcome, guest!","visits":%d}`, visitors+1)
			if got := visit(t, a, ""); got != want {
				t.Errorf("the plugin answers %s, want %s", got, want)
			}
			want = fmt.Sprintf(`{"text":"Welcome, admin!","visits":%d}`, visitors+2)
			if got := visit(t, a, admin); got != want {
				t.Errorf("the plugin answers an administrator %s, want %s", got, want)
			}
			res := a.DoUnchecked(t, testkit.Request{
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
	a, admin := platform(t)
	a.SellMailPack(t)
	a.BuyMailPack(t)
	id := external(t, a, admin, string(program), nil)
	setConfig(t, a, admin, id, strings.Repeat("x", 20_000)) // too large for a header
	if got := visit(t, a, admin); got != "ok" {
		t.Errorf("the plugin says %s", got)
	}
}

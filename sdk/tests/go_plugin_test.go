package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa.example/sdk/go/plugin"

	"stoa/internal/app"
	"stoa/internal/extension/plugin/storage"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/porttest"
	"stoa/internal/testkit/waittest"
)

var allPermissions = []string{
	"storage:read", "storage:write", "products:read", "orders:read", "licenses:read", "users:read", "users:email",
	"events:subscribe",
}

// pluginShop is a stoa with an external plugin, whose clock is real like the plugin's.
type pluginShop struct {
	*testkit.App

	admin, id, secret string
}

// visitsManifest returns the manifest of the plugin that listens at an address.
func visitsManifest(address string, changes map[string]any) map[string]any {
	m := testkit.ExternalManifest("visits", address)
	m["permissions"] = allPermissions
	m["configSchema"] = map[string]any{"greeting": map[string]any{"type": "string", "required": true}}
	maps.Copy(m, changes)
	return m
}

func installPlugin(t *testing.T, address string) pluginShop {
	t.Helper()
	a := testkit.New(t, func(_ testing.TB, cfg *app.Config) { cfg.Now = time.Now })
	a.SellMailPack(t)
	s := pluginShop{App: a, admin: a.Admin(t, "root").Access}
	res := a.Install(t, s.admin, "plugin", testkit.PluginArchive(t, visitsManifest(address, nil), nil))
	if res.Status != http.StatusCreated {
		t.Fatalf("install = %d %s", res.Status, res.Body)
	}
	s.id = res.Text(t, "data.defaultInstance.installationId")
	s.secret = a.Do(t, testkit.Get(s.admin, "/api/v1/admin/plugins/visits/secret")).Text(t, "data.secret")
	return s
}

// configure enables the default instance with a config.
func (s pluginShop) configure(t *testing.T, config map[string]any) {
	t.Helper()
	s.change(t, map[string]any{"enabled": true, "config": config})
}

// change changes the default instance.
func (s pluginShop) change(t *testing.T, to map[string]any) {
	t.Helper()
	res := s.Do(t, testkit.Patch(s.admin, "/api/v1/admin/plugins/visits/instances/"+s.id, to))
	if res.Status != http.StatusOK {
		t.Fatalf("change of the instance = %d %s", res.Status, res.Body)
	}
}

// visit calls the plugin through the gateway.
func (s pluginShop) visit(t *testing.T, token string) string {
	t.Helper()
	res := s.DoUnchecked(t, testkit.Request{
		Method: http.MethodPost, Path: "/api/v1/shop/plugins/visits/api/visits", Token: token, Body: map[string]any{},
	})
	if res.Status != http.StatusOK {
		t.Errorf("visit = %d %s", res.Status, res.Body)
	}
	return strings.TrimSpace(string(res.Body))
}

// startREADMEPlugin builds the README's plugin in a new module and starts it.
func startREADMEPlugin(t *testing.T, address, secret string) {
	t.Helper()
	dir := t.TempDir()
	_, plugins, _ := strings.Cut(readREADME(t), "## Plugins")
	writeFiles(t, dir, map[string][]byte{
		"go.mod":  []byte("module example.com/visits\n\ngo 1.22\n"),
		"main.go": []byte(fence(t, plugins, "go")),
	})
	env := append(os.Environ(), "GOPROXY=file://"+filepath.ToSlash(publish(t)), "GOMODCACHE="+t.TempDir(),
		"GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=", "GOWORK=off", "GOFLAGS=-modcacherw")
	for _, args := range [][]string{strings.Fields(fence(t, readREADME(t), "sh")), {"go", "build", "-o", "visits", "."}} {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(dir, "visits"))
	cmd.Env = append(os.Environ(), "PORT="+port, "PLUGIN_SECRET="+secret)
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
}

// The README's plugin greets with its config and counts in its storage, however many
// visitors come at once.
func TestTheREADMEsPluginCountsVisits(t *testing.T) {
	t.Parallel()

	address := porttest.Free(t)
	s := installPlugin(t, "http://"+address)
	startREADMEPlugin(t, address, s.secret)
	s.configure(t, map[string]any{"greeting": "Welcome"})
	const visitors = 6
	var running sync.WaitGroup
	for range visitors {
		running.Go(func() { s.visit(t, "") })
	}
	running.Wait()
	if got, want := s.visit(t, s.admin), fmt.Sprintf(`{"text":"Welcome, admin!","visits":%d}`, visitors+1); got != want {
		t.Errorf("the plugin answers %s, want %s", got, want)
	}

	// The next version wants hooks and events; the handlers store what they are told.
	res := s.Install(t, s.admin, "plugin", testkit.PluginArchive(t, visitsManifest("http://"+address, map[string]any{
		"version":   "1.1.0",
		"lifecycle": map[string]any{"onEnable": true, "onDisable": true},
		"events":    map[string]any{"subscribe": []string{"user.registered"}, "path": "/events"},
	}), nil))
	if res.Status != http.StatusOK {
		t.Fatalf("upgrade = %d %s", res.Status, res.Body)
	}
	s.change(t, map[string]any{"enabled": false})
	s.change(t, map[string]any{"enabled": true})
	values := &storage.Service{Store: store.NewPluginStorage(s.DB), Now: time.Now}
	stored := func(key string) func() bool {
		return func() bool {
			e, err := values.Get(t.Context(), s.id, key)
			return err == nil && string(e.Data) == "1"
		}
	}
	waittest.True(t, "OnEnable has stored", stored("enabled"))
	s.Register(t, "ada")
	waittest.True(t, "the handler of user.registered has stored", stored("members"))
}

// inHandler calls the plugin through the gateway, and test in its handler.
func inHandler(t *testing.T, config map[string]any, test func(s pluginShop, stoa *plugin.Context)) {
	t.Helper()
	v := &plugin.Verifier{}
	var s pluginShop
	srv := httptest.NewServer(v.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		test(s, plugin.FromContext(r.Context()))
	})))
	t.Cleanup(srv.Close)
	s = installPlugin(t, srv.URL)
	v.Secrets = []string{s.secret}
	s.configure(t, config)
	s.visit(t, s.admin)
}

func TestTheClientReadsTheShop(t *testing.T) {
	t.Parallel()

	large := strings.Repeat("x", 20_000) // too large for the header
	inHandler(t, map[string]any{"greeting": "Hi", "filler": large}, func(s pluginShop, stoa *plugin.Context) {
		ctx, p := t.Context(), stoa.Platform
		if stoa.InstallationID != s.id || stoa.Slug != "visits" || stoa.Role != plugin.RoleAdmin || stoa.UserID == "" ||
			!stoa.Can("users:email") || stoa.Caller != "shop" || stoa.ClientIP == "" || stoa.RequestID == "" {
			t.Errorf("context = %+v", stoa)
		}
		var config struct{ Greeting, Filler string }
		if err := stoa.Config(ctx, &config); err != nil || config.Greeting != "Hi" || config.Filler != large {
			t.Errorf("Config = %d bytes, %v", len(config.Filler), err)
		}

		s.BuyMailPack(t)
		products, err := p.Products(ctx, url.Values{"q": {"mail"}, "limit": {"1"}})
		if err != nil || len(products.Items) != 1 || products.Pagination.Limit != 1 {
			t.Fatalf("Products = %+v, %v", products, err)
		}
		detail, err := p.Product(ctx, products.Items[0].Slug)
		if err != nil || detail.Name != products.Items[0].Name || len(detail.PricingTiers) == 0 {
			t.Errorf("Product = %+v, %v", detail, err)
		}
		orders, err := p.Orders(ctx, url.Values{"status": {"paid"}})
		if err != nil || len(orders.Items) != 1 {
			t.Fatalf("Orders = %+v, %v", orders, err)
		}
		order, err := p.Order(ctx, orders.Items[0].ID)
		if err != nil || order.ProductID != detail.ID || order.CreatedAt.IsZero() {
			t.Errorf("Order = %+v, %v", order, err)
		}
		license, err := p.License(ctx, order.LicenseID)
		if err != nil || license.Status != "active" || license.ID == "" {
			t.Errorf("License = %+v, %v", license, err)
		}
		if licenses, err := p.Licenses(ctx, nil); err != nil || len(licenses.Items) != 1 {
			t.Errorf("Licenses = %+v, %v", licenses, err)
		}
		user, err := p.User(ctx, stoa.UserID)
		if err != nil || user.Username != "root" || user.Email == "" {
			t.Errorf("User = %+v, %v", user, err)
		}
		if users, err := p.Users(ctx, nil); err != nil || users.Pagination.Total < 1 {
			t.Errorf("Users = %+v, %v", users, err)
		}
		if _, err := p.Order(ctx, "none"); !errors.Is(err, plugin.ErrNotFound) {
			t.Errorf("an unknown order = %v", err)
		}
		for path, v := range map[string]any{
			"products": &plugin.Page[plugin.Product]{}, "orders": &plugin.Page[plugin.Order]{},
			"licenses": &plugin.Page[plugin.License]{}, "users": &plugin.Page[plugin.User]{},
			"products/" + detail.Slug: &plugin.ProductDetail{},
		} {
			wantKnown(t, s, p.Token, path, v)
		}
	})
}

// wantKnown checks that the SDK's type has every field that stoa sends.
func wantKnown(t *testing.T, s pluginShop, token, path string, v any) {
	t.Helper()
	res := s.Do(t, testkit.Get(token, "/api/v1/platform/"+path))
	var envelope struct{ Data json.RawMessage }
	if err := json.Unmarshal(res.Body, &envelope); err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(envelope.Data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Errorf("%s: %v", path, err)
	}
}

func TestTheClientStores(t *testing.T) {
	t.Parallel()

	inHandler(t, map[string]any{"greeting": "Hi"}, func(_ pluginShop, stoa *plugin.Context) {
		ctx, s := t.Context(), stoa.Platform.Storage()
		for _, key := range []string{"cart/ä b?&#%2F", ".", "..", "a.b"} {
			put, err := s.Put(ctx, key, []byte("one"), plugin.PutOptions{IfAbsent: true, ContentType: "text/plain"})
			if err != nil || !put.Created || put.Key != key || put.Size != 3 {
				t.Errorf("Put %q = %+v, %v", key, put, err)
			}
			got, err := s.Get(ctx, key)
			if err != nil || string(got.Data) != "one" || got.ContentType != "text/plain" || got.ETag != put.ETag {
				t.Errorf("Get %q = %+v, %v", key, got, err)
			}
			if _, err := s.Put(ctx, key, nil, plugin.PutOptions{IfAbsent: true}); !errors.Is(err, plugin.ErrChanged) {
				t.Errorf("Put %q where something is = %v, want ErrChanged", key, err)
			}
			next, err := s.PutJSON(ctx, key, 2, plugin.PutOptions{IfMatch: put.ETag, TTL: time.Hour})
			if err != nil || next.Created || next.ExpiresAt == nil {
				t.Errorf("PutJSON %q = %+v, %v", key, next, err)
			}
			if err := s.Delete(ctx, key, put.ETag); !errors.Is(err, plugin.ErrChanged) {
				t.Errorf("Delete of another version of %q = %v, want ErrChanged", key, err)
			}
			n := 0
			if err := s.GetJSON(ctx, key, &n); err != nil || n != 2 {
				t.Errorf("GetJSON %q = %d, %v", key, n, err)
			}
		}
		page, err := s.List(ctx, plugin.KeyQuery{Limit: 3})
		if err != nil || len(page.Items) != 3 || page.NextCursor == "" {
			t.Errorf("List = %+v, %v", page, err)
		}
		page, err = s.List(ctx, plugin.KeyQuery{Cursor: page.NextCursor})
		if err != nil || len(page.Items) != 1 || page.NextCursor != "" {
			t.Errorf("the second page = %+v, %v", page, err)
		}
		page, err = s.List(ctx, plugin.KeyQuery{Prefix: "cart/"})
		if err != nil || len(page.Items) != 1 {
			t.Errorf("List of a prefix = %+v, %v", page, err)
		}
		for range 2 {
			if err := s.Delete(ctx, "a.b", ""); err != nil {
				t.Errorf("Delete = %v", err)
			}
		}
		if _, err := s.Get(ctx, "a.b"); !errors.Is(err, plugin.ErrNotFound) {
			t.Errorf("Get of nothing = %v, want ErrNotFound", err)
		}

		refusal := errors.New("no more")
		if _, err := plugin.Update(ctx, s, "n", func(int) (int, error) { return 1, refusal }); !errors.Is(err, refusal) {
			t.Errorf("Update = %v, want the error of its function", err)
		}
		calls := 0
		n, err := plugin.Update(ctx, s, "n", func(n int) (int, error) {
			if calls++; calls == 1 { // somebody is faster
				_, err := s.PutJSON(ctx, "n", 41, plugin.PutOptions{})
				return n, err
			}
			return n + 1, nil
		})
		if err != nil || n != 42 || calls != 2 {
			t.Errorf("Update = %d, %v after %d calls, want 42 after 2", n, err, calls)
		}
	})
}

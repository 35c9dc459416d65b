package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"stoa/internal/testkit"
)

// world is a stoa that has one of everything that an identifier in a path can name.
type world struct {
	*testkit.Echo

	user   testkit.Tokens
	plugin string            // a token of the platform API
	names  map[string]string // by the part of a path that ends with the parameter
}

func newWorld(t *testing.T, options ...testkit.Option) *world {
	t.Helper()
	a := testkit.NewShop(t, options...)
	w := &world{Echo: a.InstallEcho(t, map[string]any{
		"permissions": []string{
			"products:read", "orders:read", "licenses:read", "users:read", "users:email", "storage:read", "storage:write",
			"events:publish",
		},
	})}
	// A redirect is an answer like any other.
	a.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	root := w.Admin.Access
	w.user = a.Register(t, "ada")
	a.Fetch(t, testkit.EchoPath+"/api/x")
	w.plugin = w.Reached().Header.Get("X-Platform-Token")

	bought := a.Buy(t, w.user.Access, "once")
	licenseID := a.UseLicense(t, bought.Text(t, "licenseKey"))
	a.Review(t, w.user.Access, `{"rating":5,"title":"Good"}`, http.StatusCreated)
	a.Install(t, root, "theme-shop", testkit.ThemePack(t, "plain", "1.0.0", nil, nil))
	hook := a.Do(t, testkit.Post(root, "/api/v1/admin/webhooks", map[string]any{
		"url": "https://hooks.example/x", "events": []string{"order.paid"}, "enabled": false,
	}))
	picture := a.Do(t, testkit.Request{
		Method: "POST", Path: "/api/v1/admin/media", Token: root, Body: testkit.SVG,
		Header: http.Header{"Content-Type": {"image/svg+xml"}},
	})
	first := func(token, path, name string) string {
		t.Helper()
		items, _ := a.Do(t, testkit.Get(token, path)).Get(t, "data.items").([]any)
		if len(items) == 0 {
			t.Fatalf("%s lists nothing", path)
		}
		value, _ := items[0].(map[string]any)[name].(string)
		return value
	}
	_, file, _ := strings.Cut(picture.Text(t, "data.path"), "/media/")
	w.names = map[string]string{
		"sessions/{id}": first(w.user.Access, "/auth/sessions", "id"), "{sessionId}": "none", "users/{id}": w.user.UserID,
		"products/{slug}": "mail-pack", "p/{slug}": "mail-pack", "checkout/{slug}": "mail-pack", "{tier}": "once",
		"licenses/{id}": licenseID, "{instanceId}": "first.example",
		"orders/{id}": bought.Text(t, "orderId"), "portal/{id}": "none", "reviews/{id}": first(root, "/api/v1/admin/reviews", "id"),
		"media/{file}": file, "{file}": "x.css", "{language}": "en", "{version}": "1.0.0", "market/{slug}": "mail-pack", "tuf/{file}": "timestamp.json", "targets/{path}": "none", "packages/{slug}": "mail-pack", "handoffs/{id}": "none", "market-operations/{id}": "none", "{market}": "self",
		"{kind}": "plugin", "{target}": "shop", "themes/{target}/{slug}": "plain", "theme-app/{target}/{slug}": "plain",
		"{slug}": "echo", "{installationId}": w.ID,
		"passkeys/{id}": "none", "impersonations/{id}": "none", "api-keys/{id}": "none", "service-accounts/{id}": "none", "invitations/{id}": "none", "discounts/{id}": "none", "mail-templates/{kind}": "receipt", "{lang}": "en", "{keyId}": "none", "export/{id}": "none", "{exportId}": "none", "identities/{id}": "none", "webhooks/{id}": hook.Text(t, "data.id"), "{deliveryId}": "none",
		"{key}": "k", "{path}": "x", "{name}": "SUPPORT",
	}
	return w
}

// token returns the token of somebody who may call an operation.
func (w *world) token(op testkit.Operation) string {
	switch {
	case slices.Contains(op.Callers, "pluginToken"):
		return w.plugin
	case strings.Contains(op.Path, "/admin/"):
		return w.Admin.Access
	case slices.Contains(op.Callers, "accessToken"):
		return w.user.Access
	}
	return ""
}

// at returns the path of an operation. value, if not empty, stands for the parameter param, and names
// that exist for all others.
func (w *world) at(t *testing.T, op testkit.Operation, param, value string) string {
	t.Helper()
	path := op.Path
	for _, p := range op.Params {
		if p.In != "path" {
			continue
		}
		before, _, _ := strings.Cut(op.Path, "{"+p.Name+"}")
		found, best := "", ""
		for ending, name := range w.names {
			if strings.HasSuffix(before+"{"+p.Name+"}", ending) && len(ending) > len(best) {
				found, best = name, ending
			}
		}
		if best == "" {
			t.Fatalf("the world has nothing for {%s} of %s", p.Name, op.Path)
		}
		if p.Name == param {
			found = value
		}
		path = strings.Replace(path, "{"+p.Name+"}", found, 1)
	}
	return path
}

// request returns a call of an operation as somebody who may, with its example as body.
func (w *world) request(t *testing.T, op testkit.Operation, path string) testkit.Request {
	t.Helper()
	r := testkit.Request{Method: op.Method, Path: path, Token: w.token(op), Body: op.Example}
	if op.Example == nil && slices.Contains(op.BodyTypes, "application/zip") {
		r.Body = testkit.ExternalPlugin(t, "other", nil)
		r.Header = http.Header{"Content-Type": {"application/zip"}}
	}
	return r
}

// inEachWorld runs test on both engines.
func inEachWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	testkit.OnEachEngine(t, func(t *testing.T, options ...testkit.Option) {
		t.Helper()
		test(t, newWorld(t, options...))
	})
}

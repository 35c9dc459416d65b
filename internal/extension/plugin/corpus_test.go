package plugin_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension/plugin"
)

// fields is a part of a manifest.
type fields = map[string]any

// corpus are the shapes that fields of manifests have in the world: of plugins, generators and
// documents that others wrote. stoa reads them all, whatever it makes of them.
var corpus = []struct {
	name   string
	fields fields
}{
	{"a page as a path", fields{"adminUi": "/admin/"}},
	{"a page as a path without a slash", fields{"adminUi": "/admin"}},
	{"a page with a query", fields{"adminUi": "/admin?view=all"}},
	{"a page as an entry path", fields{"adminUi": fields{"entryPath": "/admin", "label": "Rates", "icon": "Truck"}}},
	{"a page as a path in an object", fields{"adminUi": fields{"path": "/admin/settings", "label": "Rates", "icon": "truck"}}},
	{"a page with both", fields{"adminUi": fields{"entryPath": "/admin/", "path": "/admin/old"}}},
	{"a page with more", fields{"adminUi": fields{
		"entryPath": "/admin", "section": "sales", "order": 100, "permissions": []string{"orders:read"}, "menu": fields{"id": "x"},
	}}},
	{"a page with an icon alone", fields{"adminUi": fields{"icon": "Activity"}}},
	{"a page elsewhere in the plugin", fields{"adminUi": fields{"entryPath": "/dashboard", "label": "Rates"}}},
	{"a page below the API", fields{"adminUi": fields{"path": "/api/admin/index.html"}}},
	{"a label in languages", fields{"adminUi": fields{"path": "/admin/", "label": fields{"en": "Rates", "de": "Tarife"}}}},
	{"an empty page", fields{"adminUi": fields{}}},
	{"no page", fields{"adminUi": nil}},
	{"a page without a path", fields{"adminUi": fields{"entryPath": nil, "path": "/admin/"}}},

	{"protocol of the host", fields{"hostProtocol": "internal-fastify-v1", "trustLevel": "unsigned"}},
	{"contracts", fields{"contracts": []any{fields{"name": "payment", "version": 2}}}},
	{"versions of the API", fields{"minApiVersion": "v1", "requiredApiVersion": fields{"min": "0.2.0", "max": "v2"}, "sdkVersion": "1.2.0"}},
	{"dependencies", fields{"dependencies": fields{"lodash": "^4.17.0"}, "devDependencies": fields{}, "engines": fields{"node": ">=20"}}},
	{"a listing", fields{
		"license": "MIT", "homepage": "https://pay.example", "repository": "https://git.example/pay", "icon": "icon.svg",
		"screenshots": []string{"https://pay.example/1.png"}, "tags": []string{"pay"}, "keywords": []string{"pay"},
	}},
	{"a repository as in package.json", fields{"repository": fields{"type": "git", "url": "https://git.example/pay"}, "bugs": fields{}}},
	{"webhooks", fields{"webhooks": fields{"events": []string{"order.created"}, "url": "/webhooks"}, "requiredScopes": []string{"orders"}}},
	{"subscriptions", fields{"subscriptions": []any{fields{"type": "order.created", "version": 1}}}},
	{"a database", fields{"database": fields{"apiVersion": 1, "migrations": []any{fields{"id": "m1", "order": 1, "path": "m/1.sql"}}}}},
	{"menus and routes", fields{"menu": []any{fields{"label": "Rates"}}, "routes": []any{fields{"method": "GET", "path": "/api/rates"}}, "hooks": fields{}}},
	{"a UI", fields{"ui": fields{"entry": "dist/ui.js"}, "settings": []any{}, "main": "index.js", "type": "module", "$schema": "https://x.example/s.json"}},
	{"permissions with dots and stars", fields{"permissions": []string{"orders.read", "catalog.*", "order:read:own", "network:api.example"}}},
	{"no permissions", fields{"permissions": []string{}}},
	{"capabilities", fields{"capabilities": []string{"webhook.receive", "payment.process", "admin.panel"}}},
	{"hooks that are off", fields{"lifecycle": fields{"onInstall": true, "onEnable": false, "onDisable": nil}}},
	{"a secret in three ways", fields{"configSchema": fields{
		"a": fields{"type": "secret", "label": "Key", "required": true},
		"b": fields{"type": "string", "secret": true, "placeholder": "sk_…", "group": "api"},
		"c": fields{"type": "string", "sensitive": true, "title": "Key", "format": "password", "order": 1},
	}}},
	{"choices and defaults", fields{"configSchema": fields{
		"mode": fields{"type": "string", "enum": []string{"test", "live"}, "default": "test"},
		"max":  fields{"type": "number", "default": 5, "min": 1, "max": 9}, "on": fields{"type": "boolean", "default": true},
	}}},
	{"extensions of themes", fields{"themeExtensions": fields{
		"blocks": []any{fields{"extensionId": "badge", "name": "Badge", "schema": fields{"type": "object"}, "dataEndpoint": "/api/badge"}},
		"embeds": []any{fields{"extensionId": "pixel", "name": "Pixel", "targetPosition": "head-end", "icon": "x"}},
	}}},
	{"empty texts", fields{"description": "", "author": "", "authorUrl": "", "category": ""}},
	{"any category", fields{"category": "A category of our own"}},
	{"both runtimes' fields", fields{"externalBaseUrl": "https://pay.example"}},
}

func TestManifestsOfTheWorldAreRead(t *testing.T) {
	t.Parallel()
	for _, tt := range corpus {
		for kind, base := range map[string]fields{"internal": valid(nil), "external": ext("https://pay.example")} {
			t.Run(tt.name+", "+kind, func(t *testing.T) {
				t.Parallel()
				text, err := json.Marshal(base)
				if err != nil {
					t.Fatal(err)
				}
				var whole fields
				if err := json.Unmarshal(text, &whole); err != nil {
					t.Fatal(err)
				}
				for name, value := range tt.fields {
					whole[name] = value
				}
				m, err := parse(t, whole)
				if err != nil {
					t.Fatalf("refused: %q", paths(t, err))
				}
				// The console and others read what stoa does not: every field is kept.
				again, err := plugin.DecodeManifest(m.Raw)
				if err != nil {
					t.Fatal(err)
				}
				var kept any
				if err := json.Unmarshal(again.Raw, &kept); err != nil {
					t.Fatal(err)
				}
				want, _ := json.Marshal(whole)
				got, _ := json.Marshal(kept)
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("kept (-want +got):\n%s", diff)
				}
			})
		}
	}
}

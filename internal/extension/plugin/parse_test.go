package plugin_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/config"
	"stoa/internal/extension/plugin"
)

// valid returns a valid manifest with changes: a nil value removes the field.
func valid(changes map[string]any) map[string]any {
	m := map[string]any{
		"schemaVersion": 1, "slug": "pay", "name": "Pay", "version": "1.0.0",
		"runtimeType": "internal-fastify", "entryModule": "dist/index.js",
	}
	maps.Copy(m, changes)
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	return m
}

// parse parses a manifest of a package that holds dist/index.js and index.js.
func parse(tb testing.TB, m any) (plugin.Manifest, error) {
	tb.Helper()
	raw, is := m.([]byte)
	if !is {
		var err error
		if raw, err = json.Marshal(m); err != nil {
			tb.Fatal(err)
		}
	}
	return plugin.ParseManifest(raw,
		func(name string) bool { return name == "dist/index.js" || name == "index.js" || name == "a.mjs" })
}

// paths returns "path code" of every issue of an INVALID_MANIFEST error.
func paths(tb testing.TB, err error) []string {
	tb.Helper()
	if err == nil {
		return nil
	}
	e, is := errors.AsType[*errs.Error](err)
	if !is || e.Kind != errs.Invalid || e.Code != plugin.CodeInvalidManifest {
		tb.Fatalf("error = %v, want %s", err, plugin.CodeInvalidManifest)
	}
	var out []string
	for _, is := range e.Details["issues"].([]errs.Issue) {
		out = append(out, is.Path+" "+is.Code)
		if !strings.HasPrefix(is.Message, is.Path) {
			tb.Errorf("message %q does not name %s", is.Message, is.Path)
		}
	}
	return out
}

func ext(url any) map[string]any {
	return valid(map[string]any{"runtimeType": "external-http", "entryModule": nil, "externalBaseUrl": url})
}

func schema(field any) map[string]any {
	return valid(map[string]any{"configSchema": map[string]any{"key": field}})
}

func routes(r ...any) map[string]any {
	return valid(map[string]any{"permissions": []string{"orders:read"}, "routePermissions": r})
}

var manifests = []struct {
	name     string
	manifest any
	want     []string // "path code" of each issue
}{
	{"smallest internal", valid(nil), nil},
	{"smallest external", ext("https://pay.example"), nil},
	{"unknown fields", valid(map[string]any{"x-custom": []int{1}}), nil},
	{
		"null is absent",
		[]byte(
			`{"schemaVersion":1,"slug":"pay","name":"Pay","version":"1.0.0","runtimeType":"internal-fastify",` +
				`"entryModule":"index.js","permissions":null,"configSchema":null,"lifecycle":null,"themeExtensions":null,` +
				`"sdkVersion":null,"author":null}`,
		),
		nil,
	},

	{"not JSON", []byte(`{`), []string{" malformed"}},
	{"two values", []byte(`{}{}`), []string{" malformed"}},
	{"not UTF-8", []byte("{\"slug\":\"\xff\"}"), []string{" not_unicode"}},
	{"an array", []byte(`[]`), []string{" wrong_type"}},
	{"null", []byte(`null`), []string{" wrong_type"}},
	{"nothing", []byte(``), []string{" malformed"}},
	{
		"empty object",
		map[string]any{},
		[]string{"schemaVersion required", "slug required", "version required", "name required", "runtimeType required"},
	},
	{
		"names in another case",
		[]byte(`{"SchemaVersion":1,"Slug":"pay","NAME":"Pay","Version":"1.0.0","RuntimeType":"internal-fastify"}`),
		[]string{"schemaVersion required", "slug required", "version required", "name required", "runtimeType required"},
	},
	{
		"everything of the wrong type",
		map[string]any{
			"schemaVersion": "1", "slug": 1, "name": []int{}, "version": 1.0, "sdkVersion": true, "description": 1, "author": 1,
			"authorUrl": 1, "category": 1, "runtimeType": 1, "externalBaseUrl": 1, "entryModule": 1, "permissions": "a",
			"capabilities": 1, "lifecycle": []int{}, "configSchema": 1, "themeExtensions": 1, "routePermissions": 1, "export": "yes",
		},
		[]string{
			"schemaVersion wrong_type", "slug wrong_type", "version wrong_type", "sdkVersion wrong_type",
			"permissions wrong_type",
			"capabilities wrong_type", "lifecycle wrong_type", "configSchema wrong_type", "themeExtensions wrong_type", "export wrong_type",
			"name wrong_type", "author wrong_type", "authorUrl wrong_type", "description wrong_type", "category wrong_type",
			"routePermissions wrong_type", "runtimeType wrong_type", "externalBaseUrl wrong_type", "entryModule wrong_type",
		},
	},
	{"schemaVersion 2", valid(map[string]any{"schemaVersion": 2}), []string{"schemaVersion unknown_value"}},
	{"schemaVersion 1.0", valid(map[string]any{"schemaVersion": json.Number("1.0")}), nil},
	{"schemaVersion 1.5", valid(map[string]any{"schemaVersion": 1.5}), []string{"schemaVersion unknown_value"}},

	{"shortest slug", valid(map[string]any{"slug": "ab"}), nil},
	{"slug too short", valid(map[string]any{"slug": "a"}), []string{"slug out_of_range"}},
	{"longest slug", valid(map[string]any{"slug": "a" + strings.Repeat("-", 30) + "9"}), nil},
	{"slug too long", valid(map[string]any{"slug": strings.Repeat("a", 33)}), []string{"slug out_of_range"}},
	{"slug in upper case", valid(map[string]any{"slug": "Pay"}), []string{"slug invalid"}},
	{"slug that begins with a digit", valid(map[string]any{"slug": "1pay"}), []string{"slug invalid"}},
	{"slug that ends with a hyphen", valid(map[string]any{"slug": "pay-"}), []string{"slug invalid"}},
	{"slug and a line feed", valid(map[string]any{"slug": "pay\n"}), []string{"slug invalid"}},
	{"slug that climbs", valid(map[string]any{"slug": "../pay"}), []string{"slug invalid"}},
	{"reserved slug", valid(map[string]any{"slug": "install"}), []string{"slug reserved"}},
	{"empty slug", valid(map[string]any{"slug": ""}), []string{"slug required"}},

	{"empty name", valid(map[string]any{"name": ""}), []string{"name required"}},
	{"name with NUL", valid(map[string]any{"name": "a\x00b"}), []string{"name out_of_range"}},
	{"description of several lines", valid(map[string]any{"description": "a\nb\tc"}), nil},

	{"version with v", valid(map[string]any{"version": "v1.0.0"}), []string{"version invalid"}},
	{"pre-release version", valid(map[string]any{"version": "1.0.0-rc.1"}), []string{"version invalid"}},
	{"version with build metadata", valid(map[string]any{"version": "1.0.0+7"}), []string{"version invalid"}},
	{"version of two numbers", valid(map[string]any{"version": "1.0"}), []string{"version invalid"}},
	{"version in other digits", valid(map[string]any{"version": "١.٠.٠"}), []string{"version invalid"}},
	{"longest version", valid(map[string]any{"version": strings.Repeat("1", 60) + ".0.0"}), nil},
	{
		"version too long", valid(map[string]any{"version": strings.Repeat("1", 61) + ".0.0"}),
		[]string{"version out_of_range"},
	},
	{"sdkVersion", valid(map[string]any{"sdkVersion": "2.10.3"}), nil},
	{"sdkVersion range", valid(map[string]any{"sdkVersion": "^2.0.0"}), []string{"sdkVersion invalid"}},

	{"unknown runtime", valid(map[string]any{"runtimeType": "docker"}), []string{"runtimeType unknown_value"}},
	{"internal without module", valid(map[string]any{"entryModule": nil}), []string{"entryModule required"}},
	{"external without URL", ext(nil), []string{"externalBaseUrl required"}},
	{"module with a dot in front", valid(map[string]any{"entryModule": "./dist/index.js"}), nil},
	{"module that climbs", valid(map[string]any{"entryModule": "../index.js"}), []string{"entryModule invalid"}},
	{"module at an absolute path", valid(map[string]any{"entryModule": "/index.js"}), []string{"entryModule invalid"}},
	{"module with a backslash", valid(map[string]any{"entryModule": `dist\index.js`}), []string{"entryModule invalid"}},
	{"module that is absent", valid(map[string]any{"entryModule": "lib/index.js"}), []string{"entryModule invalid"}},
	{"module that is no .js file", valid(map[string]any{"entryModule": "a.mjs"}), []string{"entryModule invalid"}},
	{"empty module", valid(map[string]any{"entryModule": ""}), []string{"entryModule invalid"}},

	{"URL with path and port", ext("http://10.0.0.1:8080/base"), nil},
	{"page for administrators", valid(map[string]any{"adminUi": "/admin/index.html?view=all"}), nil},
	{"page elsewhere", valid(map[string]any{"adminUi": "/api/page"}), []string{"adminUi invalid"}},
	{"page above", valid(map[string]any{"adminUi": "/admin/../api"}), []string{"adminUi invalid"}},
	{"page above, encoded", valid(map[string]any{"adminUi": "/admin/%2e%2e/api"}), []string{"adminUi invalid"}},
	{"page above, backslashes", valid(map[string]any{"adminUi": `/admin/..\..\api`}), []string{"adminUi invalid"}},
	{"page of another host", valid(map[string]any{"adminUi": "//admin/admin/"}), []string{"adminUi invalid"}},
	{"page beside", valid(map[string]any{"adminUi": "/administration"}), []string{"adminUi invalid"}},
	{"page that is no text", valid(map[string]any{"adminUi": true}), []string{"adminUi wrong_type"}},
	{"pages", valid(map[string]any{"adminUi": []any{"/admin/"}}), []string{"adminUi wrong_type"}},
	{
		"paths that are none", valid(map[string]any{"adminUi": map[string]any{"entryPath": "https://x.example/admin/", "path": 1}}),
		[]string{"adminUi.entryPath invalid", "adminUi.path wrong_type"},
	},
	{
		"paths of other hosts", valid(map[string]any{"adminUi": map[string]any{"entryPath": "//x.example/", "path": `/\x.example/`}}),
		[]string{"adminUi.entryPath invalid", "adminUi.path invalid"},
	},
	{
		"a label that is not what it looks like",
		valid(map[string]any{"adminUi": map[string]any{"path": "/admin/", "label": "Settings\u202e"}}),
		[]string{"adminUi.label out_of_range"},
	},
	{"path without a slash", valid(map[string]any{"adminUi": map[string]any{"path": "admin"}}), []string{"adminUi.path invalid"}},
	{"relative URL", ext("/plugin"), []string{"externalBaseUrl invalid"}},
	{"URL without scheme", ext("pay.example"), []string{"externalBaseUrl invalid"}},
	{"URL without host", ext("http://"), []string{"externalBaseUrl invalid"}},
	{"URL with port only", ext("http://:80"), []string{"externalBaseUrl invalid"}},
	{"other scheme", ext("ftp://pay.example"), []string{"externalBaseUrl invalid"}},
	{"script", ext("javascript:alert(1)"), []string{"externalBaseUrl invalid"}},
	{"URL with credentials", ext("https://u:p@pay.example"), []string{"externalBaseUrl invalid"}},
	{"URL with query", ext("https://pay.example/?a=1"), []string{"externalBaseUrl invalid"}},
	{"URL with fragment", ext("https://pay.example/#a"), []string{"externalBaseUrl invalid"}},

	{"permissions", valid(map[string]any{"permissions": []string{"orders:read", "network:api.example"}}), nil},
	{
		"hosts", valid(map[string]any{"permissions": []string{
			"network:API.example.com:8443", "network:192.0.2.7", "network:[2001:db8::7]:81", "network:localhost:5432",
		}}), nil,
	},
	{
		"no hosts", valid(map[string]any{"permissions": []string{
			"network:*.example.com", "network:", "network:example.com:99999", "network:example.com:80:1", "network:*",
		}}),
		[]string{
			"permissions[0] invalid", "permissions[1] invalid", "permissions[2] invalid", "permissions[3] invalid",
			"permissions[4] invalid",
		},
	},
	{
		"permission twice", valid(map[string]any{"permissions": []string{"a:b", "a:b"}}),
		[]string{"permissions[1] duplicate"},
	},
	{
		"permissions of other types", valid(map[string]any{"permissions": []any{"a:b", 1, nil, ""}}),
		[]string{"permissions[1] wrong_type", "permissions[2] wrong_type", "permissions[3] out_of_range"},
	},
	{
		"permission that would split a header", valid(map[string]any{"permissions": []string{"a\r\nb", "a,b", "a b"}}),
		[]string{"permissions[0] invalid", "permissions[1] invalid", "permissions[2] invalid"},
	},
	{
		"capabilities of other types", valid(map[string]any{"capabilities": []any{"a", 1}}),
		[]string{"capabilities[1] wrong_type"},
	},

	{"lifecycle", valid(map[string]any{"lifecycle": map[string]any{
		"onInstall": true, "onEnable": false,
		"onDisable": true, "onUninstall": true, "onUpgrade": true,
	}}), nil},
	{
		"unknown hook", valid(map[string]any{"lifecycle": map[string]any{"onBoot": true}}),
		[]string{"lifecycle.onBoot unknown_value"},
	},
	{
		"hook of another type", valid(map[string]any{"lifecycle": map[string]any{"onInstall": "yes"}}),
		[]string{"lifecycle.onInstall wrong_type"},
	},

	{
		"secret field",
		schema(map[string]any{"type": "secret", "label": "Key", "required": true, "secret": true, "description": "d"}),
		nil,
	},
	{"sensitive field", schema(map[string]any{"type": "text", "sensitive": true}), nil},
	{
		"sensitive of another type", schema(map[string]any{"type": "text", "sensitive": "yes"}),
		[]string{"configSchema.key.sensitive wrong_type"},
	},
	{"field of unknown type", schema(map[string]any{"type": "color-wheel"}), nil},
	{"password field", schema(map[string]any{"type": "password"}), []string{"configSchema.key.type invalid"}},
	{"field without type", schema(map[string]any{"label": "Key"}), []string{"configSchema.key.type required"}},
	{"field that is no object", schema("string"), []string{"configSchema.key wrong_type"}},
	{
		"field of wrong types",
		schema(map[string]any{"type": 1, "label": 1, "required": "yes", "secret": 0, "description": false}),
		[]string{
			"configSchema.key.required wrong_type", "configSchema.key.secret wrong_type", "configSchema.key.label wrong_type",
			"configSchema.key.description wrong_type", "configSchema.key.type wrong_type",
		},
	},

	{"embeds", valid(map[string]any{"themeExtensions": map[string]any{
		"blocks": []any{extension("b", map[string]any{"schema": map[string]any{"title": "text"}, "custom": 1})},
		"embeds": []any{
			extension("b", map[string]any{"targetPosition": "head-end", "dataEndpoint": "/api/data?a=b"}),
			extension("c", map[string]any{"targetPosition": "body-end"}),
		},
	}}), nil},
	{
		"extensions without anything",
		valid(map[string]any{"themeExtensions": map[string]any{"blocks": []any{map[string]any{}}, "embeds": []any{
			map[string]any{},
		}}}),
		[]string{
			"themeExtensions.blocks[0].extensionId required", "themeExtensions.blocks[0].name required",
			"themeExtensions.embeds[0].extensionId required", "themeExtensions.embeds[0].name required",
			"themeExtensions.embeds[0].targetPosition required",
		},
	},
	{
		"extensions with wrong values",
		valid(map[string]any{"themeExtensions": map[string]any{"blocks": []any{
			extension("a", nil), extension("a", map[string]any{"schema": []any{}}),
			extension("a b", map[string]any{"dataEndpoint": "/health"}),
			extension("d", map[string]any{"dataEndpoint": "https://x.example/api/data"}),
			extension("e", map[string]any{"dataEndpoint": "/api/../health"}),
			extension("f", map[string]any{"dataEndpoint": "/api/x#y"}),
			extension("g", map[string]any{"dataEndpoint": "//api/x"}),
			extension("h", map[string]any{"dataEndpoint": "/api/%2e%2e/health"}),
			extension("i", map[string]any{"dataEndpoint": "/api/x?a=b&installationId=1"}),
			extension("j", map[string]any{"dataEndpoint": "/api/x?%69nstallation=1"}),
			extension(strings.Repeat("x", 65), map[string]any{"dataEndpoint": 1}),
		}}}),
		[]string{
			"themeExtensions.blocks[1].extensionId duplicate", "themeExtensions.blocks[1].schema wrong_type",
			"themeExtensions.blocks[2].extensionId invalid", "themeExtensions.blocks[2].dataEndpoint invalid",
			"themeExtensions.blocks[3].dataEndpoint invalid", "themeExtensions.blocks[4].dataEndpoint invalid",
			"themeExtensions.blocks[5].dataEndpoint invalid", "themeExtensions.blocks[6].dataEndpoint invalid",
			"themeExtensions.blocks[7].dataEndpoint invalid",
			"themeExtensions.blocks[8].dataEndpoint invalid", "themeExtensions.blocks[9].dataEndpoint invalid",
			"themeExtensions.blocks[10].extensionId out_of_range", "themeExtensions.blocks[10].dataEndpoint wrong_type",
		},
	},
	{
		"embed at another position",
		valid(map[string]any{"themeExtensions": map[string]any{"embeds": []any{
			extension("e", map[string]any{"targetPosition": "body-start"}),
		}}}),
		[]string{"themeExtensions.embeds[0].targetPosition unknown_value"},
	},
	{
		"embed without position",
		valid(map[string]any{"themeExtensions": map[string]any{"embeds": []any{extension("e", nil)}}}),
		[]string{"themeExtensions.embeds[0].targetPosition required"},
	},
	{
		"blocks and embeds of other types",
		valid(map[string]any{"themeExtensions": map[string]any{"blocks": []any{1}, "embeds": "x"}}),
		[]string{"themeExtensions.blocks[0] wrong_type", "themeExtensions.embeds wrong_type"},
	},

	{
		"route permissions", routes(map[string]any{"method": "GET", "path": "/api/orders", "permission": "orders:read"}),
		nil,
	},
	{
		"route with a permission not declared",
		routes(map[string]any{"method": "GET", "path": "/api/x", "permission": "orders:write"}),
		[]string{"routePermissions[0].permission unknown_value"},
	},
	{
		"route without anything", routes(map[string]any{}),
		[]string{
			"routePermissions[0].method required", "routePermissions[0].path required",
			"routePermissions[0].permission required",
		},
	},
	{
		"route of a relative path", routes(map[string]any{"method": "GET", "path": "api", "permission": "orders:read"}),
		[]string{"routePermissions[0].path invalid"},
	},
	{"route that is no object", routes(7), []string{"routePermissions[0] wrong_type"}},
}

// extension is a UI extension point with that id and changes.
func extension(id string, changes map[string]any) map[string]any {
	e := map[string]any{"extensionId": id, "name": "Extension"}
	maps.Copy(e, changes)
	return e
}

func TestParseManifest(t *testing.T) {
	t.Parallel()

	for _, tt := range manifests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			_, err := parse(t, tt.manifest)
			if diff := cmp.Diff(tt.want, paths(t, err)); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseManifestKeepsEverything(t *testing.T) {
	t.Parallel()

	raw := []byte(
		`{"schemaVersion":1, "slug":"pay","name":"Pay","version":"1.0.0","sdkVersion":"2.0.0","author":"A","authorUrl":"https://a.example",
		"description":"D","category":"payment","runtimeType":"external-http","externalBaseUrl":"https://pay.example","custom":{"x":1},
		"permissions":["a:b"],"capabilities":["c"],"lifecycle":{"onEnable":true,"onInstall":true,"onDisable":false},
		"configSchema":{"k":{"type":"string","label":"L","required":true,"secret":true,"description":"D"}},
		"routePermissions":[{"method":"GET","path":"/api/x","permission":"a:b"}],"export":true}`,
	)
	m, err := parse(t, raw)
	if err != nil {
		t.Fatal(err)
	}
	want := plugin.Manifest{
		Export: true, SchemaVersion: 1, Slug: "pay", Name: "Pay", Version: "1.0.0", SDKVersion: "2.0.0", Author: "A",
		AuthorURL:   "https://a.example",
		Description: "D", Category: "payment", RuntimeType: plugin.External, ExternalBaseURL: "https://pay.example",
		Permissions: []string{"a:b"}, Capabilities: []string{"c"},
		Lifecycle: map[string]bool{"onEnable": true, "onInstall": true, "onDisable": false},
		ConfigSchema: config.Schema{
			"k": {Type: "string", Label: "L", Required: true, Secret: true, Description: "D"},
		},
		RoutePermissions: []plugin.RoutePermission{{Method: "GET", Path: "/api/x", Permission: "a:b"}},
		Raw:              raw,
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("ParseManifest (-want +got):\n%s", diff)
	}
	again, err := plugin.DecodeManifest(raw)
	if diff := cmp.Diff(m, again); diff != "" || err != nil {
		t.Errorf("DecodeManifest = %v (-parsed +decoded):\n%s", err, diff)
	}
}

// FuzzParseManifest looks for input that makes the parser panic, or that it
// accepts and that then cannot be read back.
func FuzzParseManifest(f *testing.F) {
	f.Add(
		[]byte(
			`{"schemaVersion":1,"slug":"pay","name":"Pay","version":"1.0.0","runtimeType":"internal-fastify",` +
				`"entryModule":"index.js"}`,
		),
	)
	f.Add(
		[]byte(
			`{"themeExtensions":{"embeds":[{"targetPosition":[]}],"blocks":[null]},"configSchema":{"a":{"type":{}}},` +
				`"permissions":[1]}`,
		),
	)
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := plugin.ParseManifest(raw, func(string) bool { return true })
		if err != nil {
			paths(t, err)
			return
		}
		again, err := plugin.DecodeManifest(raw)
		if err != nil || again.Slug != m.Slug || again.Version != m.Version || again.RuntimeType != m.RuntimeType {
			t.Errorf("DecodeManifest = %+v, %v; want %+v", again, err, m)
		}
	})
}

// encoding/json matches names in any case. A manifest must not be one thing when
// it is checked and another when it is read back.
func TestDecodeManifestSeesWhatWasChecked(t *testing.T) {
	t.Parallel()

	raw := []byte(
		`{"schemaVersion":1,"slug":"pay","Slug":"evil","name":"Pay","version":"1.0.0","runtimeType":"internal-fastify",
		"entryModule":"index.js","ENTRYMODULE":"../../evil.js","permissions":["a:b"],"Permissions":["c:d"]}`,
	)
	parsed, err := parse(t, raw)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := plugin.DecodeManifest(raw)
	if diff := cmp.Diff(parsed, decoded); diff != "" || err != nil || decoded.Slug != "pay" {
		t.Errorf("DecodeManifest = %v (-parsed +decoded):\n%s", err, diff)
	}
}

// What was installed before a rule about whole documents was added can still be read.
func TestDecodeManifestReadsDocumentsThatAreRefusedNow(t *testing.T) {
	t.Parallel()

	for name, field := range map[string]string{
		"half a character": `"\ud800"`, "too deep": strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		raw := []byte(`{"schemaVersion":1,"slug":"pay","name":"Pay","version":"1.0.0","runtimeType":"internal-fastify",` +
			`"entryModule":"index.js","x":` + field + `}`)
		if _, err := parse(t, raw); len(paths(t, err)) != 1 {
			t.Errorf("%s: ParseManifest = %v, want one fault", name, err)
		}
		if m, err := plugin.DecodeManifest(raw); err != nil || m.Slug != "pay" || m.EntryModule != "index.js" {
			t.Errorf("%s: DecodeManifest = %+v, %v", name, m, err)
		}
	}
}

// What was installed before a rule was added keeps its permissions.
func TestDecodeManifestKeepsPermissionsThatAreRefusedNow(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(valid(map[string]any{"permissions": []string{"network:*", "orders:read"}}))
	if err != nil {
		t.Fatal(err)
	}
	m, err := plugin.DecodeManifest(raw)
	if err != nil || !slices.Equal(m.Permissions, []string{"network:*", "orders:read"}) {
		t.Errorf("permissions %v, %v", m.Permissions, err)
	}
}

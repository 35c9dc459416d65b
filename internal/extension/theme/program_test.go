package theme_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension"
	"stoa/internal/extension/theme"
)

// appManifest returns the manifest of a theme app with changes; nil removes a field.
func appManifest(tb testing.TB, changes map[string]any) []byte {
	tb.Helper()
	m := map[string]any{
		"schemaVersion": 1, "slug": "corner", "name": "Corner", "version": "1.0.0", "target": "shop",
		"runtime": map[string]any{"entry": "./dist/server.js"}, "healthCheck": map[string]any{"path": "/health?deep=1"},
	}
	maps.Copy(m, changes)
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	text, err := json.Marshal(m)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func hasServer(name string) bool {
	return slices.Contains([]string{"dist/server.js", "dist/server.css", "a.mjs"}, name)
}

func TestParseAppManifest(t *testing.T) {
	t.Parallel()

	raw := appManifest(t, map[string]any{"entry": 7, "extra": true})
	m, err := theme.ParseManifest(extension.ThemeAppShop, raw, hasServer)
	if err != nil {
		t.Fatal(err)
	}
	if want := (theme.Program{Entry: "dist/server.js", Health: "/health?deep=1"}); m.Program != want || m.Slug != "corner" {
		t.Errorf("manifest = %+v, want the program %+v", m, want)
	}
}

// An answer names all faults of a manifest at once, those of the general fields too.
func TestParseAppManifestTellsEveryFault(t *testing.T) {
	t.Parallel()

	long := "/" + strings.Repeat("x", 1024)
	tests := []struct {
		name    string
		changes map[string]any
		want    []string // "path code"
	}{
		{"nothing about running", map[string]any{"runtime": nil, "healthCheck": nil}, []string{
			"runtime.entry required", "healthCheck.path required",
		}},
		{"empty objects and more", map[string]any{
			"slug": "A", "version": "1", "target": "admin", "runtime": map[string]any{}, "healthCheck": map[string]any{},
		}, []string{
			"slug out_of_range", "version invalid", "target unknown_value", "runtime.entry required",
			"healthCheck.path required",
		}},
		{"no objects", map[string]any{"runtime": "server.js", "healthCheck": []any{}}, []string{
			"runtime wrong_type", "healthCheck wrong_type",
		}},
		{"wrong types", map[string]any{
			"runtime": map[string]any{"entry": 1}, "healthCheck": map[string]any{"path": true},
		}, []string{"runtime.entry wrong_type", "healthCheck.path wrong_type"}},
		{"outside", map[string]any{"runtime": map[string]any{"entry": "../server.js"}}, []string{"runtime.entry invalid"}},
		{"absent", map[string]any{"runtime": map[string]any{"entry": "none.js"}}, []string{"runtime.entry invalid"}},
		{"no program", map[string]any{"runtime": map[string]any{"entry": "dist/server.css"}}, []string{
			"runtime.entry invalid",
		}},
		{"a module", map[string]any{"runtime": map[string]any{"entry": "a.mjs"}}, nil},
		{"a longest path", map[string]any{"healthCheck": map[string]any{"path": long[:1024]}}, nil},
		{"one byte more", map[string]any{"healthCheck": map[string]any{"path": long}}, []string{"healthCheck.path invalid"}},
	}
	for _, path := range []string{"health", "//host/x", "http://host/x", "/a b", "/a#b", `/a\b`, "/ü", "/%zz"} {
		tests = append(tests, struct {
			name    string
			changes map[string]any
			want    []string
		}{path, map[string]any{"healthCheck": map[string]any{"path": path}}, []string{"healthCheck.path invalid"}})
	}
	for _, tt := range tests {
		_, err := theme.ParseManifest(extension.ThemeAppShop, appManifest(t, tt.changes), hasServer)
		if diff := cmp.Diff(tt.want, issues(t, err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Archives of apps may be larger than those of packs, and have their own manifest.
func TestProfilesOfThemes(t *testing.T) {
	t.Parallel()

	for kind, want := range map[extension.Kind]int64{
		extension.ThemeShop: 10 << 20, extension.ThemeAdmin: 10 << 20,
		extension.ThemeAppShop: 200 << 20, extension.ThemeAppAdmin: 200 << 20,
	} {
		p := theme.Registry{Kind: kind}.Profile()
		name := "theme.json"
		if theme.IsApp(kind) {
			name = "theme-app.json"
		}
		if p.MaxSize != want || p.Manifest != name || p.Also != "manifest.json" || !slices.Contains(p.Types, ".css") {
			t.Errorf("%s: %+v", kind, p)
		}
	}
}

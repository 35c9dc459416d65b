package theme_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/config"
	"stoa/internal/extension/manifest"
	"stoa/internal/extension/theme"
)

// valid returns a manifest with changes; nil removes a field.
func valid(changes map[string]any) map[string]any {
	m := map[string]any{"schemaVersion": 1, "slug": "aurora", "name": "Aurora", "version": "1.0.0", "entry": "theme.css"}
	maps.Copy(m, changes)
	maps.DeleteFunc(m, func(_ string, v any) bool { return v == nil })
	return m
}

// has is the content of the pack.
func has(name string) bool {
	switch name {
	case "theme.css", "css/tokens.CSS", "settings.json", "run.js", "templates/", "a/b/", "theme.json":
		return true
	}
	return false
}

// issues are the "path code" of each fault.
func issues(tb testing.TB, err error) []string {
	tb.Helper()
	if err == nil {
		return nil
	}
	e, is := errors.AsType[*errs.Error](err)
	if !is || e.Kind != errs.Invalid || e.Code != manifest.CodeInvalid {
		tb.Fatalf("error = %v, want %s", err, manifest.CodeInvalid)
	}
	var list []string
	for _, f := range e.Details["issues"].([]errs.Issue) {
		list = append(list, f.Path+" "+f.Code)
	}
	return list
}

func TestParseManifest(t *testing.T) {
	t.Parallel()

	entry := func(fields map[string]any) map[string]any { return valid(map[string]any{"entry": fields}) }
	tests := []struct {
		name     string
		manifest any
		want     []string
	}{
		{"the least", valid(nil), nil},
		{"for its target", valid(map[string]any{"target": "shop"}), nil},
		{"for another target", valid(map[string]any{"target": "admin"}), []string{"target unknown_value"}},
		{"target of another type", valid(map[string]any{"target": 1}), []string{"target wrong_type"}},
		{"nothing", map[string]any{}, []string{
			"schemaVersion required", "slug required", "version required", "name required", "entry required",
		}},
		{"everything wrong", map[string]any{
			"schemaVersion": 2, "slug": "Aurora", "name": 1, "version": "1.0", "entry": 7, "target": "moon",
			"configSchema": map[string]any{"a": map[string]any{"type": "password"}}, "defaultConfig": []any{},
		}, []string{
			"schemaVersion unknown_value", "slug invalid", "version invalid", "configSchema.a.type invalid",
			"name wrong_type", "target unknown_value", "entry wrong_type", "defaultConfig wrong_type",
		}},
		{"reserved slug", valid(map[string]any{"slug": "themes"}), []string{"slug reserved"}},
		{"no object", []any{}, []string{" wrong_type"}},

		{"entry with a dot", valid(map[string]any{"entry": "./theme.css"}), nil},
		{"entry that is absent", valid(map[string]any{"entry": "other.css"}), []string{"entry invalid"}},
		{"entry that is no stylesheet", valid(map[string]any{"entry": "run.js"}), []string{"entry invalid"}},
		{"entry outside", valid(map[string]any{"entry": "../theme.css"}), []string{"entry invalid"}},
		{"absolute entry", valid(map[string]any{"entry": "/theme.css"}), []string{"entry invalid"}},
		{"entry with a backslash", valid(map[string]any{"entry": `a\theme.css`}), []string{"entry invalid"}},
		{"empty entry", valid(map[string]any{"entry": ""}), []string{"entry required"}},
		{"all parts", entry(map[string]any{
			"tokensCSS": "css/tokens.CSS", "templatesDir": "templates", "assetsDir": "./a/b/", "settingsSchema": "settings.json",
			"runtimeJS": "run.js", "custom": "kept",
		}), nil},
		{"no part", entry(map[string]any{"custom": "theme.css"}), []string{"entry required"}},
		{"parts of other types", entry(map[string]any{
			"tokensCSS": "settings.json", "templatesDir": "theme.css", "assetsDir": ".", "settingsSchema": "run.js",
			"runtimeJS": 1,
		}), []string{
			"entry.tokensCSS invalid", "entry.templatesDir invalid", "entry.assetsDir invalid",
			"entry.settingsSchema invalid", "entry.runtimeJS wrong_type",
		}},

		{"default config", valid(map[string]any{
			"defaultConfig": map[string]any{"a": 1, "b": "x"}, "configSchema": map[string]any{"a": map[string]any{"type": "number"}},
		}), nil},
		{"default config that breaks its schema", valid(map[string]any{
			"defaultConfig": map[string]any{"a": "1"}, "configSchema": map[string]any{"a": map[string]any{"type": "number"}},
		}), []string{"defaultConfig.a wrong_type"}},
		{"default config that is too large", valid(map[string]any{
			"defaultConfig": map[string]any{"a": strings.Repeat("x", config.MaxSize)},
		}), []string{"defaultConfig out_of_range"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			raw, err := json.Marshal(tt.manifest)
			if err != nil {
				t.Fatal(err)
			}
			_, err = theme.ParseManifest("theme-shop", raw, has)
			if diff := cmp.Diff(tt.want, issues(t, err)); diff != "" {
				t.Errorf("issues (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseManifestKeepsEverything(t *testing.T) {
	t.Parallel()

	raw := []byte(`{"schemaVersion":1,"slug":"aurora","name":"Aurora","version":"1.2.3","author":"A",
		"authorUrl":"https://a.example","description":"D","target":"shop","custom":{"x":1},
		"entry":{"tokensCSS":"./css/tokens.CSS","templatesDir":"templates"},
		"defaultConfig": {"b": 1.50}, "configSchema":{"k":{"type":"secret","label":"L"}}}`)
	m, err := theme.ParseManifest("theme-shop", raw, has)
	if err != nil {
		t.Fatal(err)
	}
	want := theme.Manifest{
		SchemaVersion: 1, Slug: "aurora", Name: "Aurora", Version: "1.2.3", Author: "A", AuthorURL: "https://a.example",
		Description: "D", Entry: theme.Entry{TokensCSS: "css/tokens.CSS", TemplatesDir: "templates/"},
		DefaultConfig: json.RawMessage(`{"b":1.50}`), ConfigSchema: config.Schema{"k": {Type: "secret", Label: "L"}}, Raw: raw,
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Errorf("ParseManifest (-want +got):\n%s", diff)
	}
	again, err := theme.DecodeManifest("theme-shop", raw)
	if diff := cmp.Diff(want, again); diff != "" || err != nil {
		t.Errorf("DecodeManifest: %v (-want +got):\n%s", err, diff)
	}
	entry, err := json.Marshal(m.Entry)
	if got, want := string(entry), `{"templatesDir":"templates/","tokensCSS":"css/tokens.CSS"}`; got != want || err != nil {
		t.Errorf("entry = %s, %v; want %s", got, err, want)
	}
}

// FuzzParseManifest looks for input that makes the parser panic, that it accepts with an
// entry outside of the pack, or that cannot be read back.
func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":1,"slug":"aurora","name":"A","version":"1.0.0","entry":"theme.css"}`))
	f.Add([]byte(`{"schemaVersion":1.0,"slug":"aurora","name":"A","version":"1.0.0","entry":{"tokensCSS":"a/../b.css",` +
		`"templatesDir":"x//y"},"defaultConfig":{"a":[{}]},"configSchema":{"a":{"type":"array","sensitive":true}}}`))
	f.Add([]byte(`{"slug":"a","slug":{},"entry":[],"target":"shop","defaultConfig":"x"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		all := func(name string) bool {
			trimmed := strings.TrimSuffix(name, "/")
			if clean, ok := manifest.CleanPath(trimmed); !ok || clean != trimmed || clean == "." {
				t.Errorf("asks for %q", name)
			}
			return true
		}
		m, err := theme.ParseManifest("theme-shop", raw, all)
		if err != nil {
			if len(issues(t, err)) == 0 {
				t.Error("a refusal without a fault")
			}
			return
		}
		if !manifest.IsSlug(m.Slug) || !manifest.IsVersion(m.Version) || m.Entry == (theme.Entry{}) {
			t.Errorf("accepted %+v", m)
		}
		again, err := theme.DecodeManifest("theme-shop", raw)
		if diff := cmp.Diff(m, again); diff != "" || err != nil {
			t.Errorf("read back: %v\n%s", err, diff)
		}
	})
}

package plugin_test

import (
	"errors"
	"strings"
	"testing"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
)

// No two readers of a manifest may see different packages.
func TestManifestGivesNoFieldTwice(t *testing.T) {
	t.Parallel()

	const rest = `"schemaVersion":1,"name":"P","version":"1.0.0","runtimeType":"external-http",` +
		`"externalBaseUrl":"https://p.example"`
	tests := []struct{ name, manifest, want string }{
		{"once", `{"slug":"pay",` + rest + `}`, ""},
		{"at the top", `{"slug":"pay","slug":"other",` + rest + `}`, "slug"},
		{"spelled with an escape", `{"slug":"pay","\u0073lug":"other",` + rest + `}`, "slug"},
		{
			"deep inside",
			`{"slug":"pay",` + rest + `,"configSchema":{"a":{"type":"secret","type":"string"}}}`,
			"configSchema.a.type",
		},
		{"in an object of an array", `{"slug":"pay",` + rest + `,"x":[1,{"a":1,"a":2}]}`, "x..a"},
		{"the same name in different objects", `{"slug":"pay",` + rest + `,"x":[{"a":1},{"a":{"a":"a"}},"a","a"]}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			_, err := plugin.ParseManifest([]byte(tt.manifest), func(string) bool { return true })
			if tt.want == "" {
				if err != nil {
					t.Errorf("ParseManifest = %v, want no error", err)
				}
				return
			}
			e, ok := errors.AsType[*errs.Error](err)
			if !ok || !strings.Contains(e.Message, tt.want+" is given twice.") {
				t.Errorf("ParseManifest = %v, want %s given twice", err, tt.want)
			}
		})
	}
}

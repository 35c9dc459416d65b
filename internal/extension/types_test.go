package extension_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension"
)

func TestParseTypes(t *testing.T) {
	t.Parallel()

	got, err := extension.ParseTypes(" theme-shop=.svg, .PNG ; plugin=.md,LICENSE;")
	want := extension.Types{extension.ThemeShop: {".svg", ".png"}, extension.Plugin: {".md", "license"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	for text, want := range map[string]string{
		"widget=.md": "no kind", "plugin": "write an extension", "plugin=": "write an extension", "plugin=*": "write an extension",
		"plugin=../x": "write an extension", "plugin=.": "write an extension", ".md": "no kind",
		"plugin=." + strings.Repeat("x", 17): "write an extension",
	} {
		if _, err := extension.ParseTypes(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseTypes(%q) = %v, want %q", text, err, want)
		}
	}
	if types, err := extension.ParseTypes(""); err != nil || len(types) != 0 {
		t.Errorf("nothing: %v, %v", types, err)
	}
}

// No setting lets executables into packages (contract 4.2).
func TestExecutablesAreNeverAllowed(t *testing.T) {
	t.Parallel()

	for _, name := range []string{".exe", ".EXE", ".sh", ".so", ".dll", ".node", ".wasm", ".jar", ".py"} {
		if _, err := extension.ParseTypes("plugin=.md," + name); err == nil || !strings.Contains(err.Error(), "executed") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

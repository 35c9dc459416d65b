package stoa

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The modules of the pages, the host program and the SDKs import one another without circles: a
// module can be understood after those that it imports. Imports of types alone do not count, and
// import() is how a page loads another later.
func TestScriptsImportOneAnotherWithoutCircles(t *testing.T) {
	t.Parallel()

	for _, root := range []string{"web/src", "nodehost/src", "sdk/js/src", "sdk/js-plugin/src"} {
		t.Run(root, func(t *testing.T) {
			t.Parallel()

			arrows, done := scriptImports(t, root), make(map[string]bool)
			if len(arrows) < 3 {
				t.Fatalf("%d modules in %s", len(arrows), root)
			}
			var follow func(module string, above []string)
			follow = func(module string, above []string) {
				if at := slices.Index(above, module); at >= 0 {
					t.Errorf("a circle: %s", strings.Join(append(above[at:], module), " -> "))
					return
				}
				if done[module] {
					return
				}
				for _, dep := range arrows[module] {
					follow(dep, append(slices.Clone(above), module))
				}
				done[module] = true
			}
			for module := range arrows {
				follow(module, nil)
			}
		})
	}
}

// staticImport matches the module that an import or a re-export takes values from.
var staticImport = regexp.MustCompile(`(?s)(?:^|\n)(?:import|export)\s+([^;'"]*?from\s+)?["'](\.[^"']+)["']`)

// scriptImports returns which modules of a folder each of them imports, without their extensions.
func scriptImports(t *testing.T, root string) map[string][]string {
	t.Helper()
	arrows := make(map[string][]string)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".d.ts") || !slices.Contains(
			[]string{".ts", ".tsx", ".js", ".mjs", ".cjs"}, path.Ext(name)) {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		module := strings.TrimSuffix(name, path.Ext(name))
		arrows[module] = append(arrows[module], []string{}...)
		for _, m := range staticImport.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[1], "type ") {
				continue
			}
			dep := path.Join(path.Dir(name), m[2])
			if ext := path.Ext(dep); ext == ".js" || ext == ".mjs" || ext == ".cjs" {
				dep = strings.TrimSuffix(dep, ext)
			}
			arrows[module] = append(arrows[module], dep)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return arrows
}

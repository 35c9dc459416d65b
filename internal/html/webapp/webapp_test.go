package webapp_test

import (
	"errors"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/html/webapp"
)

const manifest = `{
	"_shared-1.js": {"file": "shared-1.js", "css": ["tokens-1.css"]},
	"_deep-1.js": {"file": "deep-1.js", "imports": ["_shared-1.js"]},
	"src/console/main.tsx": {"file": "console-1.js", "isEntry": true, "imports": ["_deep-1.js", "_shared-1.js"],
		"dynamicImports": ["src/console/later.tsx"], "css": ["console-1.css"]},
	"src/console/later.tsx": {"file": "later-1.js", "isDynamicEntry": true, "imports": ["src/console/main.tsx"]}
}`

func TestAnEntryNamesAllThatItImports(t *testing.T) {
	t.Parallel()

	b, err := webapp.Load(fstest.MapFS{
		"manifest.json":   {Data: []byte(manifest)},
		"console-1.js.br": {Data: []byte("b")}, "console-1.js.gz": {Data: []byte("g")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, ok := b.Entry(webapp.Console)
	want := webapp.Entry{
		Script:   "/assets/console-1.js",
		Preloads: []string{"/assets/shared-1.js", "/assets/deep-1.js"},
		Styles:   []string{"/assets/tokens-1.css", "/assets/console-1.css"},
	}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Errorf("the console's entry (-want +got):\n%s", diff)
	}
	file, ok := b.File("console-1.js")
	if !ok || file.ContentType != "text/javascript; charset=utf-8" || !slices.Equal(file.Brotli, []byte("b")) {
		t.Errorf("the script = %v %v", file, ok)
	}
	for _, name := range []string{"manifest.json", "console-1.js.br", "../web/embed.go", ""} {
		if _, ok := b.File(name); ok {
			t.Errorf("%q is served", name)
		}
	}
}

// What a page runs next is loaded along with what it runs first, each file once.
func TestAnEntryLoadsWhatRunsNext(t *testing.T) {
	t.Parallel()

	first := webapp.Entry{Script: "/start.js", Preloads: []string{"/shared.js"}, Styles: []string{"/page.css"}}
	next := webapp.Entry{
		Script: "/run.js", Preloads: []string{"/shared.js", "/start.js", "/react.js"}, Styles: []string{"/page.css", "/more.css"},
	}
	want := webapp.Entry{
		Script: "/start.js", Preloads: []string{"/shared.js", "/react.js", "/run.js"}, Styles: []string{"/page.css", "/more.css"},
	}
	if diff := cmp.Diff(want, first.Before(next)); diff != "" {
		t.Errorf("both (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(webapp.Entry{}, webapp.Entry{}.Before(webapp.Entry{})); diff != "" {
		t.Errorf("of a binary without files (-want +got):\n%s", diff)
	}
}

func TestABinaryWithoutBuiltFilesSaysSo(t *testing.T) {
	t.Parallel()

	b, err := webapp.Load(fstest.MapFS{})
	if !errors.Is(err, webapp.ErrNotBuilt) {
		t.Errorf("Load = %v, want ErrNotBuilt", err)
	}
	if _, ok := b.Entry(webapp.Console); ok {
		t.Error("there is an entry")
	}
}

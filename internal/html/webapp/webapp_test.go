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
		"languages.json":  {Data: []byte(`{"en": "en-1", "de": "de-2"}`)},
		"console-1.js.br": {Data: []byte("b")}, "console-1.js.gz": {Data: []byte("g")},
		"de/shared-1.js.br": {Data: []byte("Wort")}, "de/shared-1.js.gz": {Data: []byte("Wort")},
		"en/shared-1.js.br": {Data: []byte("word")}, "en/shared-1.js.gz": {Data: []byte("word")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for tag, folder := range map[string]string{"en": "en-1", "de": "de-2", "tlh": "en-1"} {
		got, ok := b.Entry(webapp.Console, tag)
		at := "/assets/" + folder
		want := webapp.Entry{
			Script:   at + "/console-1.js",
			Preloads: []string{at + "/shared-1.js", at + "/deep-1.js"},
			Styles:   []string{at + "/tokens-1.css", at + "/console-1.css"},
		}
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("the console's entry in %s (-want +got):\n%s", tag, diff)
		}
	}
	for folder, want := range map[string]string{"en-1": "word", "de-2": "Wort"} {
		if file, _ := b.File(folder, "shared-1.js"); string(file.Brotli) != want {
			t.Errorf("%s has %q", folder, file.Brotli)
		}
	}
	file, ok := b.File("de-2", "console-1.js")
	if !ok || file.ContentType != "text/javascript; charset=utf-8" || !slices.Equal(file.Brotli, []byte("b")) {
		t.Errorf("the script = %v %v", file, ok)
	}
	for _, name := range []string{"manifest.json", "console-1.js.br", "../web/embed.go", ""} {
		if _, ok := b.File("en-1", name); ok {
			t.Errorf("%q is served", name)
		}
	}
	for _, folder := range []string{"en", "en-2", "", "..", "tlh-1"} {
		if _, ok := b.File(folder, "console-1.js"); ok {
			t.Errorf("%q is served", folder)
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
	if _, ok := b.Entry(webapp.Console, "en"); ok {
		t.Error("there is an entry")
	}
}

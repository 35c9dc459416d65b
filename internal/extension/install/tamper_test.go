package install_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/extension"
	"stoa/internal/extension/install"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/ziptest"
)

// manyFiles is a plugin with that slug and many files.
func manyFiles(tb testing.TB, slug string) []byte {
	tb.Helper()
	entries := []ziptest.Entry{
		{Name: "manifest.json", Body: strings.Replace(manifest, `"slug":"pay"`, fmt.Sprintf(`"slug":%q`, slug), 1)},
		{Name: "index.js", Body: "1"},
	}
	for i := range 30 {
		entries = append(entries, ziptest.Entry{Name: fmt.Sprintf("lib/%02d.js", i), Body: "1"})
	}
	return ziptest.Build(tb, entries...)
}

// check returns the warnings of CheckInstalled.
func check(ctx context.Context, in *installer) []string {
	var log logtest.Buffer
	in.Log = log.Logger()
	in.CheckInstalled(ctx)
	var warnings []string
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, "level=WARN") {
			warnings = append(warnings, line)
		}
	}
	return warnings
}

func TestChangedFilesAreWarnedOf(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	homes := make(map[string]string)
	for _, slug := range []string{"whole", "altered", "lost", "gone", "old", "bare"} {
		got, err := add(t.Context(), in, manyFiles(t, slug))
		if err != nil {
			t.Fatal(err)
		}
		homes[slug] = filepath.Join(dir, got.Package.InstallPath)
	}
	if got := check(t.Context(), in); len(got) > 0 {
		t.Fatalf("warnings of whole packages: %q", got)
	}

	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(homes["altered"], "index.js"), "2")
	write(filepath.Join(homes["altered"], "extra.js"), "3")
	if err := os.Remove(filepath.Join(homes["altered"], "lib", "07.js")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(homes["lost"]); err != nil {
		t.Fatal(err)
	}
	write(homes["gone"]+".zip", "another archive")
	for _, slug := range []string{"bare", "old"} {
		if err := os.Remove(homes[slug] + ".zip"); err != nil {
			t.Fatal(err)
		}
	}

	got := check(t.Context(), in)
	if len(got) != 4 {
		t.Fatalf("%d warnings, want 4: %q", len(got), got)
	}
	for i, want := range [][]string{
		{"slug=altered", "version=1.0.0", "count=3", "[extra.js (added) index.js (changed) lib/07.js (missing)]"},
		{"slug=gone", "ZIP was changed", "install the same ZIP once more"},
		{"slug=lost", "count=32", "index.js (missing)"},
		{"no copy of the ZIP", "count=2", `packages="[plugin bare 1.0.0 plugin old 1.0.0]"`, "Install the same ZIP of each once more"},
	} {
		for _, part := range want {
			if !strings.Contains(got[i], part) {
				t.Errorf("%q lacks %q", got[i], part)
			}
		}
	}
	if strings.Contains(got[2], "lib/29.js") {
		t.Errorf("every file of many is named: %s", got[2])
	}

	// Whatever was uninstalled is nobody's business.
	if _, err := in.Plugins.Uninstall(t.Context(), "altered"); err != nil {
		t.Fatal(err)
	}
	if got := check(t.Context(), in); len(got) != 3 {
		t.Errorf("after the uninstall: %q", got)
	}

	// What the warnings advise helps, and leaves the packages alone.
	for _, slug := range []string{"gone", "old", "bare", "whole"} {
		got, err := add(t.Context(), in, manyFiles(t, slug))
		if err != nil || filepath.Join(dir, got.Package.InstallPath) != homes[slug] {
			t.Fatalf("%s: installed again as %+v, %v", slug, got.Package, err)
		}
	}
	if got := check(t.Context(), in); len(got) != 1 || !strings.Contains(got[0], "slug=lost") {
		t.Errorf("after the ZIPs were installed once more: %q", got)
	}
}

// Files are listed by pages, which together are the whole list; only the files of the
// page are read.
func TestFilesByPages(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	got, err := add(t.Context(), in, manyFiles(t, "pages"))
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, got.Package.InstallPath)
	err = errors.Join(os.WriteFile(filepath.Join(home, "added.js"), []byte("3"), 0o600),
		os.WriteFile(filepath.Join(home, "lib", "11.js"), []byte("2"), 0o600),
		os.Remove(filepath.Join(home, "lib", "12.js")),
		os.Symlink("added.js", filepath.Join(home, "lib", "link.js")))
	if err != nil {
		t.Fatal(err)
	}
	list := func(from, limit int) []install.File {
		t.Helper()
		page, total, err := in.Files(t.Context(), install.Ref{
			Kind: extension.Plugin, Path: got.Package.InstallPath, Hash: got.Package.ZipHash,
		}, from, limit)
		if err != nil || total != 34 {
			t.Fatalf("Files(%d, %d) = %d files in all, %v; want 34", from, limit, total, err)
		}
		return page
	}
	var all []install.File
	for from := 0; from < 35; from += 7 {
		all = append(all, list(from, 7)...)
	}
	if diff := cmp.Diff(list(0, math.MaxInt), all); diff != "" || len(list(99, 7)) > 0 {
		t.Errorf("pages (-whole +together):\n%s", diff)
	}
	states := make(map[string]string)
	for _, f := range all {
		if f.State != install.Intact {
			states[f.Path] = f.State
		}
	}
	want := map[string]string{
		"added.js": install.Added, "lib/11.js": install.Changed, "lib/12.js": install.Missing, "lib/link.js": install.Added,
	}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

func TestCheckOfFilesEndsWithItsContext(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	in := mustOpen(t, dir, nothing)
	got, err := add(t.Context(), in, payArchive(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, got.Package.InstallPath)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := check(ctx, in); len(got) > 0 {
		t.Errorf("a check that was stopped goes on: %q", got)
	}
}

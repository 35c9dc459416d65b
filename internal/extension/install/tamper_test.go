package install_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	for _, slug := range []string{"whole", "altered", "lost", "gone"} {
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

	got := check(t.Context(), in)
	if len(got) != 3 {
		t.Fatalf("%d warnings, want 3: %q", len(got), got)
	}
	for i, want := range [][]string{
		{"slug=altered", "version=1.0.0", "count=3", "[extra.js (added) index.js (changed) lib/07.js (missing)]"},
		{"slug=gone", "archive is missing or was changed"},
		{"slug=lost", "count=32", "index.js (missing)"},
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
	if got := check(t.Context(), in); len(got) != 2 {
		t.Errorf("after the uninstall: %q", got)
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

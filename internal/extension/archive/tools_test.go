package archive_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit/ziptest"
)

// tools make an archive ../out.zip of a folder, in which they run.
var tools = []struct{ name, program, script string }{
	{"Info-ZIP", "zip", "zip -qr ../out.zip ."},
	{"Info-ZIP without folders", "zip", "zip -qDr ../out.zip ."},
	{"Info-ZIP, uncompressed", "zip", "zip -q0r ../out.zip ."},
	{"Info-ZIP into a pipe", "zip", "zip -qr - . | cat > ../out.zip"},
	{"Info-ZIP, names from a pipe", "zip", "find . -type f | zip -q -@ - | cat > ../out.zip"},
	{"Info-ZIP in another locale", "zip", "LC_ALL=C zip -qr ../out.zip ."},
	{"7-Zip", "7z", "7z a -tzip -bd ../out.zip . > ../log"},
	{"7-Zip, uncompressed", "7z", "7z a -tzip -mx=0 -bd ../out.zip . > ../log"},
	{"bsdtar", "bsdtar", "bsdtar --format zip -cf ../out.zip manifest.json dist"},
	{"jar", "jar", "jar -cfM ../out.zip manifest.json dist"},
	{"Python", "python3", "python3 -m zipfile -c ../out.zip manifest.json dist"},
	{"Python, shutil", "python3", "python3 -c 'import shutil; shutil.make_archive(\"../out\", \"zip\", \".\")'"},
	{"git", "git", "git init -q . && git add -A && git -c user.email=a@b.example -c user.name=a commit -qm x && " +
		"git archive --format zip -o ../out.zip HEAD && rm -rf .git"},
}

// What other programs make is installed as it is.
func TestArchivesOfOtherToolsAreAccepted(t *testing.T) {
	t.Parallel()

	want := map[string]string{
		"manifest.json": ziptest.HostileManifest, "dist/index.js": strings.Repeat("export const a = 1\n", 5000),
		"dist/css/größe.css": "a{}", "dist/empty.js": "",
	}
	for _, tt := range tools {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if _, err := exec.LookPath(tt.program); err != nil {
				t.Skip(err)
			}
			dir := t.TempDir()
			src := filepath.Join(dir, "src")
			for name, content := range want {
				file := filepath.Join(src, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", tt.script)
			cmd.Dir = src
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			data, err := os.ReadFile(filepath.Join(dir, "out.zip"))
			if err != nil {
				t.Fatal(err)
			}
			accepted(t, data, want)
		})
	}
}

// accepted fails the test unless an archive holds exactly these files.
func accepted(t *testing.T, data []byte, want map[string]string) {
	t.Helper()
	c, err := inspect(data)
	if err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := extract(t, c, to); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, tree(t, to)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// The archives of macOS have streamed files, names in UTF-8 that they do not say to be,
// fields of their own, and a second folder.
func TestArchivesAsMacOSMakesThemAreAccepted(t *testing.T) {
	t.Parallel()

	field := append([]byte("UX\x0c\x00"), bytes.Repeat([]byte{1}, 12)...)
	entry := func(name, body string) ziptest.RawEntry {
		return ziptest.RawEntry{Name: name, Body: body, Deflate: true, Streamed: true, ASCII: true, Extra: field}
	}
	folder := ziptest.RawEntry{Name: "pay/", ASCII: true, Extra: field}
	second := ziptest.RawEntry{Name: "__MACOSX/pay/", ASCII: true, Extra: field}
	data := ziptest.Raw{Entries: []ziptest.RawEntry{
		folder, entry("pay/manifest.json", ziptest.HostileManifest), second,
		entry("__MACOSX/pay/._manifest.json", "\x00\x05\x16\x07"), entry("pay/größe.css", "a{}"), entry("pay/.DS_Store", "x"),
	}}.Build(t)
	accepted(t, data, map[string]string{"manifest.json": ziptest.HostileManifest, "größe.css": "a{}"})
}

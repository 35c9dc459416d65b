package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/archive"
	"stoa/internal/testkit/ziptest"
)

const manifest = `{"schemaVersion":1,"slug":"pay","name":"Pay","version":"1.0.0","runtimeType":"internal-fastify",` +
	`"entryModule":"dist/index.js"}`

type entry = ziptest.Entry

// base are the entries of the smallest valid package.
func base() []entry {
	return []entry{{Name: "manifest.json", Body: manifest}, {Name: "dist/index.js", Body: "export default () => {}"}}
}

// good returns a valid package with more entries added to it.
func good(tb testing.TB, more ...entry) []byte {
	tb.Helper()
	return ziptest.Build(tb, append(base(), more...)...)
}

// profile is that of plugins.
var profile = archive.Profile{
	Manifest: "manifest.json", MaxSize: 50 << 20,
	Types: []string{".js", ".json", ".woff", ".woff2", ".css", ".html"},
}

func inspect(data []byte) (*archive.Contents, error) {
	return archive.Inspect(bytes.NewReader(data), int64(len(data)), profile)
}

// size returns the sum of the sizes that an archive states.
func size(c *archive.Contents) (sum int64) {
	for _, f := range c.Files() {
		sum += f.Size
	}
	return sum
}

// check fails the test unless err is INVALID_ARCHIVE about that entry with a
// message that contains want; an empty want means no error.
func check(tb testing.TB, err error, wantEntry, want string) {
	tb.Helper()
	e, is := errors.AsType[*errs.Error](err)
	switch {
	case want == "" && err != nil:
		tb.Errorf("error = %v, want none", err)
	case want == "":
	case !is || e.Kind != errs.Invalid || e.Code != archive.CodeInvalid:
		tb.Errorf("error = %v, want %s", err, archive.CodeInvalid)
	case !strings.Contains(e.Message, want):
		tb.Errorf("message = %q, want it to contain %q", e.Message, want)
	default:
		list, _ := e.Details["issues"].([]archive.Fault)
		if len(list) == 0 || list[0].Entry != wantEntry || !strings.Contains(list[0].Message, want) || list[0].Code == "" {
			tb.Errorf("details.issues = %+v, want the first about %q", list, wantEntry)
		}
	}
}

func TestInspectNamesAndTypes(t *testing.T) {
	t.Parallel()

	const path, twice, kind = "plain relative path", "appears twice", "neither a regular file"
	tests := []struct {
		name  string
		more  []entry
		entry string // in the error
		want  string // part of the message; empty means valid
	}{
		{"smallest valid package", nil, "", ""},
		{"directory entries", []entry{{Name: "dist/"}, {Name: "css/"}, {Name: "css/site/"}}, "", ""},
		{"upper-case extension", []entry{{Name: "A.CSS"}}, "", ""},
		{"letters beyond ASCII", []entry{{Name: "größe/日本.js"}}, "", ""},
		{
			"all allowed types",
			[]entry{{Name: "a.js"}, {Name: "a.json"}, {Name: "a.woff"}, {Name: "a.woff2"}, {Name: "a.css"}, {Name: "a.html"}},
			"",
			"",
		},

		{"parent path", []entry{{Name: "../evil.js"}}, "../evil.js", path},
		{"parent path inside", []entry{{Name: "a/../../evil.js"}}, "a/../../evil.js", path},
		{"harmless parent path", []entry{{Name: "a/../b.js"}}, "a/../b.js", path},
		{"parent directory", []entry{{Name: "../"}}, "../", path},
		{"current directory", []entry{{Name: "./a.js"}}, "./a.js", path},
		{"absolute path", []entry{{Name: "/etc/evil.js"}}, "/etc/evil.js", path},
		{"root directory", []entry{{Name: "/"}}, "/", path},
		{"double slash", []entry{{Name: "a//b.js"}}, "a//b.js", path},
		{"backslash", []entry{{Name: `..\evil.js`}}, `..\evil.js`, path},
		{"drive", []entry{{Name: `C:evil.js`}}, `C:evil.js`, path},
		{"NUL", []entry{{Name: "a\x00.js"}}, "a\x00.js", path},
		{"line feed", []entry{{Name: "a\n.js"}}, "a\n.js", path},
		{"empty name", []entry{{Name: ""}}, "", path},
		{"not UTF-8", []entry{{Name: "\xff.js"}}, `"\xff.js"`, "not UTF-8"},
		{"too long, and not UTF-8", []entry{{Name: strings.Repeat("\xff", archive.MaxName+2)}}, "…", "too long"},
		{"longest name", []entry{{Name: strings.Repeat("d/", 31) + strings.Repeat("x", 252) + ".js"}}, "", ""},
		{"part too long", []entry{{Name: strings.Repeat("x", 253) + ".js"}}, strings.Repeat("x", 253) + ".js", "too long"},
		{"deepest file", []entry{{Name: strings.Repeat("d/", archive.MaxDepth) + "a.js"}}, "", ""},
		{
			"too deep",
			[]entry{{Name: strings.Repeat("d/", archive.MaxDepth+1) + "a.js"}},
			strings.Repeat("d/", archive.MaxDepth+1) + "a.js",
			"too long",
		},

		{"symbolic link", []entry{{Name: "l.js", Body: "/etc/passwd", Mode: fs.ModeSymlink}}, "l.js", kind},
		{"device", []entry{{Name: "l.js", Mode: fs.ModeDevice}}, "l.js", kind},
		{"pipe", []entry{{Name: "l.js", Mode: fs.ModeNamedPipe}}, "l.js", kind},
		{"link that is named like a directory", []entry{{Name: "l/", Mode: fs.ModeSymlink}}, "l/", "named like a directory"},
		{"executable type", []entry{{Name: "run.sh"}}, "run.sh", "can be executed"},
		{"executable type in upper case", []entry{{Name: "X.EXE"}}, "X.EXE", "can be executed"},
		{"last extension counts", []entry{{Name: "a.js.so"}}, "a.js.so", "can be executed"},
		{"no extension", []entry{{Name: "LICENSE"}}, "LICENSE", "this type"},

		{"same name twice", []entry{{Name: "a.js"}, {Name: "a.js"}}, "a.js", twice},
		{"differs in case", []entry{{Name: "Manifest.JSON", Body: "{}"}}, "Manifest.JSON", twice},
		{"differs in case beyond ASCII", []entry{{Name: "ß.js"}, {Name: "SS.js"}}, "SS.js", twice},
		{"differs in Unicode form", []entry{{Name: "\u00e9.js"}, {Name: "e\u0301.js"}}, "e\u0301.js", twice},
		{"differs in both", []entry{{Name: "\u00c9.js"}, {Name: "e\u0301.js"}}, "e\u0301.js", twice},
		{"file where a directory is", []entry{{Name: "x.js/a.js"}, {Name: "x.js"}}, "x.js", twice},
		{"directory where a file is", []entry{{Name: "x.js"}, {Name: "x.js/a.js"}}, "x.js/a.js", twice},
		{"directory entry where a file is", []entry{{Name: "x.js"}, {Name: "X.js/"}}, "X.js/", twice},
		{"directories that differ in case", []entry{{Name: "css/a.css"}, {Name: "CSS/b.css"}}, "CSS/b.css", twice},
		{"directory entry twice", []entry{{Name: "css/"}, {Name: "css/"}}, "css/", twice},
		{"directory entry after its files", []entry{{Name: "css/a.css"}, {Name: "css/"}, {Name: "css/b.css"}}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			_, err := inspect(good(t, tt.more...))
			check(t, err, tt.entry, tt.want)
		})
	}
}

func TestInspectFindsTheManifest(t *testing.T) {
	t.Parallel()

	in := func(dir string, more ...entry) []entry {
		entries := base()
		for i := range entries {
			entries[i].Name = dir + entries[i].Name
		}
		return append(entries, more...)
	}
	tests := []struct {
		name    string
		entries []entry
		want    string // part of the message; empty means valid
	}{
		{"at the root", in(""), ""},
		{"in one folder", in("pay-1.0.0/"), ""},
		{"in one folder with an entry of its own", in("pay/", entry{Name: "pay/"}), ""},
		{"in one folder, beside another", in("pay/", entry{Name: "other/a.js"}), "manifest.json is missing"},
		{"in one folder, beside an empty one", in("pay/", entry{Name: "other/"}), "manifest.json is missing"},
		{"in one folder, beside a file", in("pay/", entry{Name: "a.js"}), "manifest.json is missing"},
		{"in one folder, beside one of similar name", in("pay/", entry{Name: "pay2/a.js"}), "manifest.json is missing"},
		{"two folders down", in("a/b/"), "manifest.json is missing"},
		{"at the root and in a folder", in("", entry{Name: "x/manifest.json", Body: "{}"}), ""},
		{"in another case", []entry{{Name: "MANIFEST.json", Body: manifest}}, "manifest.json is missing"},
		{"a directory", []entry{{Name: "manifest.json/"}}, "manifest.json is missing"},
		{"nowhere", []entry{{Name: "a.js"}}, "manifest.json is missing"},
		{"in an empty archive", nil, "manifest.json is missing"},
		{
			"too large",
			[]entry{{Name: "manifest.json", Body: strings.Repeat(" ", archive.MaxManifest+1), Store: true}},
			"larger than 1 MiB",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			_, err := inspect(ziptest.Build(t, tt.entries...))
			check(t, err, cmpOr(tt.want != "", "manifest.json"), tt.want)
		})
	}
}

func cmpOr(is bool, s string) string {
	if is {
		return s
	}
	return ""
}

func TestInspectLimits(t *testing.T) {
	t.Parallel()

	fonts := func(n int, size uint32) (list []stated) {
		for i := range n {
			list = append(list, stated{fmt.Sprintf("f%d.woff2", i), size, size})
		}
		return list
	}
	tests := []struct {
		name  string
		files []stated
		entry string
		want  string // part of the message; empty means valid
	}{
		{"largest font", fonts(1, archive.MaxFont), "", ""},
		{"font one byte too large", fonts(1, archive.MaxFont+1), "f0.woff2", "font is larger"},
		{"most fonts", fonts(archive.MaxFonts, 1), "", ""},
		{"one font too many", fonts(archive.MaxFonts+1, 1), "f50.woff2", "more than 50 fonts"},
		{"fonts as large as they may be together", fonts(10, archive.MaxFont), "", ""},
		{
			"fonts one byte too large together",
			append(fonts(10, archive.MaxFont), stated{"x.WOFF", 1, 1}),
			"x.WOFF",
			"fonts take more",
		},
		{"highest ratio", []stated{{"a.js", 6000, 200 * 6000}}, "", ""},
		{"ratio one byte too high", []stated{{"a.js", 6000, 200*6000 + 1}}, "a.js", "more than 200:1"},
		{"any ratio up to 1 MiB", []stated{{"a.js", 2, archive.RatioFree}}, "", ""},
		{"ratio one byte beyond 1 MiB", []stated{{"a.js", 2, archive.RatioFree + 1}}, "a.js", "more than 200:1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			_, err := inspect(withSizes(t, tt.files...))
			check(t, err, tt.entry, tt.want)
		})
	}
}

func TestInspectTotalSize(t *testing.T) {
	t.Parallel()

	// The manifest and the module count as well.
	rest := uint32(archive.MaxUnpacked - len(manifest) - len("export default () => {}"))
	part := uint32(128 << 20)
	files := make([]stated, 0, 8)
	for i := range 7 {
		files = append(files, stated{fmt.Sprintf("f%d.js", i), part/200 + 1, part})
	}
	last := rest - 7*part
	_, err := inspect(withSizes(t, append(files, stated{"g.js", part / 200, last})...))
	check(t, err, "", "")
	_, err = inspect(withSizes(t, append(files, stated{"g.js", part / 200, last + 1})...))
	check(t, err, "g.js", "more than 1024 MiB")
}

func TestInspectEntryCount(t *testing.T) {
	t.Parallel()

	many := make([]entry, archive.MaxEntries-2)
	for i := range many {
		many[i] = entry{Name: fmt.Sprintf("f%d.js", i)}
	}
	_, err := inspect(good(t, many...))
	check(t, err, "", "")
	_, err = inspect(good(t, append(many, entry{Name: "one-more.js"})...))
	check(t, err, "", "more than 10000 entries")

	for i := range many {
		many[i].Name = fmt.Sprintf("a%d/b%d/c%d/f.js", i, i, i)
	}
	_, err = inspect(good(t, many...))
	check(t, err, "a4999/b4999/c4999/f.js", "too many directories")
}

func TestInspectArchiveSize(t *testing.T) {
	t.Parallel()

	data := good(t, entry{Name: "a.js", Body: "x", Store: true})
	fill := int(profile.MaxSize) - len(data) + 1
	data = good(t, entry{Name: "a.js", Body: strings.Repeat("x", fill), Store: true})
	_, err := inspect(data)
	check(t, err, "", "")
	if int64(len(data)) != profile.MaxSize {
		t.Errorf("the archive has %d bytes, want %d", len(data), profile.MaxSize)
	}
	_, err = inspect(append(data, 0))
	check(t, err, "", "larger than 50 MiB")
}

// What differs between kinds of extensions comes from the profile alone.
func TestInspectGoesByTheProfile(t *testing.T) {
	t.Parallel()

	data := ziptest.Build(t, entry{Name: "theme/theme.json", Body: "{}"}, entry{Name: "theme/logo.svg", Body: "<svg/>"})
	theme := archive.Profile{Manifest: "theme.json", MaxSize: int64(len(data)), Types: []string{".json", ".svg"}}
	tests := []struct {
		name   string
		change func(*archive.Profile)
		entry  string
		want   string // part of the message; empty means valid
	}{
		{"that fits", func(*archive.Profile) {}, "", ""},
		{
			"another manifest",
			func(p *archive.Profile) { p.Manifest = "manifest.json" },
			"manifest.json",
			"manifest.json is missing",
		},
		{"smaller", func(p *archive.Profile) { p.MaxSize-- }, "", "larger than"},
		{"fewer types", func(p *archive.Profile) { p.Types = []string{".json"} }, "theme/logo.svg", "only .json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			profile := theme
			tt.change(&profile)
			c, err := archive.Inspect(bytes.NewReader(data), int64(len(data)), profile)
			check(t, err, tt.entry, tt.want)
			if err == nil && (string(c.Manifest) != "{}" || !c.Has("logo.svg")) {
				t.Errorf("manifest %s, files %v", c.Manifest, c.Files())
			}
		})
	}
}

func TestExtractTo(t *testing.T) {
	t.Parallel()

	for _, top := range []string{"", "pay-1.0.0/"} {
		entries := append(base(), entry{Name: "css/site/a.css", Body: "a{}", Store: true}, entry{Name: "empty/"},
			entry{Name: "e.js"})
		want := map[string]string{}
		for i, e := range entries {
			if !strings.HasSuffix(e.Name, "/") {
				want[e.Name] = e.Body
			}
			entries[i].Name = top + e.Name
		}
		p, err := inspect(ziptest.Build(t, entries...))
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := extract(t, p, dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
		if string(p.Manifest) != manifest {
			t.Errorf("Manifest = %s", p.Manifest)
		}
		stated := map[string]int64{}
		for _, f := range p.Files() {
			stated[f.Name] = f.Size
			if !p.Has(f.Name) {
				t.Errorf("Has(%q) = false", f.Name)
			}
		}
		for name, content := range want {
			if stated[name] != int64(len(content)) {
				t.Errorf("Files states %d bytes for %s, want %d", stated[name], name, len(content))
			}
		}
		if len(stated) != len(want) || p.Has("css") || p.Has("p/"+top+"e.js") {
			t.Errorf("Files = %v", stated)
		}
	}
}

func extract(tb testing.TB, p *archive.Contents, dir string) error {
	tb.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatal(err)
	}
	defer root.Close()
	return p.ExtractTo(root)
}

// tree returns the files below dir with their content.
func tree(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		files[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

package archive_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/base/errs"
	"stoa/internal/extension/archive"
	"stoa/internal/testkit/ziptest"
)

// issuesOf returns "entry code" of every fault in an error.
func issuesOf(tb testing.TB, err error) []string {
	tb.Helper()
	e, is := errors.AsType[*errs.Error](err)
	if !is || e.Code != archive.CodeInvalid {
		tb.Fatalf("error = %v, want %s", err, archive.CodeInvalid)
	}
	var list []string
	for _, f := range e.Details["issues"].([]archive.Fault) {
		if f.Message == "" {
			tb.Errorf("%+v has no message", f)
		}
		list = append(list, f.Entry+" "+f.Code)
	}
	return list
}

// One upload reports everything that is wrong (contract 4.2).
func TestEveryFaultOfAnArchiveIsNamed(t *testing.T) {
	t.Parallel()

	data := ziptest.Build(t,
		entry{Name: "dist/index.js"}, entry{Name: "LICENSE"}, entry{Name: "README.md"}, entry{Name: "types.d.ts"},
		entry{Name: "logo.svg"}, entry{Name: "../evil.js"}, entry{Name: "\xff.js"}, entry{Name: "DIST/index.js"},
		entry{Name: "l.js", Mode: fs.ModeSymlink}, entry{Name: "big.woff", Body: strings.Repeat("x", archive.MaxFont+1)},
		entry{Name: strings.Repeat("n", archive.MaxName+2) + ".md"},
	)
	at := bytes.LastIndex(data, []byte(central))
	set16(data[at:], 8, 1) // the last entry is encrypted
	_, err := inspect(data)
	want := []string{
		`"\xff.js" not_unicode`, strings.Repeat("n", 64) + "… out_of_range",
		"LICENSE unknown_value", "README.md unknown_value", "types.d.ts unknown_value", "logo.svg unknown_value",
		"../evil.js invalid", "DIST/index.js duplicate", "l.js wrong_type", "big.woff out_of_range",
		"manifest.json required",
	}
	if diff := cmp.Diff(want, issuesOf(t, err)); diff != "" {
		t.Error(diff)
	}
	if e, _ := errors.AsType[*errs.Error](err); !strings.HasSuffix(e.Message, "And 10 more.") {
		t.Errorf("message = %q", e.Message)
	}
}

// Two headers that disagree are faults of their entries, not of the archive.
func TestFaultsOfLocalHeadersAreToldForEachEntry(t *testing.T) {
	t.Parallel()

	data := good(t, entry{Name: "a.js"}, entry{Name: "b.js"}, entry{Name: "c.md"})
	for _, name := range []string{"a.js", "b.js"} {
		data[bytes.Index(data, []byte(name))] = 'x'
	}
	_, err := inspect(data)
	if diff := cmp.Diff([]string{"a.js malformed", "b.js malformed", "c.md unknown_value"}, issuesOf(t, err)); diff != "" {
		t.Error(diff)
	}
}

// Damaged content is found while unpacking, in all files at once.
func TestEveryDamagedFileIsNamed(t *testing.T) {
	t.Parallel()

	data := good(t, entry{Name: "a.js", Body: "one text", Store: true}, entry{Name: "b.js", Body: "b"},
		entry{Name: "c.js", Body: "another text", Store: true})
	for _, text := range []string{"one text", "another text"} {
		data[bytes.Index(data, []byte(text))] = 'x'
	}
	c, err := inspect(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := issuesOf(t, extract(t, c, t.TempDir())); !slices.Equal(got, []string{"a.js malformed", "c.js malformed"}) {
		t.Errorf("faults = %q", got)
	}
}

func TestOneHundredFaultsAreListed(t *testing.T) {
	t.Parallel()

	for n, want := range map[int]int{100: 100, 101: 101, 250: 101} {
		var more []entry
		for i := range n {
			more = append(more, entry{Name: fmt.Sprintf("%d.md", i)})
		}
		_, err := inspect(good(t, more...))
		got := issuesOf(t, err)
		if len(got) != want {
			t.Errorf("%d faults: %d listed, want %d", n, len(got), want)
		}
		if last := got[len(got)-1]; (last == " more") != (n > 100) {
			t.Errorf("%d faults: the last is %q", n, last)
		}
	}
}

// What macOS adds to archives is neither a fault nor unpacked (contract 4.2).
func TestFilesOfMacOSAreLeftOut(t *testing.T) {
	t.Parallel()

	for _, top := range []string{"", "pay/"} {
		c, err := inspect(ziptest.Build(t,
			entry{Name: top + "manifest.json", Body: manifest}, entry{Name: top + "dist/index.js"},
			entry{Name: top + ".DS_Store"}, entry{Name: top + "dist/.DS_Store"},
			entry{Name: "__MACOSX/"}, entry{Name: "__MACOSX/" + top + "._manifest.json"}, entry{Name: "__MACOSX/../../x"},
		))
		if err != nil {
			t.Fatal(err)
		}
		want := []archive.File{{Name: "manifest.json", Size: int64(len(manifest))}, {Name: "dist/index.js"}}
		if diff := cmp.Diff(want, c.Files()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTypesMayBeWholeNames(t *testing.T) {
	t.Parallel()

	wide := profile
	wide.Types = append(slices.Clone(profile.Types), ".md", "license")
	data := good(t, entry{Name: "LICENSE"}, entry{Name: "dist/License"}, entry{Name: "README.MD"})
	if _, err := archive.Inspect(bytes.NewReader(data), int64(len(data)), wide); err != nil {
		t.Error(err)
	}
	data = good(t, entry{Name: "LICENSE.txt"}, entry{Name: "XLICENSE"}, entry{Name: "license/a"})
	_, err := archive.Inspect(bytes.NewReader(data), int64(len(data)), wide)
	if got := issuesOf(t, err); len(got) != 3 {
		t.Errorf("faults = %q", got)
	}
}

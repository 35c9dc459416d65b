// Package goldentest compares answers with golden files, and rewrites the files
// when the tests run with -update.
package goldentest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Values that differ from run to run.
var (
	anyID  = regexp.MustCompile(`"[a-z][a-z0-9]{23}"`)
	anyKey = regexp.MustCompile(`"STOA(-[0-9A-Z]{5}){6}"`)
)

// JSON compares a body with testdata/<name>.json, in which ids and license keys
// are replaced by placeholders.
func JSON(tb testing.TB, name string, body []byte) {
	tb.Helper()
	body = anyKey.ReplaceAll(anyID.ReplaceAll(body, []byte(`"ID"`)), []byte(`"KEY"`))
	var got bytes.Buffer
	if err := json.Indent(&got, body, "", "  "); err != nil {
		tb.Fatal(err)
	}
	File(tb, name+".json", got.String())
}

// File compares a text with the file name in testdata.
func File(tb testing.TB, name, got string) {
	tb.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if diff := cmp.Diff(got, string(want)); diff != "" {
		tb.Errorf("%s (-got +want):\n%s", path, diff)
	}
}

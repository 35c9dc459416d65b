package ops

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/operating.md lists every metric of stoa's own that the source names, and no other.
func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()

	doc, err := os.ReadFile("../../../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for _, m := range regexp.MustCompile("`(stoa_[a-z_]+)[`{]").FindAllStringSubmatch(string(doc), -1) {
		named[m[1]] = true
	}
	declared := make(map[string]bool)
	for what := range counted {
		declared["stoa_"+what+"_total"] = true
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`"(stoa_[a-z]+[a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
			declared[m[1]] = true
		}
	}
	if len(declared) < 20 {
		t.Fatalf("%d metrics were found: the form of the source has changed", len(declared))
	}
	for name := range declared {
		if !named[name] {
			t.Errorf("docs/operating.md does not say what %s is", name)
		}
	}
	for name := range named {
		if !declared[name] {
			t.Errorf("docs/operating.md names %s, which is no metric", name)
		}
	}
}

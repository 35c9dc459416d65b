package stoa

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The tests that docs/security/asvs.md points to are there.
func TestASVSNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	namesTestsThatExist(t, "docs/security/asvs.md", 40)
}

// The tests that docs/security/takeover.md points to are there.
func TestTakeoverNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	namesTestsThatExist(t, "docs/security/takeover.md", 30)
}

func namesTestsThatExist(t *testing.T, page string, least int) {
	t.Helper()
	doc, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:internal|cmd)/[a-z/]+) ((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(doc), -1)
	if len(named) < least {
		t.Fatalf("%d tests are named: the form has changed", len(named))
	}
	if all := regexp.MustCompile(`\b(Test|Fuzz)[A-Z]\w+`).FindAllString(string(doc), -1); len(all) != len(named) {
		t.Errorf("%d tests are mentioned, but only %d with their package", len(all), len(named))
	}
	for _, n := range named {
		if !declares(t, n[1], n[2]) {
			t.Errorf("package %s has no test %s", n[1], n[2])
		}
	}
}

func declares(tb testing.TB, dir, name string) bool {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		if strings.Contains(string(src), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}

// What is in part by default is yes under the asvs policy, with a test, or existing answers forbid it. Nothing else is.
var inPart = []string{
	"6.2.1", "6.2.4", "6.2.11", "6.2.12", "6.3.3", "6.3.8", "7.3.2", "7.5.2", "7.5.3", "6.3.4", "7.2.4", "9.2.3", "9.2.4",
}

// Each item has one answer, and says why. None is no; only items of level 3 are open.
func TestASVSAnswersEveryItem(t *testing.T) {
	t.Parallel()

	doc, err := os.ReadFile("docs/security/asvs.md")
	if err != nil {
		t.Fatal(err)
	}
	seen, counts := map[string]bool{}, map[string]int{}
	for line := range strings.Lines(string(doc)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		item := strings.TrimSpace(cells[0])
		if !regexp.MustCompile(`^([6-9]|10)\.\d`).MatchString(item) {
			continue
		}
		if len(cells) != 4 || seen[item] {
			t.Errorf("%s: %d cells, seen before %v", item, len(cells), seen[item])
			continue
		}
		seen[item] = true
		answer, why := strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])
		counts[answer]++
		switch {
		case why == "", !regexp.MustCompile(`^(yes|in part|open|n\.a\.)$`).MatchString(answer),
			answer == "in part" && !slices.Contains(inPart, item), answer == "open" && !strings.HasPrefix(why, "level 3"):
			t.Errorf("%s: answer %q, %q", item, answer, why)
		}
	}
	t.Logf("%d items: %v", len(seen), counts)
	if len(seen) < 95 {
		t.Errorf("%d items, want all of the five chapters", len(seen))
	}
}

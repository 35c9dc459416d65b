package httpapi

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// wordless are the codes for which no page has words: people who read pages do not meet them. A page that does all the
// same shows a general sentence with the API's message.
var wordless = []string{
	"METHOD_NOT_ALLOWED", "MISDIRECTED_REQUEST", "RANGE_NOT_SATISFIABLE", "NOT_READY", "NOT_FOR_KEYS", // programs
	"INTERNAL_ERROR",                                   // pages have one sentence for every failure of stoa's own
	"PERMISSION_NOT_GRANTED", "STORAGE_QUOTA_EXCEEDED", // plugins
	"PLUGIN_UNREACHABLE", "PLUGIN_BUSY", "PLUGIN_CIRCUIT_OPEN", "PLUGIN_STARTING", "PLUGIN_TIMEOUT", // the gateway's callers
	"THEME_APP_UNREACHABLE", "THEME_APP_STARTING", "THEME_APP_TIMEOUT", // shown as a page of its own
}

// refusalWords are the texts of web/texts/en.json for refusals; those of other languages have the same keys, which the
// build sees to.
type refusalWords struct {
	Errors struct {
		Page    map[string]string            `json:"page"`
		Shop    map[string]string            `json:"shop"`
		Console map[string]string            `json:"console"`
		Reasons map[string]map[string]string `json:"reasons"`
		Issues  map[string]string            `json:"issues"`
	} `json:"errors"`
	Shop struct {
		Discount struct {
			Refused map[string]string `json:"refused"`
		} `json:"discount"`
	} `json:"shop"`
}

func readRefusalWords(tb testing.TB) (words refusalWords) {
	tb.Helper()
	text, err := os.ReadFile("../../web/texts/en.json")
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(text, &words); err != nil {
		tb.Fatal(err)
	}
	words.Errors.Reasons["DISCOUNT_REFUSED"] = words.Shop.Discount.Refused
	return words
}

// Every code of docs/errors.md has words, or is one of those that no page shows.
func TestEveryCodeHasWords(t *testing.T) {
	t.Parallel()

	words := readRefusalWords(t).Errors
	known := slices.Concat(slices.Collect(maps.Keys(words.Page)), slices.Collect(maps.Keys(words.Shop)),
		slices.Collect(maps.Keys(words.Console)), wordless)
	var documented []string
	for _, e := range documentedErrors(t) {
		code, _, _ := strings.Cut(e, " ")
		documented = append(documented, code)
		if !slices.Contains(known, code) {
			t.Errorf("%s has no words in web/texts, and is not known to be shown by no page", code)
		}
	}
	for _, code := range known {
		if code != "general" && !slices.Contains(documented, code) {
			t.Errorf("%s has words, and is not in docs/errors.md", code)
		}
	}
}

var reasonsOf = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|.*?`details\\.reason`( says why:| is)? ([^.;|]*)")

// The reasons that docs/errors.md lists for a code have words of their own, and so have the codes of issues.
func TestEveryReasonHasWords(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("../../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	words := readRefusalWords(t).Errors
	found := 0
	for _, row := range reasonsOf.FindAllStringSubmatch(string(text), -1) {
		for _, reason := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[3], -1) {
			found++
			if words.Reasons[row[1]][reason[1]] == "" {
				t.Errorf("%s because of %s has no words in web/texts", row[1], reason[1])
			}
		}
	}
	if found < 16 {
		t.Errorf("docs/errors.md lists %d reasons, want 16 or more", found)
	}
	for _, code := range declaredIssueCodes(t) {
		if words.Issues[code] == "" && code != "two_lengths" { // of requests that no browser sends
			t.Errorf("the issue %s has no words in web/texts", code)
		}
	}
}

var (
	called = regexp.MustCompile(`api\s*\.(GET|POST|PUT|PATCH|DELETE)\(\s*"(/[^"]+)"`)
	posted = regexp.MustCompile(`\b(?:post|ask|request|prove|once)\((?:"\w+", )?"/?((?:auth|api)/[^"]+)"`)
)

// What a page can be answered has words among those that it loads: the pages of stoa's own have one group, the
// storefront two.
func TestPagesHaveWordsForWhatTheyAreAnswered(t *testing.T) {
	t.Parallel()

	promised := promisedOf(t)
	words := readRefusalWords(t).Errors
	for _, area := range []struct {
		folders []string
		words   []map[string]string
		least   int // how many calls are found
	}{
		{[]string{"../html/pages"}, []map[string]string{words.Page}, 20},
		{[]string{"../../web/src/storefront", "../../web/src/api"}, []map[string]string{words.Page, words.Shop}, 50},
	} {
		calls := callsIn(t, area.folders)
		if len(calls) < area.least {
			t.Errorf("%v call %d operations, want %d or more", area.folders, len(calls), area.least)
		}
		for _, call := range calls {
			for _, e := range promised[call] {
				code, _, _ := strings.Cut(e, " ")
				has := slices.ContainsFunc(area.words, func(group map[string]string) bool { return group[code] != "" })
				if !has && !slices.Contains(wordless, code) {
					t.Errorf("%s may answer %s, for which %v have no words", call, code, area.folders)
				}
			}
		}
	}
}

// callsIn returns the operations that scripts below folders name: "POST /auth/login".
func callsIn(tb testing.TB, folders []string) (calls []string) {
	tb.Helper()
	for _, folder := range folders {
		for _, pattern := range []string{"*.js", "links.go", "*.ts", "*.tsx", "*/*.ts", "*/*.tsx"} {
			files, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				tb.Fatal(err)
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					tb.Fatal(err)
				}
				for _, m := range called.FindAllStringSubmatch(string(text), -1) {
					calls = append(calls, m[1]+" "+m[2])
				}
				for _, m := range posted.FindAllStringSubmatch(string(text), -1) {
					calls = append(calls, "POST /"+m[1])
				}
			}
		}
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}

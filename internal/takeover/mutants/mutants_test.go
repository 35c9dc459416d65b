package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is where the paths of mutants begin.
const root = "../../.."

// The tables have not rotted: each place is there once, and each test. That the mutants compile, and die, is what
// make mutants shows.
func TestMutantsFitTheCode(t *testing.T) {
	t.Parallel()

	if _, err := mutated(root, mutants()); err != nil {
		t.Error(err)
	}
	seen := map[string]bool{}
	for _, m := range mutants() {
		if seen[m.name] || !regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`).MatchString(m.name) {
			t.Errorf("%s is there before, or is no name", m.name)
		}
		seen[m.name] = true
		if len(m.tests) == 0 {
			t.Errorf("%s has no test", m.name)
		}
		for _, e := range m.edits() {
			if !strings.Contains(e.new, "$ON") && len(m.edits()) == 1 {
				t.Errorf("%s cannot be switched on: %s", m.name, e.new)
			}
		}
	}
	for _, test := range testsOf(mutants()) {
		pkg, name := packageOf(test)
		if name, _, _ = strings.Cut(name, "/"); !declares(t, pkg, name) {
			t.Errorf("package %s has no test %s", pkg, name)
		}
	}
}

// What is replaced is what is marked, and nothing that may be somewhere else, too.
func TestPlacesAreFoundOnce(t *testing.T) {
	t.Parallel()

	const src = "if a && b {\n}\nif b && a {\n}\n"
	for old, want := range map[string]string{
		"if a && «b» {": "b", "«a» {": "a", "b && a": "b && a", // all of it
		"a": "", "«a» &&": "a", "c": "", "a && «b": "",
	} {
		from, to, err := edit{old: old}.core(src)
		if got := src[from:to]; got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", old, got, err, want)
		}
	}
	c := change{news: []string{"$OLD && !$ON", "$OLD || $ON"}, by: map[string][]string{
		"$OLD && !$ON": {"one", "two"}, "$OLD || $ON": {"three"},
	}}
	got, err := c.switched("a")
	want := `(((a) && !(mutantOn("one") || mutantOn("two"))) || (mutantOn("three")))`
	if err != nil || got != want {
		t.Errorf("it becomes %s, %v, want %s", got, err, want)
	}
	c.news[1], c.by["$ON"] = "$ON", []string{"four"}
	if got, err := c.switched("a"); err == nil {
		t.Errorf("one replaces the other: %s", got)
	}
}

func declares(t *testing.T, pkg, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, pkg, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(src), "\nfunc "+name+"(")
	})
}

// attack is a line of docs/security/takeover.md.
type attack struct {
	numbers []int
	what    string
	tests   []string // as mutants name them, without subtests
}

func documented(t *testing.T) (all []attack) {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join(root, "docs/security/takeover.md"))
	if err != nil {
		t.Fatal(err)
	}
	numberRE, testRE := regexp.MustCompile(`\d+`), regexp.MustCompile("`(internal/[a-z/]+ (?:Test|Fuzz)\\w+)`")
	for line := range strings.Lines(string(doc)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || !strings.Contains(cells[4], "`") {
			continue
		}
		a := attack{what: strings.TrimSpace(cells[1])}
		for _, n := range numberRE.FindAllString(cells[0], -1) {
			number, _ := strconv.Atoi(n) // digits
			a.numbers = append(a.numbers, number)
		}
		for _, found := range testRE.FindAllStringSubmatch(cells[4], -1) {
			a.tests = append(a.tests, found[1])
		}
		all = append(all, a)
	}
	if len(all) < 80 {
		t.Fatalf("%d attacks: the form has changed", len(all))
	}
	if count := fmt.Sprintf("have %d of them", len(mutants())); !strings.Contains(string(doc), count) {
		t.Errorf("the page does not say that the tables %s", count)
	}
	return all
}

// notices reports whether one of the tests of a is to notice m.
func (a attack) notices(m mutant) bool {
	return slices.ContainsFunc(m.tests, func(test string) bool {
		pkg, name := packageOf(test)
		name, _, _ = strings.Cut(name, "/")
		return slices.Contains(a.tests, pkg+" "+name)
	})
}

// Each attack has a mutant without its defense, which one of its tests notices.
func TestEachDocumentedAttackHasAMutant(t *testing.T) {
	t.Parallel()

	without := withoutMutant()
	for _, a := range documented(t) {
		has := slices.ContainsFunc(mutants(), a.notices)
		reason, listed := without[a.what]
		delete(without, a.what)
		if has == listed || listed && reason == "" {
			t.Errorf("%v %s: has a mutant %v, is listed without one %v (%q)", a.numbers, a.what, has, listed, reason)
		}
	}
	for what := range without {
		t.Errorf("no such attack: %s", what)
	}
}

// The numbers of a mutant are those of attacks whose tests notice it.
func TestMutantsHaveTheNumbersOfTheirAttacks(t *testing.T) {
	t.Parallel()

	all := documented(t)
	for _, m := range mutants() {
		for _, number := range m.t {
			if !slices.ContainsFunc(all, func(a attack) bool { return slices.Contains(a.numbers, number) && a.notices(m) }) {
				t.Errorf("%s: no attack with the number %d has one of its tests", m.name, number)
			}
		}
		if !slices.ContainsFunc(all, func(a attack) bool { return a.notices(m) }) {
			t.Errorf("%s: no attack has one of its tests", m.name)
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mutant is the code without one defense.
type mutant struct {
	name string // one word for the command line: what is gone
	t    []int  // of docs/security/takeover.md; none: of an attack without a number
	edit
	// also are places that hold the same defense a second time.
	also []edit
	// tests are those of which each must fail, as "package Test", or "package Test/subtest".
	tests []string
}

// edit is a change of one place.
type edit struct {
	file string
	// old occurs once in the file. Only the part between « and » is replaced; without them, all of it.
	old string
	// new is an expression, or what else fits there. $ON is true while the mutant is switched on, and $OLD is what stood
	// there. mutantIf(on, a, b) is a if on is true, and else b.
	new string
}

// edits returns all places of m.
func (m mutant) edits() []edit { return append([]edit{m.edit}, m.also...) }

// packageOf returns the package of a test, and the test.
func packageOf(test string) (pkg, name string) {
	pkg, name, _ = strings.Cut(test, " ")
	return pkg, name
}

// testsOf returns the tests of mutants, each once.
func testsOf(list []mutant) (all []string) {
	for _, m := range list {
		all = append(all, m.tests...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// packagesOf returns the packages of the tests of mutants, each once.
func packagesOf(list []mutant) (all []string) {
	for _, test := range testsOf(list) {
		pkg, _ := packageOf(test)
		all = append(all, pkg)
	}
	return slices.Compact(all)
}

// core returns where the part of src is that e replaces.
func (e edit) core(src string) (from, to int, err error) {
	before, rest, marked := strings.Cut(e.old, "«")
	core, after, closed := strings.Cut(rest, "»")
	if !marked {
		before, core, after = "", e.old, ""
	} else if !closed {
		return 0, 0, errors.New("« without »")
	}
	text := before + core + after
	if n := strings.Count(src, text); n != 1 {
		return 0, 0, fmt.Errorf("%s has %q %d times, want once", e.file, text, n)
	}
	from = strings.Index(src, text) + len(before)
	return from, from + len(core), nil
}

// change is what several mutants put in the place of one part of a file.
type change struct {
	from, to int
	news     []string            // distinct edit.new
	by       map[string][]string // the mutants that have each
}

// switched returns what stands in the file instead of core.
func (c change) switched(core string) (string, error) {
	for _, text := range c.news {
		if len(c.news) > 1 && !strings.Contains(text, "$OLD") {
			return "", fmt.Errorf("%v change one place, and one of them without $OLD", c.by)
		}
		on := make([]string, len(c.by[text]))
		for i, name := range c.by[text] {
			on[i] = "mutantOn(" + strconv.Quote(name) + ")"
		}
		old := inParens(core)
		if strings.HasPrefix(text, "`") { // of a statement in SQL
			old = core
		}
		core = strings.NewReplacer("$ON", "("+strings.Join(on, " || ")+")", "$OLD", old).Replace(text)
	}
	return inParens(core), nil
}

// inParens returns an expression that stays one wherever it stands. Whatever else it is stays as it is.
func inParens(text string) string {
	if _, err := parser.ParseExpr(text); err != nil || strings.Contains(text, "`") {
		return text
	}
	return "(" + text + ")"
}

// changes returns the changes of mutants by file, each file's in order. The error names all faults.
func changes(root string, list []mutant) (map[string][]change, error) {
	byFile := map[string][]change{}
	var faults []error
	for _, m := range list {
		for _, e := range m.edits() {
			src, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, err
			}
			from, to, err := e.core(string(src))
			if err != nil {
				faults = append(faults, fmt.Errorf("%s: %w", m.name, err))
				continue
			}
			all := byFile[e.file]
			i := slices.IndexFunc(all, func(c change) bool { return c.from == from && c.to == to })
			if i < 0 {
				i, all = len(all), append(all, change{from: from, to: to, by: map[string][]string{}})
				byFile[e.file] = all
			}
			if len(all[i].by[e.new]) == 0 {
				all[i].news = append(all[i].news, e.new)
			}
			all[i].by[e.new] = append(all[i].by[e.new], m.name)
		}
	}
	for file, all := range byFile {
		slices.SortFunc(all, func(a, b change) int { return a.from - b.from })
		for i := range len(all) - 1 {
			if all[i+1].from < all[i].to {
				faults = append(faults, fmt.Errorf("%s: %v and %v change the same place", file, all[i].by, all[i+1].by))
			}
		}
	}
	return byFile, errors.Join(faults...)
}

// helper is what the mutated files of a package call.
const helper = `package %s

import "os"

var mutantName = os.Getenv(%q)

func mutantOn(name string) bool {
	if name != mutantName {
		return false
	}
	_ = os.WriteFile(os.Getenv(%q), nil, 0o600)
	return true
}

func mutantSkip(on bool, do func() error) error {
	if on {
		return nil
	}
	return do()
}

func mutantIf[T any](on bool, with, without T) T {
	if on {
		return with
	}
	return without
}
`

// The variables in the environment of a test: the mutant that is switched on, and a file that it makes when it is met.
const (
	nameVar = "STOA_MUTANT"
	metVar  = "STOA_MUTANT_MET"
)

// mutated returns the files of packages with all mutants, none of which is switched on, by path below root.
func mutated(root string, list []mutant) (map[string]string, error) {
	byFile, err := changes(root, list)
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for file, all := range byFile {
		src, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		var b strings.Builder
		at := 0
		for _, c := range all {
			b.Write(src[at:c.from])
			text, err := c.switched(string(src[c.from:c.to]))
			if err != nil {
				return nil, err
			}
			b.WriteString(text)
			at = c.to
		}
		b.Write(src[at:])
		parsed, err := parser.ParseFile(token.NewFileSet(), file, b.String(), parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files[file] = b.String()
		files[path.Join(path.Dir(file), "mutant_switch.go")] = fmt.Sprintf(helper, parsed.Name.Name, nameVar, metVar)
	}
	return files, nil
}

package stoa

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// readable are the types of files in which people write sentences.
var readable = []string{
	".go", ".md", ".yaml", ".yml", ".ts", ".tsx", ".js", ".mjs", ".cjs", ".css", ".html", ".tmpl", ".sql", ".sh",
	".service", ".toml", ".tpl", ".py", ".env", ".example", "Makefile", "Containerfile",
}

// written are the files of the repository that people write, by their names. What is built,
// installed or recorded is left out.
var written = sync.OnceValues(func() (map[string]string, error) {
	files := make(map[string]string)
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "bin", "dist", "node_modules", "testdata"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !isReadable(name):
			return nil
		}
		text, err := os.ReadFile(name)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	return files, err
})

// eachText calls fn with the name and the text of every file that people write.
func eachText(t *testing.T, fn func(name, text string)) {
	t.Helper()
	files, err := written()
	if err != nil || len(files) < 1000 {
		t.Fatalf("%d files were read, %v", len(files), err)
	}
	for name, text := range files {
		fn(name, text)
	}
}

func isReadable(name string) bool {
	inScripts := path.Ext(name) == "" && filepath.Base(filepath.Dir(name)) == "scripts"
	return inScripts || slices.ContainsFunc(readable, func(end string) bool { return strings.HasSuffix(name, end) })
}

// flowing returns a text in one line, without the signs of comments: a citation may be wrapped.
func flowing(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		b.WriteByte(' ')
		line = strings.TrimSpace(line)
		for _, sign := range []string{"//", "#", "*", "--"} {
			line = strings.TrimSpace(strings.TrimPrefix(line, sign))
		}
		b.WriteString(line)
	}
	return b.String()
}

const (
	section  = `\d+(?:\.\d+)?`
	sections = section + `(?:(?:, | and | to |, and )` + section + `)*`
)

var (
	contractCited  = regexp.MustCompile(`\bcontract (` + sections + `)\b`)
	contractItself = regexp.MustCompile(`\((\d+\.\d+)\)|\bof (\d+\.\d+)\b`)
	sectionNumber  = regexp.MustCompile(section)
	sectionHeading = regexp.MustCompile(`(?m)^##+ (` + section + `) \S`)
)

// A comment that cites the contract names a section that docs/contract.md has.
func TestCitedSectionsOfTheContractExist(t *testing.T) {
	t.Parallel()

	text, err := os.ReadFile("docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	has := make(map[string]bool)
	for _, m := range sectionHeading.FindAllStringSubmatch(string(text), -1) {
		if has[m[1]] {
			t.Errorf("docs/contract.md has section %s twice", m[1])
		}
		has[m[1]] = true
	}
	for _, m := range contractItself.FindAllStringSubmatch(string(text), -1) {
		if cited := m[1] + m[2]; !has[cited] {
			t.Errorf("docs/contract.md refers to its section %s, which does not exist", cited)
		}
	}
	cited := 0
	eachText(t, func(name, text string) {
		if !strings.Contains(text, "contract") {
			return
		}
		for _, m := range contractCited.FindAllStringSubmatch(flowing(text), -1) {
			for _, number := range sectionNumber.FindAllString(m[1], -1) {
				if cited++; !has[number] {
					t.Errorf("%s cites contract %s, and docs/contract.md has no such section", name, number)
				}
			}
		}
	})
	if cited < 300 {
		t.Errorf("%d citations were found: their form has changed", cited)
	}
}

var adrCited = regexp.MustCompile(`\bADRs? (\d{1,4})\b|\bdocs/adr/(\d{4})`)

// The records of decisions are numbered without gaps, and every one that is cited exists.
func TestCitedDecisionsExist(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob("docs/adr/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d records of decisions, %v", len(files), err)
	}
	for i, file := range files { // sorted by their names
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		number := i + 1
		if !strings.HasPrefix(filepath.Base(file), fmt.Sprintf("%04d-", number)) ||
			!strings.HasPrefix(string(text), fmt.Sprintf("# %d. ", number)) {
			t.Fatalf("%s stands where ADR %04d belongs: a number is missing, given twice, or not that of the title",
				file, number)
		}
	}
	eachText(t, func(name, text string) {
		if !strings.Contains(text, "ADR") && !strings.Contains(text, "docs/adr/") {
			return
		}
		for _, m := range adrCited.FindAllStringSubmatch(flowing(text), -1) {
			if number, err := strconv.Atoi(m[1] + m[2]); err != nil || number < 1 || number > len(files) {
				t.Errorf("%s cites %q, and docs/adr has no such record", name, m[0])
			}
		}
	})
}

var (
	// elsewhere are names under which people once cited pages that no reader of the repository has.
	elsewhere = regexp.MustCompile(`\bCONTRACT\b|\b[sS]pec(?:ification)?s? [AB]\b|\b[iI]ssues? #?\d+\b|` +
		`\bDESIGN\b|\bSTYLE\b|\bstop-\d+\b`)
	// hints are in every file that elsewhere finds something in, and quicker to look for.
	hints = []string{"CONTRACT", "pec", "ssue", "DESIGN", "STYLE", "stop-"}
	// document is a page or a file of docs, or a page at the top, that a sentence names.
	document = regexp.MustCompile(`\bdocs/[\w./-]*\w\.(?:md|json|png)\b|\b[A-Z]{4,}\.md\b`)
)

// released are files that are never changed once a release has them (ADR 0003), comments included.
const released = "internal/store/migrations/"

// A reader can open every document that a file names.
func TestCitedDocumentsAreInTheRepository(t *testing.T) {
	t.Parallel()

	eachText(t, func(name, text string) {
		if strings.HasPrefix(name, released) || name == "references_test.go" {
			return
		}
		if slices.ContainsFunc(hints, func(hint string) bool { return strings.Contains(text, hint) }) {
			for _, cited := range elsewhere.FindAllString(flowing(text), -1) {
				t.Errorf("%s cites %q, which is not in the repository: cite docs/contract.md, or say the rule", name, cited)
			}
		}
		if !strings.Contains(text, "docs/") && !strings.Contains(text, ".md") {
			return
		}
		for _, cited := range document.FindAllString(text, -1) {
			if !exists(cited) && !exists(path.Join(path.Dir(name), cited)) {
				t.Errorf("%s names %s, which does not exist", name, cited)
			}
		}
	})
}

func exists(name string) bool {
	_, err := os.Stat(filepath.FromSlash(name))
	return err == nil
}

var packageCited = regexp.MustCompile(`\b[pP]ackages? ([a-z0-9]+(?:/[a-z0-9]+)+)\b`)

// A comment that names a package by its path names a folder of the repository, the path below
// internal/ or a part at its end, or a package of the standard library.
func TestCitedPackagesExist(t *testing.T) {
	t.Parallel()

	var folders []string
	eachText(t, func(name, _ string) {
		if strings.HasSuffix(name, ".go") {
			folders = append(folders, "/"+path.Dir(name))
		}
	})
	std := standardLibrary(t)
	eachText(t, func(name, text string) {
		if !strings.HasSuffix(name, ".go") || !strings.Contains(text, "ackage") {
			return
		}
		for _, m := range packageCited.FindAllStringSubmatch(flowing(text), -1) {
			_, err := os.Stat(filepath.Join(std, filepath.FromSlash(m[1])))
			if err != nil && !slices.ContainsFunc(folders, func(f string) bool { return strings.HasSuffix(f, "/"+m[1]) }) {
				t.Errorf("%s names package %s, which does not exist", name, m[1])
			}
		}
	})
}

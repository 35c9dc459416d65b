package stoa

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	link     = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading  = regexp.MustCompile(`^#{1,6} (.*)$`)
	code     = regexp.MustCompile("`[^`]*`")
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	divider  = regexp.MustCompile(`^\|(?: *:?-+:? *\|)+$`)
	scheme   = regexp.MustCompile(`^[a-z]+:`)
	place    = regexp.MustCompile("`((?:bench|browser|cmd|compat|deploy|docs|examples|internal|nodehost|scripts|web)" +
		"/[\\w./-]+)`")
)

// Every relative link in a page leads to a file of the repository, and to a heading of that page
// if it names one.
func TestLinksInPagesResolve(t *testing.T) {
	t.Parallel()

	pages := make(map[string]string)
	eachText(t, func(name, text string) {
		if strings.HasSuffix(name, ".md") {
			pages[name] = prose(text)
		}
	})
	for name, text := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			if scheme.MatchString(m[1]) {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := path.Join(path.Dir(name), file)
			if file == "" {
				target = name
			}
			switch {
			case strings.HasPrefix(file, "/") || !exists(target):
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			case anchor != "" && !anchors(pages[target])[anchor]:
				t.Errorf("%s links to %s, and %s has no such heading", name, m[1], target)
			}
		}
	}
}

// A path of the repository that a page has in backquotes is there. The changelog names what was.
func TestPathsInPagesExist(t *testing.T) {
	t.Parallel()

	eachText(t, func(name, text string) {
		if !strings.HasSuffix(name, ".md") || name == "CHANGELOG.md" {
			return
		}
		for _, m := range place.FindAllStringSubmatch(prose(text), -1) {
			built := strings.Contains(m[1]+"/", "/dist/")
			if !built && !exists(m[1]) && !exists(path.Join(path.Dir(name), m[1])) {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			}
		}
	})
}

// Every row of a table in a page has as many cells as the table's head, and belongs to a table.
func TestTablesInPagesAreWhole(t *testing.T) {
	t.Parallel()

	eachText(t, func(name, text string) {
		if !strings.HasSuffix(name, ".md") {
			return
		}
		lines := strings.Split(prose(text), "\n")
		want := 0 // cells of a row; 0 outside of tables
		for i, line := range lines {
			line = strings.TrimSpace(line)
			switch begins := i+1 < len(lines) && divider.MatchString(strings.TrimSpace(lines[i+1])); {
			case !strings.HasPrefix(line, "|"):
				want = 0
			case want == 0 && !begins:
				t.Errorf("%s:%d: this row has no table", name, i+1)
			case want == 0:
				want = cells(line)
			case cells(line) != want:
				t.Errorf("%s:%d: this row has %d cells, and its table %d", name, i+1, cells(line), want)
			}
		}
	})
}

// prose returns a page with its blocks of code emptied, line for line.
func prose(page string) string {
	lines, fence := strings.Split(page, "\n"), ""
	for i, line := range lines {
		mark := strings.TrimLeft(line, " ")
		switch {
		case fence == "" && (strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~")):
			fence, lines[i] = mark[:3], ""
		case fence != "":
			if strings.HasPrefix(mark, fence) {
				fence = ""
			}
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// cells counts the cells of a row. A pipe with a backslash belongs to a cell, also inside of code.
func cells(row string) int {
	return strings.Count(strings.ReplaceAll(strings.TrimSuffix(row, "|"), `\|`, ""), "|")
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(page string) map[string]bool {
	found := make(map[string]bool)
	for line := range strings.SplitSeq(page, "\n") {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		name := strings.ReplaceAll(noAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(m[1])), ""), " ", "-")
		for n := 0; ; n++ {
			numbered := name
			if n > 0 {
				numbered += "-" + strconv.Itoa(n)
			}
			if !found[numbered] {
				found[numbered] = true
				break
			}
		}
	}
	return found
}

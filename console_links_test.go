package stoa

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	consoleRoute = regexp.MustCompile(`\bpath: "(/[^"]*)"`)
	// consoleLink matches texts that are addresses: in the console's scripts below its base path, in
	// the texts and in Go below /console.
	consoleLink = regexp.MustCompile("[\"'`](/[^\"'`\\s<>]*)[\"'`]")
	inserted    = regexp.MustCompile(`\$\{[^}]*\}`)
)

// Every address in the console leads to a page: a link that nobody has clicked ends in "There is no
// page here".
func TestEveryLinkOfTheConsoleLeadsToAPage(t *testing.T) {
	t.Parallel()

	routes := make(map[string]bool)
	areas := make(map[string]bool) // first segments
	texts := make(map[string][]string)
	err := filepath.WalkDir("web/src/console", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".ts", ".tsx"}, path.Ext(name)) {
			return err
		}
		text, err := os.ReadFile(name)
		if path.Base(name) == "routes.tsx" {
			for _, m := range consoleRoute.FindAllStringSubmatch(string(text), -1) {
				routes[m[1]], areas[strings.Split(m[1], "/")[1]] = true, true
			}
		}
		for _, m := range consoleLink.FindAllStringSubmatch(string(text), -1) {
			texts[name] = append(texts[name], m[1])
		}
		return err
	})
	if err != nil || len(routes) < 20 {
		t.Fatalf("%d routes, %v", len(routes), err)
	}
	links := 0
	for name, found := range texts {
		for _, link := range found {
			link, _, _ = strings.Cut(link, "?")
			link, _, _ = strings.Cut(link, "#")
			link = strings.TrimSuffix(inserted.ReplaceAllString(link, "$"), "/")
			if segments := strings.Split(link, "/"); len(segments) < 2 || segments[1] == "" || !areas[segments[1]] {
				continue // the first page, or no page of the console
			}
			links++
			if !leadsTo(routes, link) {
				t.Errorf("%s: %s leads to no page", filepath.ToSlash(name), link)
			}
		}
	}
	if links < 50 {
		t.Errorf("found only %d links: the expression no longer finds them", links)
	}
}

// leadsTo reports whether a route matches a link, in which inserted values are "$". Such a value
// stands for a parameter, or for one of several segments.
func leadsTo(routes map[string]bool, link string) bool {
	want := strings.Split(link, "/")
	for route := range routes {
		have := strings.Split(route, "/")
		if len(have) == len(want) && matches(have, want) {
			return true
		}
	}
	return false
}

func matches(route, link []string) bool {
	for i, segment := range route {
		if segment != link[i] && !strings.HasPrefix(segment, "$") && !strings.Contains(link[i], "$") {
			return false
		}
		// "/shop/products/new" is no product: a written segment must be a written route's.
		if strings.HasPrefix(segment, "$") && !strings.Contains(link[i], "$") {
			return false
		}
	}
	return true
}

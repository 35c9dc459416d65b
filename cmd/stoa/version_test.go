package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The version is the newest release in the changelog, and its commit or one after it. The chart
// installs that release.
func TestTheVersionIsThatOfTheChangelog(t *testing.T) {
	t.Parallel()

	newest := find(t, "../../CHANGELOG.md", `(?m)^## (\d+\.\d+\.\d+) \(\d{4}-\d{2}-\d{2}\)$`)
	if got := strings.TrimSuffix(version(), "+dev"); got != newest {
		t.Errorf("the version is %s, and the newest release in CHANGELOG.md %s", version(), newest)
	}
	if got := find(t, "../../deploy/helm/stoa/Chart.yaml", `(?m)^appVersion: (.*)$`); got != newest {
		t.Errorf("appVersion of the chart is %s, and the newest release in CHANGELOG.md %s", got, newest)
	}
}

// find returns what the group in a pattern matches first in a file.
func find(t *testing.T, name, pattern string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(pattern).FindStringSubmatch(string(text))
	if m == nil {
		t.Fatalf("%s has nothing like %s", name, pattern)
	}
	return m[1]
}

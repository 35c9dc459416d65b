package testkit

import (
	"fmt"
	"strings"
	"testing"
)

// WantError checks status and code of an error of the enveloped family.
func WantError(tb testing.TB, res Response, status int, code string) {
	tb.Helper()
	if res.Status != status || res.Text(tb, "error.code") != code || res.Get(tb, "success") != false {
		tb.Errorf("answer = %d %s, want %d %s\n%s", res.Status, res.Text(tb, "error.code"), status, code, res.Body)
	}
}

// WantFlatError checks status and code of an error of the flat family.
func WantFlatError(tb testing.TB, res Response, status int, code string) {
	tb.Helper()
	if res.Status != status || res.Text(tb, "error") != code || res.Text(tb, "message") == "" {
		tb.Errorf("answer = %d %s; want %d %s", res.Status, res.Body, status, code)
	}
}

// IssuePaths returns the paths of an error's issues, in either family, separated by
// spaces.
func IssuePaths(tb testing.TB, res Response) string {
	tb.Helper()
	list := res.Get(tb, "error.details.issues")
	if list == nil {
		list = res.Get(tb, "details.issues")
	}
	issues, _ := list.([]any)
	paths := make([]string, len(issues))
	for i, is := range issues {
		paths[i] = fmt.Sprint(is.(map[string]any)["path"])
	}
	return strings.Join(paths, " ")
}

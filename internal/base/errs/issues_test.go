package errs_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"stoa/internal/base/errs"
)

// Unlike the result of Validation, it is declared once and compared with errors.Is.
func TestMalformedHasOneIssue(t *testing.T) {
	t.Parallel()

	declared := errs.Malformed("cut", "Cut short.")
	err := declared.Because(io.EOF)
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || !errors.Is(err, declared) || e.Kind != errs.Invalid || e.Code != errs.CodeValidation {
		t.Fatalf("Malformed = %+v", err)
	}
	list, _ := e.With("slug", "x").Details["issues"].([]errs.Issue)
	if len(list) != 1 || list[0] != (errs.Issue{Code: "cut", Message: "Cut short."}) {
		t.Errorf("issues = %+v", list)
	}
}

func TestValidationNamesEveryIssue(t *testing.T) {
	t.Parallel()

	if err := errs.Validation(); err != nil {
		t.Errorf("Validation() = %v, want nil", err)
	}
	err := errs.Validation(errs.Issue{Path: "a", Code: "required", Message: "a is required."},
		errs.Issue{Path: "b", Code: "required", Message: "b is required."})
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || e.Code != errs.CodeValidation || e.Message != "a is required. b is required." ||
		len(e.Details["issues"].([]errs.Issue)) != 2 {
		t.Errorf("Validation = %+v", err)
	}
}

func TestIssuesAreBounded(t *testing.T) {
	t.Parallel()

	const limit = errs.MaxIssues
	for n, want := range map[int]string{
		limit:     "required x0",
		limit + 1: "more There are 1 more.",
		limit * 9: fmt.Sprintf("more There are %d more.", limit*8),
	} {
		var list []errs.Issue
		for i := range n {
			list = append(list, errs.Issue{Path: "a", Code: "required", Message: fmt.Sprint("x", i%(limit-1))})
		}
		e, _ := errors.AsType[*errs.Error](errs.Validation(list...))
		got := e.Details["issues"].([]errs.Issue)
		last := got[len(got)-1]
		if len(got) > limit+1 || last.Code+" "+last.Message != want || len(list) != n || list[n-1].Code != "required" {
			t.Errorf("of %d issues %d are named, the last %+v, want %q", n, len(got), last, want)
		}
		if want := fmt.Sprintf("x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 And %d more.", n-10); e.Message != want {
			t.Errorf("message of %d issues = %q, want %q", n, e.Message, want)
		}
	}
}

func TestIssuesKeepTheirOrder(t *testing.T) {
	t.Parallel()

	var is errs.Issues
	if is.Len() != 0 || is.List() != nil || is.Err() != nil || is.Has("") {
		t.Errorf("the zero value has %d issues, %v", is.Len(), is.Err())
	}
	is.Add("b", errs.CodeOutOfRange, "b must be %d%% or less.", 100)
	if is.Require("a", "") || !is.Require("c", " ") {
		t.Error("Require must refuse the empty text and nothing else")
	}
	want := []errs.Issue{
		{Path: "b", Code: "out_of_range", Message: "b must be 100% or less."},
		{Path: "a", Code: "required", Message: "a is required."},
	}
	if !slices.Equal(is.List(), want) || is.Len() != 2 || !is.Has("a") || is.Has("c") {
		t.Errorf("issues = %+v, want %+v", is.List(), want)
	}
	e, ok := errors.AsType[*errs.Error](errs.WithIssues(errs.Conflict, "OTHER_CODE", is))
	if !ok || e.Kind != errs.Conflict || e.Code != "OTHER_CODE" ||
		!slices.Equal(e.Details["issues"].([]errs.Issue), want) {
		t.Errorf("WithIssues = %+v", e)
	}
	if e, ok = errors.AsType[*errs.Error](is.Err()); !ok || e.Kind != errs.Invalid || e.Code != errs.CodeValidation {
		t.Errorf("Err = %+v", e)
	}
}

func TestMergeSkipsPathsAtFault(t *testing.T) {
	t.Parallel()

	var is, more errs.Issues
	is.Add("a", errs.CodeWrongType, "a must be a string.")
	more.Add("a", errs.CodeRequired, "a is required.")
	more.Add("a.b", errs.CodeRequired, "a.b is required.")
	more.Add("a.b", errs.CodeInvalid, "a.b is wrong too.")
	is.Merge(more)
	is.Merge(errs.Issues{})
	want := []errs.Issue{
		{Path: "a", Code: "wrong_type", Message: "a must be a string."},
		{Path: "a.b", Code: "required", Message: "a.b is required."},
	}
	if !slices.Equal(is.List(), want) || more.Len() != 3 {
		t.Errorf("merged = %+v, want %+v", is.List(), want)
	}
}

// An answer is bounded however the issues came in, and none is lost from the
// count.
func TestCollectedIssuesAreBounded(t *testing.T) {
	t.Parallel()

	const limit = errs.MaxIssues
	fill := func(n int) (is errs.Issues) {
		for i := range n {
			is.Add(fmt.Sprint("p", i), errs.CodeRequired, "p%d is required.", i)
		}
		return is
	}
	tests := []struct {
		name string
		make func() errs.Issues
		want int // all of them
	}{
		{"as many as are kept", func() errs.Issues { return fill(limit) }, limit},
		{"one more", func() errs.Issues { return fill(limit + 1) }, limit + 1},
		{"appended over the limit", func() errs.Issues {
			is := fill(limit - 1)
			is.Append(make([]errs.Issue, 5)...)
			return is
		}, limit + 4},
		{"appended beyond the limit", func() errs.Issues {
			is := fill(limit + 1)
			is.Append(make([]errs.Issue, 5)...)
			return is
		}, limit + 6},
		{"merged", func() errs.Issues {
			var is errs.Issues
			is.Add("other", errs.CodeRequired, "other is required.")
			is.Merge(fill(limit + 7))
			return is
		}, limit + 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			is := tt.make()
			if is.Len() != tt.want || len(is.List()) != min(tt.want, limit) {
				t.Errorf("%d issues, %d kept; want %d", is.Len(), len(is.List()), tt.want)
			}
			e, _ := errors.AsType[*errs.Error](is.Err())
			listed := e.Details["issues"].([]errs.Issue)
			last := listed[len(listed)-1]
			if beyond := tt.want - limit; beyond == 0 && last.Code != "required" ||
				beyond > 0 && last != (errs.Issue{Code: errs.CodeMore, Message: fmt.Sprintf("There are %d more.", beyond)}) {
				t.Errorf("last issue = %+v", last)
			}
		})
	}
}

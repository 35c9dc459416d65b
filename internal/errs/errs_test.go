package errs_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"stoa/internal/errs"
)

func TestIs(t *testing.T) {
	t.Parallel()

	a := errs.New(errs.Invalid, "SAME_CODE", "One.")
	b := errs.New(errs.Invalid, "SAME_CODE", "Two.")

	tests := []struct {
		name   string
		err    error
		target error
		want   bool
	}{
		{"itself", a, a, true},
		{"wrapped by fmt", fmt.Errorf("x: %w", a), a, true},
		{"copy with a cause", a.Because(io.EOF), a, true},
		{"the cause", a.Because(io.EOF), io.EOF, true},
		{"copy of a copy", a.With("slug", "x").After(time.Second), a, true},
		{"same code, different error", a, b, false},
		{"copy, different error", a.Because(io.EOF), b, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if got := errors.Is(tt.err, tt.target); got != tt.want {
				t.Errorf("errors.Is = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()

	invalid := errs.New(errs.Invalid, "X", "X.")
	tests := []struct {
		name string
		err  error
		want errs.Kind
	}{
		{"nil", nil, ""},
		{"ours", invalid, errs.Invalid},
		{"ours, wrapped", fmt.Errorf("y: %w", invalid), errs.Invalid},
		{"anything else", io.ErrUnexpectedEOF, errs.Internal},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			if got := errs.KindOf(tt.err); got != tt.want {
				t.Errorf("KindOf = %q, want %q", got, tt.want)
			}
		})
	}
}

// A declared error is shared by every request: decorating it must not leak one
// request's details into the next.
func TestWithLeavesTheDeclaredErrorAlone(t *testing.T) {
	t.Parallel()

	declared := errs.New(errs.Busy, "X", "X.")
	one := declared.With("slug", "one").After(time.Second)
	two := one.With("slug", "two")
	if declared.Details != nil || declared.RetryAfter != 0 || declared.Err != nil {
		t.Errorf("declared error changed: %+v", declared)
	}
	if one.Details["slug"] != "one" || two.Details["slug"] != "two" {
		t.Errorf("details = %v, %v; want one, two", one.Details, two.Details)
	}
}

// It is declared once and compared, unlike what Validation returns.
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
	err := errs.Validation(errs.Issue{Path: "a", Code: "required", Message: "a is required."}, errs.Issue{Path: "b", Code: "required", Message: "b is required."})
	e, ok := errors.AsType[*errs.Error](err)
	if !ok || e.Code != errs.CodeValidation || e.Message != "a is required. b is required." || len(e.Details["issues"].([]errs.Issue)) != 2 {
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
	e, _ := errors.AsType[*errs.Error](errs.WithMore(errs.Invalid, "X", []errs.Issue{{Message: "One."}}, 7))
	if got := e.Details["issues"].([]errs.Issue); len(got) != 2 || got[1].Message != "There are 7 more." || e.Message != "One. And 7 more." {
		t.Errorf("WithMore = %+v", e)
	}
}

package errs_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"stoa/internal/base/errs"
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

// All requests share a declared error: adding to it must not leak one request's
// details into the next.
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

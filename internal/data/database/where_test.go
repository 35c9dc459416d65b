package database

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhereNumbersPlaceholdersInOrder(t *testing.T) {
	t.Parallel()

	var w Where
	w.And("a IS NULL")
	w.And("(b = $1 OR c = $1)", "b")
	w.And("d BETWEEN $1 AND $2", 1, 2)
	w.And("e IN ($3, $1,$2)", 3, 4, 5)
	want := " WHERE a IS NULL AND (b = $1 OR c = $1) AND d BETWEEN $2 AND $3 AND e IN ($6, $4,$5)"
	if diff := cmp.Diff(w.String(), want); diff != "" {
		t.Errorf("String (-got +want):\n%s", diff)
	}
	if diff := cmp.Diff(w.Args(), []any{"b", 1, 2, 3, 4, 5}); diff != "" {
		t.Errorf("Args (-got +want):\n%s", diff)
	}
	for range 2 { // a page changes nothing
		page, args := w.Page(10, 20)
		if diff := cmp.Diff(page, " LIMIT $7 OFFSET $8"); diff != "" {
			t.Errorf("Page (-got +want):\n%s", diff)
		}
		if diff := cmp.Diff(args, []any{"b", 1, 2, 3, 4, 5, 10, 20}); diff != "" {
			t.Errorf("arguments of the page (-got +want):\n%s", diff)
		}
	}
	w.And("f = $1", 6)
	if diff := cmp.Diff(w.Args(), []any{"b", 1, 2, 3, 4, 5, 6}); diff != "" {
		t.Errorf("Args after a page (-got +want):\n%s", diff)
	}
}

func TestWhereWithoutConditionsIsEmpty(t *testing.T) {
	t.Parallel()

	var w Where
	page, args := w.Page(10, 20)
	if w.String() != "" || len(w.Args()) != 0 || page != " LIMIT $1 OFFSET $2" {
		t.Errorf("%q with %v, then %q", w.String(), w.Args(), page)
	}
	if diff := cmp.Diff(args, []any{10, 20}); diff != "" {
		t.Errorf("arguments of the page (-got +want):\n%s", diff)
	}
}

func TestLikeEscapesEveryWildcard(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{"": "%%", "abc": "%abc%", `50%_\~`: `%50~%~_\~~%`} {
		if got := Like(text); got != want {
			t.Errorf("Like(%q) = %q, want %q", text, got, want)
		}
	}
}

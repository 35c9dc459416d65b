package database

import (
	"slices"
	"strconv"
	"strings"
)

// Where is the WHERE clause of a query, built from one condition after another,
// with the arguments of all of them. The zero value has no conditions.
type Where struct {
	terms []string
	args  []any
}

// And adds a condition. Its placeholders count from $1, as if it stood alone; And
// renumbers them to follow those of the conditions before it.
func (w *Where) And(condition string, args ...any) {
	w.terms = append(w.terms, renumber(condition, len(w.args)))
	w.args = append(w.args, args...)
}

// String returns the clause, which begins with a space, or "" if there is no
// condition.
func (w *Where) String() string {
	if len(w.terms) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(w.terms, " AND ")
}

// Args returns the arguments of the clause.
func (w *Where) Args() []any { return w.args }

// Page returns the LIMIT and OFFSET clauses for a query that already has the clause of w, and the
// arguments of both.
func (w *Where) Page(limit, offset int) (clause string, args []any) {
	return renumber(` LIMIT $1 OFFSET $2`, len(w.args)), append(slices.Clip(w.args), limit, offset)
}

// renumber adds n to every placeholder in query.
func renumber(query string, n int) string {
	if n == 0 {
		return query
	}
	return replaceNumbered(query, "$", func(number int) (string, bool) { return "$" + strconv.Itoa(number+n), true })
}

// replaceNumbered replaces mark, wherever a number follows, and the number with what replace returns
// for it, unless that is false.
func replaceNumbered(query, mark string, replace func(number int) (with string, ok bool)) string {
	before, rest, found := strings.Cut(query, mark)
	if !found {
		return query
	}
	var b strings.Builder
	for found {
		after := strings.TrimLeft(rest, "0123456789")
		digits := strings.TrimSuffix(rest, after)
		text := mark + digits
		if number, err := strconv.Atoi(digits); err == nil {
			if with, ok := replace(number); ok {
				text = with
			}
		}
		b.WriteString(before + text)
		before, rest, found = strings.Cut(after, mark)
	}
	b.WriteString(before)
	return b.String()
}

// likeEscaper escapes the characters that LIKE … ESCAPE '~' does not take literally.
var likeEscaper = strings.NewReplacer(`~`, `~~`, `%`, `~%`, `_`, `~_`)

// Like returns the pattern for LIKE … ESCAPE '~' that matches every text containing s. Every
// character of s stands for itself.
func Like(s string) string { return "%" + likeEscaper.Replace(s) + "%" }

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
	before, rest, found := strings.Cut(query, "$")
	var b strings.Builder
	b.WriteString(before)
	for found {
		var part string
		part, rest, found = strings.Cut(rest, "$")
		text := strings.TrimLeft(part, "0123456789")
		digits := strings.TrimSuffix(part, text)
		if number, err := strconv.Atoi(digits); err == nil {
			digits = strconv.Itoa(number + n)
		}
		b.WriteString("$" + digits + text)
	}
	return b.String()
}

// likeEscaper escapes the characters that LIKE … ESCAPE '~' does not take literally.
var likeEscaper = strings.NewReplacer(`~`, `~~`, `%`, `~%`, `_`, `~_`)

// Like returns the pattern for LIKE … ESCAPE '~' that matches every text containing s. Every
// character of s stands for itself.
func Like(s string) string { return "%" + likeEscaper.Replace(s) + "%" }

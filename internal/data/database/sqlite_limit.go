package database

import (
	"database/sql/driver"
	"strconv"
	"strings"
)

const limitParameter = "LIMIT $"

// limited returns query with its limits as numbers in place of parameters. SQLite looks at the value
// of a limit to choose a plan (since 3.47), and when it is a parameter's, parses the statement again
// for each execution, which takes longer than most of ours run. A connection then keeps a statement for
// each number, with the plan for it, among its maxStatements. SQLite's driver ignores arguments that no
// parameter has.
func limited(query string, args []driver.NamedValue) string {
	before, rest, found := strings.Cut(query, limitParameter)
	if !found {
		return query
	}
	var b strings.Builder
	for found {
		after := strings.TrimLeft(rest, "0123456789")
		parameter := strings.TrimSuffix(rest, after)
		b.WriteString(before)
		if n, err := strconv.Atoi(parameter); err != nil || n < 1 || n > len(args) {
			b.WriteString(limitParameter + parameter)
		} else if value, ok := args[n-1].Value.(int64); !ok {
			b.WriteString(limitParameter + parameter)
		} else {
			b.WriteString("LIMIT " + strconv.FormatInt(value, 10))
		}
		before, rest, found = strings.Cut(after, limitParameter)
	}
	b.WriteString(before)
	return b.String()
}

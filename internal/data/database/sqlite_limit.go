package database

import (
	"database/sql/driver"
	"strconv"
)

// limited returns query with its limits as numbers in place of parameters. SQLite looks at the value
// of a limit to choose a plan (since 3.47), and when it is a parameter's, parses the statement again
// for each execution, which takes longer than most of ours run. A connection then keeps a statement for
// each number, with the plan for it, among its maxStatements. SQLite's driver ignores arguments that no
// parameter has.
func limited(query string, args []driver.NamedValue) string {
	return replaceNumbered(query, "LIMIT $", func(n int) (string, bool) {
		if n < 1 || n > len(args) {
			return "", false
		}
		value, ok := args[n-1].Value.(int64)
		return "LIMIT " + strconv.FormatInt(value, 10), ok
	})
}

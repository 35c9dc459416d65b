package database

import (
	"database/sql/driver"
	"strconv"
)

// limited returns query with numbers in place of the parameters of its limits. SQLite (since 3.47)
// chooses a plan by the value of a limit. If the limit is a parameter, SQLite parses the statement again
// for each execution, which takes longer than most of our statements run. With numbers, a connection
// keeps one statement, with its plan, for each number, among its maxStatements. SQLite's driver ignores
// arguments that no parameter uses.
func limited(query string, args []driver.NamedValue) string {
	return replaceNumbered(query, "LIMIT $", func(n int) (string, bool) {
		if n < 1 || n > len(args) {
			return "", false
		}
		value, ok := args[n-1].Value.(int64)
		return "LIMIT " + strconv.FormatInt(value, 10), ok
	})
}

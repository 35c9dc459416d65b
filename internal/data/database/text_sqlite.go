package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
)

// textSQLite is Conn.Text on SQLite, without the rows of database/sql.
func textSQLite(
	ctx context.Context, pool *sql.DB, query string, args []string,
) (text string, answered bool, err error) {
	if err := ctx.Err(); err != nil {
		return "", true, err
	}
	ctx = context.WithoutCancel(ctx) // as Brief does
	conn, err := pool.Conn(ctx)
	if err != nil {
		return "", true, err
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		prepared, ok := c.(*preparedConn)
		if !ok {
			return fmt.Errorf("a SQLite connection is a %T", c)
		}
		text, err = prepared.text(ctx, query, args)
		return err
	})
	return text, true, err
}

// text returns the one column of the one row of a query.
func (c *preparedConn) text(ctx context.Context, query string, args []string) (text string, err error) {
	values := make([]driver.NamedValue, len(args))
	for i := range args {
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: args[i]}
	}
	rows, err := c.QueryContext(ctx, query, values)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var row [1]driver.Value
	if err := rows.Next(row[:]); errors.Is(err, io.EOF) {
		return "", sql.ErrNoRows
	} else if err != nil {
		return "", err
	}
	text, ok := row[0].(string)
	if !ok {
		return "", fmt.Errorf("the column is a %T and no text", row[0])
	}
	return text, nil
}

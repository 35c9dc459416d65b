package measure

import (
	"context"
	"database/sql"
	"errors"
	"net/url"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver stoa uses
)

// Schema makes an empty schema on the PostgreSQL server at server, in place of one with that name. It
// returns the URL of the server with that schema, and what drops it.
func Schema(ctx context.Context, server, name string) (at string, drop func() error, err error) {
	u, err := url.Parse(server)
	if err != nil {
		return "", nil, err
	}
	remove := `DROP SCHEMA IF EXISTS ` + name + ` CASCADE`
	if err := Execute(ctx, server, remove, `CREATE SCHEMA `+name); err != nil {
		return "", nil, err
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String(), func() error { return Execute(context.WithoutCancel(ctx), server, remove) }, nil
}

// Execute carries out statements on a PostgreSQL server, one after the other.
func Execute(ctx context.Context, at string, statements ...string) (err error) {
	db, err := sql.Open("pgx", at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, text := range statements {
		if _, err := db.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

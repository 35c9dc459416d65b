package pgtest

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"stoa/internal/testkit/needtest"
)

// server is the PostgreSQL that tests share.
type server struct {
	url   string
	admin *sql.DB
	new   string // options of CREATE DATABASE
}

var shared = sync.OnceValues(func() (*server, error) {
	at, err := os.Getenv("STOA_TEST_POSTGRES"), error(nil)
	if at == "" {
		at, err = startServer()
	}
	if err != nil {
		return nil, err
	}
	admin, err := sql.Open("pgx", at)
	if err != nil {
		return nil, err
	}
	s := &server{url: at, admin: admin}
	var version int
	if err := admin.QueryRowContext(context.Background(), `SHOW server_version_num`).Scan(&version); err != nil {
		return nil, fmt.Errorf("pgtest: %w", err)
	}
	if version >= 150000 { // the default writes every page to the log: it takes twice the time
		s.new = " STRATEGY file_copy"
	}
	return s, nil
})

// mustShared returns the shared server. If PostgreSQL is not installed, the test is skipped, or
// fails in CI. With -short, which is for trying a change out, it is always skipped.
func mustShared(tb testing.TB) *server {
	tb.Helper()
	if testing.Short() {
		tb.Skip("-short leaves PostgreSQL out")
	}
	s, err := shared()
	if errors.Is(err, ErrNotInstalled) {
		needtest.Lacks(tb, err.Error())
	}
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// URL returns a postgres:// URL with a new, empty schema for the test. If PostgreSQL is
// not installed, the test is skipped, or fails in CI. With -short, which is for trying a change
// out, it is always skipped.
func URL(tb testing.TB) string {
	tb.Helper()
	s := mustShared(tb)
	schema := newName()
	if _, err := s.admin.ExecContext(tb.Context(), "CREATE SCHEMA "+schema); err != nil {
		tb.Fatal(err)
	}
	at, err := s.with(func(u *url.URL) {
		q := u.Query()
		q.Set("search_path", schema)
		u.RawQuery = q.Encode()
	})
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

// Copy returns the URL of a new database for the test: a copy of the database called name. If
// the server has none of that name, Copy creates an empty one and calls fill with its URL. fill
// must leave no connection open. Copy skips and fails as URL does.
func Copy(tb testing.TB, name string, fill func(url string) error) string {
	tb.Helper()
	s := mustShared(tb)
	once, _ := filled.LoadOrStore(name, sync.OnceValue(func() error { return s.fill(name, fill) }))
	if err := once.(func() error)(); err != nil {
		tb.Fatal(err)
	}
	database := newName()
	if _, err := s.admin.ExecContext(tb.Context(), "CREATE DATABASE "+database+" TEMPLATE "+name+s.new); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { // it has 10 MB
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		if err := insist(ctx, s.admin, "DROP DATABASE "+database+" WITH (FORCE)"); err != nil {
			tb.Errorf("pgtest: %v", err)
		}
	})
	at, err := s.with(func(u *url.URL) { u.Path = "/" + database })
	if err != nil {
		tb.Fatal(err)
	}
	return at
}

// filled has a func() error for each name that Copy was called with.
var filled sync.Map

// fill creates the database called name, unless another test binary did. The name appears once
// the database is complete.
func (s *server) fill(name string, fill func(url string) error) (err error) {
	ctx := context.Background()
	conn, err := s.admin.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, conn.Close()) }()
	// One test binary at a time. The lock ends with the connection.
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(hashtext($1))`, name); err != nil {
		return err
	}
	defer func() {
		_, unlock := conn.ExecContext(ctx, `SELECT pg_advisory_unlock(hashtext($1))`, name)
		err = cmp.Or(err, unlock)
	}()
	var one int
	err = conn.QueryRowContext(ctx, `SELECT 1 FROM pg_database WHERE datname = $1`, name).Scan(&one)
	if !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	scratch := newName()
	if _, err := conn.ExecContext(ctx, "CREATE DATABASE "+scratch+s.new); err != nil {
		return err
	}
	at, err := s.with(func(u *url.URL) { u.Path = "/" + scratch })
	if err != nil {
		return err
	}
	if err := fill(at); err != nil {
		return err
	}
	return insist(ctx, conn, "ALTER DATABASE "+scratch+" RENAME TO "+name)
}

// insist executes a statement for which nobody may be connected to a database. PostgreSQL waits five seconds for
// connections that end, which on a busy machine take longer.
func insist(ctx context.Context, on interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}, statement string,
) error {
	const inUse = "55006"
	for end := time.Now().Add(2 * time.Minute); ; {
		_, err := on.ExecContext(ctx, statement)
		failed, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || failed.Code != inUse || time.Now().After(end) {
			return err
		}
	}
}

// with returns the server's URL after change.
func (s *server) with(change func(*url.URL)) (string, error) {
	u, err := url.Parse(s.url)
	if err != nil {
		return "", err
	}
	change(u)
	return u.String(), nil
}

// newName returns a name for a schema or a database that no other test uses.
func newName() string { return fmt.Sprintf("t%d_%d", os.Getpid(), number.Add(1)) }

package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
)

// maxStatements is how many prepared statements a connection keeps: those that were used last. A
// process uses more in its life (migrations alone have hundreds, and filters are built at run
// time), but not again and again.
const maxStatements = 256

// preparing opens connections that keep their prepared statements: SQLite takes longer to parse
// most of our statements than to run them. PostgreSQL's driver does this itself.
type preparing struct{ driver.Connector }

// Connect implements driver.Connector.
func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	whole, ok := c.(sqliteConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a SQLite connection is a %T, which lacks methods", c), c.Close())
	}
	return &preparedConn{sqliteConn: whole, statements: make(map[string]*preparedStmt)}, nil
}

// sqliteConn lists the methods of the driver's connections.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// sqliteStmt lists the methods of the driver's statements.
type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// preparedConn is a connection with its prepared statements. database/sql lets one goroutine at a
// time use it.
type preparedConn struct {
	sqliteConn

	statements map[string]*preparedStmt
	uses       uint64 // of all statements together
}

type preparedStmt struct {
	sqliteStmt

	// busy is set while rows of the statement are being read. A statement has one cursor, and a
	// transaction may run the same query again before it has read all rows.
	busy bool
	// usedAt is preparedConn.uses at the last use.
	usedAt uint64
}

// prepared returns the prepared statement of query, or nil if the query should run
// without one.
func (c *preparedConn) prepared(ctx context.Context, query string) (*preparedStmt, error) {
	c.uses++
	if s, ok := c.statements[query]; ok {
		s.usedAt = c.uses
		if s.busy {
			return nil, nil //nolint:nilnil // as documented
		}
		return s, nil
	}
	if len(c.statements) >= maxStatements {
		if forgotten, err := c.forgetOldest(); err != nil || !forgotten {
			return nil, err
		}
	}
	made, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	whole, ok := made.(sqliteStmt)
	if !ok {
		return nil, made.Close()
	}
	s := &preparedStmt{sqliteStmt: whole, usedAt: c.uses}
	c.statements[query] = s
	return s, nil
}

// forgetOldest closes the statement that was not used for longest. Looking at each costs less than
// parsing the one that comes in its place. It returns false if all are busy.
func (c *preparedConn) forgetOldest() (bool, error) {
	oldest := ""
	for query, s := range c.statements {
		if !s.busy && (oldest == "" || s.usedAt < c.statements[oldest].usedAt) {
			oldest = query
		}
	}
	s, ok := c.statements[oldest]
	if !ok {
		return false, nil
	}
	delete(c.statements, oldest)
	return true, s.Close()
}

// ExecContext implements driver.ExecerContext.
func (c *preparedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	query = limited(query, args)
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.ExecContext(ctx, query, args)
	}
	return s.ExecContext(ctx, args)
}

// QueryContext implements driver.QueryerContext.
func (c *preparedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	query = limited(query, args)
	s, err := c.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.sqliteConn.QueryContext(ctx, query, args)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &preparedRows{Rows: rows, stmt: s}, nil
}

// Close implements driver.Conn.
func (c *preparedConn) Close() error {
	var all []error
	for _, s := range c.statements {
		all = append(all, s.Close())
	}
	clear(c.statements)
	return errors.Join(append(all, c.sqliteConn.Close())...)
}

// preparedRows frees its statement when it is closed.
type preparedRows struct {
	driver.Rows

	stmt *preparedStmt
}

// Close implements driver.Rows.
func (r *preparedRows) Close() error {
	err := r.Rows.Close()
	if r.stmt != nil {
		r.stmt.busy, r.stmt = false, nil
	}
	return err
}

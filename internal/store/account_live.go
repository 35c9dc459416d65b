package store

import (
	"context"
	"database/sql"

	"stoa/internal/account/live"
	"stoa/internal/data/database"
)

// revocationChannel is the channel on which the triggers of revocations announce new rows.
const revocationChannel = "stoa_revocations"

// Live implements live.Log.
type Live struct {
	database.Conn

	listen func(ctx context.Context, channel string, notified func()) error
	// alone is the lock of the one process that may answer from memory on SQLite; nil on PostgreSQL.
	alone *fileLock
}

var _ live.Log = (*Live)(nil)

// NewLive returns the log of ended sessions and changed users of db.
func NewLive(ctx context.Context, db *database.DB) (*Live, error) {
	l := &Live{Conn: db.Conn(), listen: db.Listen}
	if db.Engine() != "sqlite" {
		return l, nil
	}
	var path string
	err := l.Read.QueryRowContext(ctx, `SELECT file FROM pragma_database_list WHERE name = 'main'`).Scan(&path)
	l.alone = &fileLock{path: path}
	return l, err
}

// Join implements live.Log.
func (l *Live) Join(ctx context.Context, reader string) (bool, error) {
	if l.alone != nil {
		return l.alone.take()
	}
	_, err := l.Write.ExecContext(ctx, `
		INSERT INTO session_readers (id, taken) VALUES ($1, 0) ON CONFLICT (id) DO UPDATE SET taken = 0`, reader)
	return err == nil, err
}

// Changes implements live.Log.
func (l *Live) Changes(ctx context.Context, reader string, number int64) (live.Changes, error) {
	var changed live.Changes
	var taken sql.NullInt64
	err := l.Read.QueryRowContext(ctx, `
		SELECT c.number, r.taken FROM revocation_count c LEFT JOIN session_readers r ON r.id = $1`, reader,
	).Scan(&changed.Number, &taken)
	if err != nil {
		return changed, err
	}
	changed.Known, changed.Taken = taken.Valid, taken.Int64
	if l.alone != nil {
		changed.Known, changed.Taken = l.alone.has(), changed.Number // nobody asks how far the only reader is
	}
	if changed.Number == number {
		changed.Whole = true
		return changed, nil
	}
	// All rows up to that number are there, because their transactions committed in turn.
	changed.Rows, err = database.All(ctx, l.Read, scanRevocation, `
		SELECT number, session_id, user_id FROM revocations WHERE number > $1 AND number <= $2 ORDER BY number`,
		number, changed.Number)
	changed.Whole = int64(len(changed.Rows)) == changed.Number-number
	return changed, err
}

func scanRevocation(row database.Scanner) (r live.Row, err error) {
	err = row.Scan(&r.Number, &r.Session, &r.User)
	return r, err
}

// Took implements live.Log.
func (l *Live) Took(ctx context.Context, reader string, number int64) (bool, error) {
	if l.alone != nil {
		return l.alone.has(), nil
	}
	res, err := l.Write.ExecContext(ctx, `UPDATE session_readers SET taken = $1 WHERE id = $2`, number, reader)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Leave implements live.Log.
func (l *Live) Leave(ctx context.Context, reader string) error {
	if l.alone != nil {
		return l.alone.drop()
	}
	_, err := l.Write.ExecContext(ctx, `DELETE FROM session_readers WHERE id = $1`, reader)
	return err
}

// Behind implements live.Log. Another process with SQLite never tells what it has taken.
func (l *Live) Behind(ctx context.Context, reader string, number int64) (behind bool, err error) {
	if l.alone != nil {
		return l.alone.isTaken()
	}
	err = l.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM session_readers WHERE taken < $1 AND id <> $2)`, number, reader).Scan(&behind)
	return behind, err
}

// Drop implements live.Log.
func (l *Live) Drop(ctx context.Context, reader string, number int64) error {
	if l.alone != nil {
		return nil
	}
	_, err := l.Write.ExecContext(ctx, `DELETE FROM session_readers WHERE taken < $1 AND id <> $2`, number, reader)
	return err
}

// Listen implements live.Log. SQLite sends no notifications: there it waits for ctx.
func (l *Live) Listen(ctx context.Context, heard func()) error {
	return l.listen(ctx, revocationChannel, heard)
}

package store

import (
	"stoa/internal/database"

	"context"
	"database/sql"
	"encoding/json"
	"time"

	"stoa/internal/account"
)

// replacedRow is an account.Replaced in sessions.replaced_json.
type replacedRow struct {
	ID       string `json:"id"`
	KeyID    string `json:"kid"`
	IssuedMs int64  `json:"iat"`
	AtMs     int64  `json:"at"`
}

// CreateSession implements account.Sessions.
func (a *Account) CreateSession(ctx context.Context, s account.Session) error {
	replaced, err := encodeReplaced(s.Replaced)
	if err != nil {
		return err
	}
	_, err = a.Write.ExecContext(ctx, `
		INSERT INTO sessions (id, user_id, refresh_id, refresh_key_id, refresh_issued_at_ms, replaced_json, created_at_ms, expires_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		s.ID, s.UserID, s.Refresh.ID, s.Refresh.KeyID, database.Millis(s.Refresh.IssuedAt), replaced, database.Millis(s.CreatedAt), database.Millis(s.ExpiresAt()))
	return a.Wrap(err, "Session")
}

const sessionColumns = `s.id, s.user_id, s.refresh_id, s.refresh_key_id, s.refresh_issued_at_ms, s.replaced_json, s.created_at_ms`

// Session implements account.Sessions.
func (a *Account) Session(ctx context.Context, id string) (account.Session, error) {
	s, err := scanSession(a.Read.QueryRowContext(ctx, `SELECT `+sessionColumns+` FROM sessions s WHERE s.id = $1`+a.Lock("s"), id))
	return s, a.Wrap(err, "Session")
}

// scanSession reads one row of sessionColumns.
func scanSession(row interface{ Scan(targets ...any) error }) (account.Session, error) {
	var (
		s               account.Session
		replaced        string
		issued, created sql.NullInt64
	)
	err := row.Scan(&s.ID, &s.UserID, &s.Refresh.ID, &s.Refresh.KeyID, &issued, &replaced, &created)
	if err != nil {
		return account.Session{}, err
	}
	s.Refresh.IssuedAt, s.CreatedAt = fromMillis(issued), fromMillis(created)
	s.Replaced, err = decodeReplaced(replaced)
	return s, err
}

// SaveRefresh implements account.Sessions.
func (a *Account) SaveRefresh(ctx context.Context, s account.Session) error {
	replaced, err := encodeReplaced(s.Replaced)
	if err != nil {
		return err
	}
	res, err := a.Write.ExecContext(ctx, `
		UPDATE sessions
		SET refresh_id = $1, refresh_key_id = $2, refresh_issued_at_ms = $3, replaced_json = $4, expires_at_ms = $5
		WHERE id = $6`,
		s.Refresh.ID, s.Refresh.KeyID, database.Millis(s.Refresh.IssuedAt), replaced, database.Millis(s.ExpiresAt()), s.ID)
	return database.Affected(res, err, "Session")
}

// Alive implements account.Sessions.
func (a *Account) Alive(ctx context.Context, id string) (account.Alive, error) {
	var (
		alive            account.Alive
		u                = &alive.User
		created, expires sql.NullInt64
	)
	err := a.Read.QueryRowContext(a.Brief(ctx), `
		SELECT u.id, u.email, u.username, u.role, u.avatar, u.referral_code, u.active, u.created_at_ms, s.expires_at_ms
		FROM sessions s
		JOIN users u ON u.id = s.user_id
		WHERE s.id = $1`, id).Scan(&u.ID, &u.Email, &u.Username, &u.Role, &u.Avatar, &u.Referral, &u.Active, &created, &expires)
	if err != nil {
		return account.Alive{}, a.Wrap(err, "Session")
	}
	u.CreatedAt, alive.ExpiresAt = fromMillis(created), fromMillis(expires)
	return alive, nil
}

// ListSessions implements account.Sessions.
func (a *Account) ListSessions(ctx context.Context, userID string, now time.Time, limit int) ([]account.Session, error) {
	rows, err := a.Read.QueryContext(ctx, `
		SELECT `+sessionColumns+`
		FROM sessions s
		WHERE s.user_id = $1 AND s.expires_at_ms > $2
		ORDER BY s.refresh_issued_at_ms DESC, s.created_at_ms DESC, s.id
		LIMIT $3`, userID, database.Millis(now), limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var sessions []account.Session
	for rows.Next() {
		s, err := scanSession(rows)
		if err != nil {
			return nil, err
		}
		sessions = append(sessions, s)
	}
	return sessions, rows.Err()
}

// DeleteSession implements account.Sessions.
func (a *Account) DeleteSession(ctx context.Context, userID, id string) error {
	res, err := a.Write.ExecContext(ctx, `DELETE FROM sessions WHERE id = $1 AND user_id = $2`, id, userID)
	return database.Affected(res, err, "Session")
}

// DeleteSessionsExcept implements account.Sessions.
func (a *Account) DeleteSessionsExcept(ctx context.Context, userID, id string) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, userID, id)
	return err
}

// DeleteExpired implements account.Sessions.
func (a *Account) DeleteExpired(ctx context.Context, userID string, now time.Time) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1 AND expires_at_ms <= $2`, userID, database.Millis(now))
	return err
}

func encodeReplaced(list []account.Replaced) (string, error) {
	rows := make([]replacedRow, len(list))
	for i, r := range list {
		rows[i] = replacedRow{ID: r.ID, KeyID: r.KeyID, IssuedMs: r.IssuedAt.UnixMilli(), AtMs: r.At.UnixMilli()}
	}
	b, err := json.Marshal(rows)
	return string(b), err
}

func decodeReplaced(text string) ([]account.Replaced, error) {
	var rows []replacedRow
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		return nil, err
	}
	var list []account.Replaced
	for _, r := range rows {
		list = append(list, account.Replaced{
			Refresh: account.Refresh{ID: r.ID, KeyID: r.KeyID, IssuedAt: time.UnixMilli(r.IssuedMs).UTC()},
			At:      time.UnixMilli(r.AtMs).UTC(),
		})
	}
	return list, nil
}

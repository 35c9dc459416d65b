package store

import (
	"context"
	"encoding/json"
	"time"

	"stoa/internal/account"
	"stoa/internal/database"
)

// CreateSession implements account.Sessions.
func (a *Account) CreateSession(ctx context.Context, s account.Session) error {
	replaced, err := encodeReplaced(s.Replaced)
	if err != nil {
		return err
	}
	_, err = a.Write.ExecContext(ctx, `
		INSERT INTO sessions (id, user_id, refresh_id, refresh_key_id, refresh_issued_at_ms, replaced_json, created_at_ms,
			expires_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		s.ID, s.UserID, s.Refresh.ID, s.Refresh.KeyID, database.Millis(s.Refresh.IssuedAt), replaced,
		database.Millis(s.CreatedAt), database.Millis(s.ExpiresAt()))
	return a.Wrap(err, "Session")
}

const sessionColumns = `s.id, s.user_id, s.refresh_id, s.refresh_key_id, s.refresh_issued_at_ms, s.replaced_json,
	s.created_at_ms`

// scanSession reads one row of sessionColumns.
func scanSession(row database.Scanner) (account.Session, error) {
	var (
		s        account.Session
		replaced string
	)
	err := row.Scan(&s.ID, &s.UserID, &s.Refresh.ID, &s.Refresh.KeyID, database.ScanMillis(&s.Refresh.IssuedAt), &replaced,
		database.ScanMillis(&s.CreatedAt))
	if err != nil {
		return account.Session{}, err
	}
	s.Replaced, err = decodeReplaced(replaced)
	return s, err
}

// Session implements account.Sessions.
func (a *Account) Session(ctx context.Context, id string) (account.Session, error) {
	s, err := scanSession(a.Read.QueryRowContext(ctx,
		`SELECT `+sessionColumns+` FROM sessions s WHERE s.id = $1`+a.Lock("s"), id))
	return s, a.Wrap(err, "Session")
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
	var alive account.Alive
	u := &alive.User
	err := a.Read.QueryRowContext(a.Brief(ctx), `
		SELECT u.id, u.email, u.username, u.role, u.avatar, u.referral_code, u.active, u.created_at_ms, s.expires_at_ms
		FROM sessions s
		JOIN users u ON u.id = s.user_id
		WHERE s.id = $1`, id,
	).Scan(&u.ID, &u.Email, &u.Username, &u.Role, &u.Avatar, &u.Referral, &u.Active,
		database.ScanMillis(&u.CreatedAt), database.ScanMillis(&alive.ExpiresAt))
	if err != nil {
		return account.Alive{}, a.Wrap(err, "Session")
	}
	return alive, nil
}

// ListSessions implements account.Sessions.
func (a *Account) ListSessions(
	ctx context.Context, userID string, now time.Time, limit int,
) ([]account.Session, error) {
	return database.All(ctx, a.Read, scanSession, `
		SELECT `+sessionColumns+`
		FROM sessions s
		WHERE s.user_id = $1 AND s.expires_at_ms > $2
		ORDER BY s.refresh_issued_at_ms DESC, s.created_at_ms DESC, s.id
		LIMIT $3`, userID, database.Millis(now), limit)
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
	_, err := a.Write.ExecContext(ctx, `
		DELETE FROM sessions WHERE user_id = $1 AND expires_at_ms <= $2`, userID, database.Millis(now))
	return err
}

// UsersWithExpired implements account.Sessions.
func (a *Account) UsersWithExpired(ctx context.Context, now time.Time, after string, limit int) ([]string, error) {
	// The index sessions_user has both columns and this order.
	return database.Texts(ctx, a.Read, `
		SELECT DISTINCT s.user_id
		FROM sessions s
		WHERE s.user_id > $1 AND s.expires_at_ms <= $2
		ORDER BY s.user_id
		LIMIT $3`, after, database.Millis(now), limit)
}

// replacedRow is an account.Replaced in the JSON of sessions.replaced_json.
type replacedRow struct {
	ID       string `json:"id"`
	KeyID    string `json:"kid"`
	IssuedMs int64  `json:"iat"`
	AtMs     int64  `json:"at"`
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

package store

import (
	"context"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/permission"
	"stoa/internal/data/database"
)

// CreateSession implements account.Sessions.
func (a *Account) CreateSession(ctx context.Context, s account.Session) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO sessions (id, user_id, refresh_id, refresh_key_id, refresh_issued_at_ms, replaced_json, created_at_ms,
			expires_at_ms, level, methods, authenticated_at_ms, phishing_resistant, address, last_address, user_agent, device_id,
			ends_at_ms, impersonator_id, parent_session_id, writable)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, nullif($16, ''),
			$17, nullif($18, ''), nullif($19, ''), $20)`,
		s.ID, s.UserID, s.Refresh.ID, s.Refresh.KeyID, database.Millis(s.Refresh.IssuedAt), encodeReplaced(s.Replaced),
		database.Millis(s.CreatedAt), database.Millis(s.ExpiresAt()), s.Level, strings.Join(s.Methods, ","),
		sinceEpoch(s.AuthenticatedAt), s.PhishingResistant(), s.Address, s.LastAddress, s.UserAgent, s.DeviceID,
		standInEnd(s), s.StandIn.ID, s.StandIn.Parent, s.StandIn.Writable)
	return a.Wrap(err, "Session")
}

// standInEnd returns the end of a session that is stored: of the others, rules decide.
func standInEnd(s account.Session) int64 {
	if !s.StandIn.Any() {
		return 0
	}
	return s.EndsAt.UnixMilli()
}

// sessionColumns is a database.Packed row, in which no text has spaces, and a text: every refresh reads one.
const sessionColumns = `concat_ws(' ', s.id, s.user_id, s.refresh_id, s.refresh_key_id, s.refresh_issued_at_ms,
	s.created_at_ms, s.level, s.methods, s.authenticated_at_ms, s.reauthenticated_at_ms, s.address, s.last_address,
	s.ends_at_ms, COALESCE(s.impersonator_id, ''), COALESCE(s.parent_session_id, ''),
	CASE WHEN s.writable THEN 1 ELSE 0 END,
	CASE WHEN s.impersonator_id IS NULL THEN ''
		ELSE COALESCE((SELECT i.username FROM users i WHERE i.id = s.impersonator_id), '') END,
	s.replaced_json), s.user_agent`

// scanSession reads one row of sessionColumns.
func scanSession(row database.Scanner) (s account.Session, err error) {
	var text string
	if err := row.Scan(&text, &s.UserAgent); err != nil {
		return account.Session{}, err
	}
	packed := database.Unpack(text)
	s.ID, s.UserID = packed.Text(), packed.Text()
	s.Refresh = account.Refresh{ID: packed.Text(), KeyID: packed.Text(), IssuedAt: packed.Time()}
	s.CreatedAt, s.Level = packed.Time(), int(packed.Number())
	if methods := packed.Text(); methods != "" {
		s.Methods = strings.Split(methods, ",")
	}
	authenticated, again := packed.Number(), packed.Number()
	if s.AuthenticatedAt = s.CreatedAt; authenticated != 0 { // the previous release leaves it out
		s.AuthenticatedAt = time.UnixMilli(authenticated).UTC()
	}
	if again != 0 {
		s.ReauthenticatedAt = time.UnixMilli(again).UTC()
	}
	s.Address, s.LastAddress = packed.Text(), packed.Text()
	ends := packed.Number()
	s.StandIn.ID, s.StandIn.Parent, s.StandIn.Writable = packed.Text(), packed.Text(), packed.Number() == 1
	if s.StandIn.Name = packed.Text(); s.StandIn.Any() {
		s.EndsAt = time.UnixMilli(ends).UTC()
	}
	if err := packed.Err(); err != nil {
		return account.Session{}, err
	}
	s.Replaced, err = decodeReplaced(packed.Last())
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
	res, err := a.Write.ExecContext(ctx, `
		UPDATE sessions
		SET refresh_id = $1, refresh_key_id = $2, refresh_issued_at_ms = $3, replaced_json = $4, expires_at_ms = $5,
			last_address = $6
		WHERE id = $7`,
		s.Refresh.ID, s.Refresh.KeyID, database.Millis(s.Refresh.IssuedAt), encodeReplaced(s.Replaced),
		database.Millis(s.ExpiresAt()), s.LastAddress, s.ID)
	return database.Affected(res, err, "Session")
}

// SetReauthenticated implements account.Sessions.
func (a *Account) SetReauthenticated(ctx context.Context, id string, at time.Time) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE sessions SET reauthenticated_at_ms = $1 WHERE id = $2`,
		database.Millis(at), id)
	return database.Affected(res, err, "Session")
}

// SetLevel implements account.Sessions.
func (a *Account) SetLevel(ctx context.Context, id string, level int, methods []string) error {
	defer a.Settle(ctx)
	res, err := a.Write.ExecContext(ctx,
		`UPDATE sessions SET level = $1, methods = $2, phishing_resistant = $3 WHERE id = $4`,
		level, strings.Join(methods, ","), account.Session{Methods: methods}.PhishingResistant(), id)
	return database.Affected(res, err, "Session")
}

// LowerSessions implements account.Sessions. A passkey is worth two factors by itself.
func (a *Account) LowerSessions(ctx context.Context, userID string) error {
	defer a.Settle(ctx)
	_, err := a.Write.ExecContext(ctx, `
		UPDATE sessions
		SET level = CASE WHEN ',' || methods LIKE '%,pky%' THEN level ELSE 1 END,
			methods = trim(replace(replace(',' || methods || ',', ',otp,', ','), ',rec,', ','), ',')
		WHERE user_id = $1 AND (',' || methods || ',' LIKE '%,otp,%' OR ',' || methods || ',' LIKE '%,rec,%')`, userID)
	return err
}

// Alive implements account.Sessions.
func (a *Account) Alive(ctx context.Context, id string) (account.Alive, error) {
	var alive account.Alive
	var own, ownOfStandIn string
	u := &alive.User
	err := a.Read.QueryRowContext(a.Brief(ctx), `
		SELECT u.id, u.email, u.username, u.role, u.avatar, u.referral_code, `+isActive+`, u.created_at_ms, s.expires_at_ms,
			CASE WHEN s.authenticated_at_ms = 0 THEN s.created_at_ms ELSE s.authenticated_at_ms END,
			s.level, s.phishing_resistant, (SELECT `+signInState+` FROM sign_in_settings r WHERE r.id = 1),
			COALESCE((SELECT ro.permissions FROM roles ro WHERE ro.name = u.role), ''),
			COALESCE(i.id, ''), s.writable, COALESCE(i.role, ''),
			COALESCE((SELECT ro.permissions FROM roles ro WHERE ro.name = i.role), '')
		FROM sessions s
		JOIN users u ON u.id = s.user_id
		LEFT JOIN users i ON i.id = s.impersonator_id
		WHERE s.id = $1`, id,
	).Scan(&u.ID, &u.Email, &u.Username, &u.Role, &u.Avatar, &u.Referral, &u.Active,
		database.ScanMillis(&u.CreatedAt), database.ScanMillis(&alive.ExpiresAt),
		database.ScanMillis(&alive.AuthenticatedAt), &alive.Level, &alive.PhishingResistant, &alive.Rules, &own,
		&alive.StandIn.ID, &alive.StandIn.Writable, &alive.StandInRole, &ownOfStandIn)
	if err != nil {
		return account.Alive{}, a.Wrap(err, "Session")
	}
	alive.Rights = permission.OfRole(string(u.Role), own)
	if alive.StandIn.Any() {
		alive.StandInRights = permission.OfRole(string(alive.StandInRole), ownOfStandIn)
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
	defer a.Settle(ctx)
	res, err := a.Write.ExecContext(ctx, `DELETE FROM sessions WHERE id = $1 AND user_id = $2`, id, userID)
	return database.Affected(res, err, "Session")
}

// DeleteSessionsExcept implements account.Sessions.
func (a *Account) DeleteSessionsExcept(ctx context.Context, userID, id string) error {
	defer a.Settle(ctx)
	if err := a.forgetOtherDevices(ctx, userID, id); err != nil { // while the session says which its own is
		return err
	}
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

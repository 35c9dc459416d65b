package store

import (
	"stoa/internal/database"

	"context"
	"time"
)

// UsersWithExpired implements account.Sessions.
func (a *Account) UsersWithExpired(ctx context.Context, now time.Time, after string, limit int) ([]string, error) {
	// Read from the index sessions_user alone, in its order.
	return database.Texts(ctx, a.Read, `
		SELECT DISTINCT s.user_id
		FROM sessions s
		WHERE s.user_id > $1 AND s.expires_at_ms <= $2
		ORDER BY s.user_id
		LIMIT $3`, after, database.Millis(now), limit)
}

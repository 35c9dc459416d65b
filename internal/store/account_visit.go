package store

import (
	"context"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/data/database"
)

// AddVisit implements account.Visits.
func (a *Account) AddVisit(ctx context.Context, v account.Visit) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO sign_ins (id, user_id, at_ms, outcome, methods, address, user_agent, device_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, ''))`,
		v.ID, v.UserID, database.Millis(v.At), v.Outcome, strings.Join(v.Methods, ","), v.Address, v.UserAgent, v.DeviceID)
	return err
}

// SignedInFrom implements account.Visits.
func (a *Account) SignedInFrom(
	ctx context.Context, userID, userAgent, address string, after time.Time,
) (bool, error) {
	found, err := database.Texts(ctx, a.Read, signedInFrom(), userID, database.Millis(after), userAgent, address)
	return len(found) > 0, err
}

// signedInFrom begins with the latest sign-in, which the index has at its end.
func signedInFrom() string {
	return `
		SELECT id FROM sign_ins
		WHERE user_id = $1 AND at_ms > $2 AND outcome = 'signed_in' AND user_agent = $3 AND address = $4
		ORDER BY at_ms DESC LIMIT 1`
}

// AddressesOf implements account.Visits.
func (a *Account) AddressesOf(ctx context.Context, userID, userAgent string, after time.Time) ([]string, error) {
	return database.Texts(ctx, a.Read, `
		SELECT DISTINCT address FROM sign_ins
		WHERE user_id = $1 AND at_ms > $2 AND outcome = 'signed_in' AND user_agent = $3`,
		userID, database.Millis(after), userAgent)
}

// activityOf selects what happened to the user $1 after $2. Addresses of other people are nobody's business.
const activityOf = `(
	SELECT s.id, s.at_ms, s.outcome, s.methods, s.address, s.user_agent, '' AS action, 'you' AS who
	FROM sign_ins s
	WHERE s.user_id = $1 AND s.at_ms > $2
	UNION ALL
	SELECT a.id, a.at_ms, '', '', CASE WHEN a.actor_kind = 'user' AND a.actor_id = $1 THEN a.address ELSE '' END,
		'', a.action,
		CASE WHEN a.actor_kind = 'system' THEN 'system'
			WHEN a.actor_kind = 'user' AND a.actor_id = $1 THEN 'you' ELSE 'staff' END
	FROM audit_log a
	WHERE a.target_type = 'user' AND a.target_id = $1 AND a.at_ms > $2) both_kinds`

// ListActivity implements account.Visits.
func (a *Account) ListActivity(
	ctx context.Context, userID string, after time.Time, limit, offset int,
) ([]account.Activity, int, error) {
	var total int
	since := database.Millis(after)
	if err := a.Read.QueryRowContext(ctx, `SELECT count(*) FROM `+activityOf, userID, since).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err := database.All(ctx, a.Read, func(row database.Scanner) (one account.Activity, err error) {
		var methods string
		err = row.Scan(&one.ID, database.ScanMillis(&one.At), &one.Outcome, &methods, &one.Address, &one.UserAgent,
			&one.Action, &one.By)
		if one.UserID = userID; methods != "" {
			one.Methods = strings.Split(methods, ",")
		}
		return one, err
	}, `SELECT * FROM `+activityOf+` ORDER BY at_ms DESC, id DESC LIMIT $3 OFFSET $4`, userID, since, limit, offset)
	return list, total, err
}

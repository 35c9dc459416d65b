package store

import (
	"context"
	"time"
)

// How long rows are kept that nobody uses.
const (
	challengeLife = 5 * time.Minute
	flowLife      = 10 * time.Minute
	// factorResetLife counts from when a removal of second factors is due.
	factorResetLife = 7 * 24 * time.Hour
	invitationsKept = 30 * 24 * time.Hour
	signInsKept     = 90 * 24 * time.Hour
	devicesKept     = 400 * 24 * time.Hour
)

// DeleteStale implements account.Store.
func (a *Account) DeleteStale(ctx context.Context, now time.Time) error {
	for _, old := range []struct {
		query string
		life  time.Duration
	}{
		{`DELETE FROM mail_tokens WHERE expires_at_ms <= $1`, 0},
		{`DELETE FROM factor_resets WHERE due_at_ms <= $1`, factorResetLife},
		{`DELETE FROM invitations WHERE expires_at_ms <= $1`, invitationsKept},
		{`DELETE FROM sign_in_challenges WHERE created_at_ms <= $1`, challengeLife},
		{`DELETE FROM ceremonies WHERE created_at_ms <= $1`, challengeLife},
		{`DELETE FROM oidc_flows WHERE created_at_ms <= $1`, flowLife},
		{`DELETE FROM sign_ins WHERE at_ms <= $1`, signInsKept},
		{`DELETE FROM known_devices WHERE last_at_ms <= $1`, devicesKept},
	} {
		if _, err := a.Write.ExecContext(ctx, old.query, now.Add(-old.life).UnixMilli()); err != nil {
			return err
		}
	}
	return a.dropDevices(ctx, now)
}

package store

import (
	"context"
	"time"

	"stoa/internal/account"
	"stoa/internal/data/database"
)

// UseDevice implements account.Devices.
func (a *Account) UseDevice(ctx context.Context, userID, hash string, at time.Time) (id string, err error) {
	err = a.Write.QueryRowContext(ctx, `
		UPDATE known_devices SET last_at_ms = $1 WHERE user_id = $2 AND cookie_hash = $3 AND last_at_ms > $4
		RETURNING id`,
		database.Millis(at), userID, hash, database.Millis(at.Add(-account.DeviceLife))).Scan(&id)
	return id, a.Wrap(err, "Device")
}

// AddDevice implements account.Devices.
func (a *Account) AddDevice(ctx context.Context, d account.KnownDevice) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO known_devices (id, user_id, cookie_hash, name, first_at_ms, last_at_ms) VALUES ($1, $2, $3, $4, $5, $5)`,
		d.ID, d.UserID, d.Hash, d.Name, database.Millis(d.LastAt))
	return a.Wrap(err, "Device")
}

// KnowsDevice implements account.Devices.
func (a *Account) KnowsDevice(ctx context.Context, emailKey, hash string, after time.Time) (known bool, err error) {
	err = a.Read.QueryRowContext(ctx, `
		SELECT EXISTS (
			SELECT 1 FROM users u JOIN known_devices d ON d.user_id = u.id
			WHERE u.email_key = $1 AND d.cookie_hash = $2 AND d.last_at_ms > $3)`,
		emailKey, hash, database.Millis(after)).Scan(&known)
	return known, err
}

// ForgetDevice implements account.Devices.
func (a *Account) ForgetDevice(ctx context.Context, userID, sessionID string) error {
	_, err := a.Write.ExecContext(ctx, `
		DELETE FROM known_devices
		WHERE user_id = $1 AND id = (SELECT s.device_id FROM sessions s WHERE s.id = $2 AND s.user_id = $1)`,
		userID, sessionID)
	return err
}

// forgetOtherDevices forgets the user's devices but the one with which a session began.
func (a *Account) forgetOtherDevices(ctx context.Context, userID, sessionID string) error {
	_, err := a.Write.ExecContext(ctx, `
		DELETE FROM known_devices
		WHERE user_id = $1 AND id <> coalesce((SELECT s.device_id FROM sessions s WHERE s.id = $2 AND s.user_id = $1), '')`,
		userID, sessionID)
	return err
}

// devicesOf is how many devices of a user are known.
const devicesOf = 50

// dropDevices forgets devices beyond devicesOf of those who signed in lately, those used longest ago first.
func (a *Account) dropDevices(ctx context.Context, now time.Time) error {
	_, err := a.Write.ExecContext(ctx, `
		DELETE FROM known_devices WHERE id IN (
			SELECT id FROM (
				SELECT d.id, row_number() OVER (PARTITION BY d.user_id ORDER BY d.last_at_ms DESC, d.id) AS place
				FROM known_devices d
				WHERE d.user_id IN (SELECT l.user_id FROM known_devices l WHERE l.last_at_ms > $1)) ranked
			WHERE place > $2)`, now.Add(-24*time.Hour).UnixMilli(), devicesOf)
	return err
}

package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"stoa/internal/account"
	"stoa/internal/base/errs"
	"stoa/internal/data/database"
)

// SecondFactors implements account.Factors.
func (a *Account) SecondFactors(ctx context.Context, userID, partyID string) (f account.SecondFactors, err error) {
	err = a.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM totp WHERE user_id = $1 AND confirmed_at_ms <> 0),
			(SELECT count(*) FROM passkeys WHERE user_id = $1 AND rp_id = $2),
			(SELECT count(*) FROM passkeys WHERE user_id = $1 AND rp_id <> $2),
			(SELECT count(*) FROM recovery_codes WHERE user_id = $1 AND used_at_ms = 0)`, userID, partyID,
	).Scan(&f.TOTP, &f.Passkeys, &f.Foreign, &f.RecoveryCodes)
	return f, err
}

// TOTP implements account.Factors.
func (a *Account) TOTP(ctx context.Context, userID string) (account.TOTP, error) {
	t := account.TOTP{UserID: userID}
	var confirmed, since, until int64
	err := a.Read.QueryRowContext(ctx, `
		SELECT secret_sealed, created_at_ms, confirmed_at_ms, last_step, failures, failures_since_ms, paused_until_ms
		FROM totp WHERE user_id = $1`, userID,
	).Scan(&t.Sealed, database.ScanMillis(&t.CreatedAt), &confirmed, &t.LastStep, &t.Failures.Count, &since, &until)
	if err != nil {
		return account.TOTP{}, a.Wrap(err, "Authenticator app")
	}
	t.ConfirmedAt, t.Failures.Since, t.Failures.PausedUntil = fromEpoch(confirmed), fromEpoch(since), fromEpoch(until)
	return t, nil
}

// fromEpoch reverses sinceEpoch.
func fromEpoch(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// PutTOTP implements account.Factors.
func (a *Account) PutTOTP(ctx context.Context, t account.TOTP) error {
	res, err := a.Write.ExecContext(ctx, `
		INSERT INTO totp (user_id, secret_sealed, created_at_ms) VALUES ($1, $2, $3)
		ON CONFLICT (user_id) DO UPDATE
		SET secret_sealed = excluded.secret_sealed, created_at_ms = excluded.created_at_ms, last_step = 0
		WHERE totp.confirmed_at_ms = 0`, t.UserID, t.Sealed, database.Millis(t.CreatedAt))
	if err = database.Affected(res, err, "Authenticator app"); errs.KindOf(err) == errs.NotFound {
		return errAppOn
	}
	return err
}

var errAppOn = errs.New(errs.Conflict, "CONFLICT", "Codes of an app are on.")

// ConfirmTOTP implements account.Factors.
func (a *Account) ConfirmTOTP(ctx context.Context, userID string, at time.Time) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE totp SET confirmed_at_ms = $1 WHERE user_id = $2 AND confirmed_at_ms = 0`,
		sinceEpoch(at), userID)
	return database.Affected(res, err, "Authenticator app")
}

// RaiseStep implements account.Factors.
func (a *Account) RaiseStep(ctx context.Context, userID string, step int64) error {
	res, err := a.Write.ExecContext(ctx, `UPDATE totp SET last_step = $1 WHERE user_id = $2 AND last_step < $1`,
		step, userID)
	return database.Affected(res, err, "Authenticator app")
}

// SetFailures implements account.Factors.
func (a *Account) SetFailures(ctx context.Context, userID string, f account.Failures) error {
	_, err := a.Write.ExecContext(ctx, `
		UPDATE totp SET failures = $1, failures_since_ms = $2, paused_until_ms = $3 WHERE user_id = $4`,
		f.Count, sinceEpoch(f.Since), sinceEpoch(f.PausedUntil), userID)
	return err
}

// DeleteTOTP implements account.Factors.
func (a *Account) DeleteTOTP(ctx context.Context, userID string) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM totp WHERE user_id = $1`, userID)
	return err
}

// PutRecoveryCodes implements account.Factors.
func (a *Account) PutRecoveryCodes(ctx context.Context, userID string, hashes []string, at time.Time) error {
	if err := a.DeleteRecoveryCodes(ctx, userID); err != nil {
		return err
	}
	var values strings.Builder
	args := []any{userID, database.Millis(at)}
	for i, hash := range hashes {
		if i > 0 {
			values.WriteByte(',')
		}
		fmt.Fprintf(&values, "($%d, $1, $2)", i+3)
		args = append(args, hash)
	}
	_, err := a.Write.ExecContext(ctx,
		`INSERT INTO recovery_codes (code_hash, user_id, created_at_ms) VALUES `+values.String(), args...)
	return a.Wrap(err, "Recovery code")
}

// UseRecoveryCode implements account.Factors.
func (a *Account) UseRecoveryCode(ctx context.Context, userID, hash string, at time.Time) error {
	res, err := a.Write.ExecContext(ctx, `
		UPDATE recovery_codes SET used_at_ms = $1 WHERE code_hash = $2 AND user_id = $3 AND used_at_ms = 0`,
		database.Millis(at), hash, userID)
	return database.Affected(res, err, "Recovery code")
}

// DeleteRecoveryCodes implements account.Factors.
func (a *Account) DeleteRecoveryCodes(ctx context.Context, userID string) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = $1`, userID)
	return err
}

// DeleteRecoveryCodesSince implements account.Factors.
func (a *Account) DeleteRecoveryCodesSince(ctx context.Context, userID string, since time.Time) error {
	_, err := a.Write.ExecContext(ctx, `DELETE FROM recovery_codes WHERE user_id = $1 AND created_at_ms >= $2`,
		userID, sinceEpoch(since))
	return err
}

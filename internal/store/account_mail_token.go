package store

import (
	"context"
	"encoding/json"
	"time"

	"stoa/internal/account"
	"stoa/internal/data/database"
	"stoa/internal/shop/order"
)

// linkData is mail_tokens.data_json.
type linkData struct {
	ProvenMs int64  `json:"proven,omitempty"`
	Passkey  string `json:"passkey,omitempty"`
	Link     string `json:"link,omitempty"`
	Session  string `json:"session,omitempty"`
}

// CreateMailToken implements account.MailTokens.
func (a *Account) CreateMailToken(ctx context.Context, t account.MailToken) error {
	data, err := json.Marshal(linkData{sinceEpoch(t.Proven), t.Passkey, t.Link, t.SessionID})
	if err != nil {
		return err
	}
	held := ""
	if t.Held {
		held = account.Key(t.Address)
	}
	_, err = a.Write.ExecContext(ctx, `
		INSERT INTO mail_tokens (token_hash, kind, user_id, address, address_key, generation, code_hash, tries, data_json,
			created_at_ms, expires_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		t.Hash, string(t.Kind), database.NullText(t.UserID), t.Address, held, t.Generation,
		database.NullText(t.Code), t.Tries, string(data),
		database.Millis(t.CreatedAt), database.Millis(t.ExpiresAt))
	return a.Wrap(err, "Link")
}

const mailTokenColumns = `token_hash, kind, COALESCE(user_id, ''), address, address_key, generation,
	COALESCE(code_hash, ''), tries, data_json, created_at_ms, expires_at_ms`

func scanMailToken(row database.Scanner) (t account.MailToken, err error) {
	var held, text string
	err = row.Scan(&t.Hash, &t.Kind, &t.UserID, &t.Address, &held, &t.Generation,
		&t.Code, &t.Tries, &text,
		database.ScanMillis(&t.CreatedAt), database.ScanMillis(&t.ExpiresAt))
	if err != nil {
		return account.MailToken{}, err
	}
	var data linkData
	err = json.Unmarshal([]byte(text), &data)
	t.Held, t.Passkey, t.Link, t.SessionID = held != "", data.Passkey, data.Link, data.Session
	if data.ProvenMs != 0 {
		t.Proven = time.UnixMilli(data.ProvenMs).UTC()
	}
	return t, err
}

// MailToken implements account.MailTokens.
func (a *Account) MailToken(ctx context.Context, hash string) (account.MailToken, error) {
	t, err := scanMailToken(a.Read.QueryRowContext(ctx,
		`SELECT `+mailTokenColumns+` FROM mail_tokens WHERE token_hash = $1`, hash))
	return t, a.Wrap(err, "Link")
}

// MailTokensOf implements account.MailTokens.
func (a *Account) MailTokensOf(
	ctx context.Context, userID string, kind account.LinkKind,
) ([]account.MailToken, error) {
	return database.All(ctx, a.Read, scanMailToken, `
		SELECT `+mailTokenColumns+` FROM mail_tokens WHERE user_id = $1 AND kind = $2
		ORDER BY created_at_ms DESC, token_hash`, userID, string(kind))
}

// TakeMailToken implements account.MailTokens.
func (a *Account) TakeMailToken(ctx context.Context, hash string) error {
	res, err := a.Write.ExecContext(ctx, `DELETE FROM mail_tokens WHERE token_hash = $1`, hash)
	return database.Affected(res, err, "Link")
}

// CountMailTry implements account.MailTokens.
func (a *Account) CountMailTry(ctx context.Context, hash string, most int) error {
	res, err := a.Write.ExecContext(ctx,
		`UPDATE mail_tokens SET tries = tries + 1 WHERE token_hash = $1 AND tries < $2`, hash, most)
	return database.Affected(res, err, "Link")
}

// DeleteMailTokens implements account.MailTokens.
func (a *Account) DeleteMailTokens(ctx context.Context, userID string, kinds ...account.LinkKind) error {
	for _, kind := range kinds {
		_, err := a.Write.ExecContext(ctx, `DELETE FROM mail_tokens WHERE user_id = $1 AND kind = $2`, userID, string(kind))
		if err != nil {
			return err
		}
	}
	return nil
}

// HasHeld implements account.MailTokens.
func (a *Account) HasHeld(ctx context.Context, userID, key string, now time.Time) (held bool, err error) {
	err = a.Read.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM mail_tokens
			WHERE address_key = $1 AND address_key <> '' AND user_id <> $2 AND expires_at_ms > $3)`,
		key, userID, database.Millis(now)).Scan(&held)
	return held, err
}

// AllowMail implements account.MailTokens. The table is that of order.Allowance, which allows one mail at a
// time here.
func (a *Account) AllowMail(ctx context.Context, name string, every time.Duration, now time.Time) (time.Time, error) {
	return allow(ctx, a.Conn, name, order.Allowance{AtOnce: 1, Every: every}, now)
}

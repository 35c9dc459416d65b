package wire

import (
	"time"

	"stoa/internal/account/apikey"
	"stoa/internal/api/web"
	"stoa/internal/base/permission"
)

// APIKey is an API key, as whoever has it sees it. It never has the secret.
type APIKey struct {
	ID          string            `json:"id"`
	Name        string            `json:"name"`
	Scopes      []permission.Name `json:"scopes"`
	CreatedAt   web.Timestamp     `json:"createdAt"`
	ExpiresAt   *web.Timestamp    `json:"expiresAt"`  // null: never
	LastUsedAt  *web.Timestamp    `json:"lastUsedAt"` // null: not yet
	LastAddress string            `json:"lastAddress"`
}

// NewAPIKey returns k as answers have it.
func NewAPIKey(k apikey.Key) APIKey {
	return APIKey{
		ID: k.ID, Name: k.Name, Scopes: k.Scopes.Names(), CreatedAt: web.Timestamp(k.CreatedAt),
		ExpiresAt: orNull(k.ExpiresAt), LastUsedAt: orNull(k.LastUsedAt), LastAddress: k.LastAddress,
	}
}

// MadeKey is an API key with its secret, which is shown once.
type MadeKey struct {
	APIKey

	Key string `json:"key"`
}

// NewMadeKey returns m as answers have it.
func NewMadeKey(m apikey.Made) MadeKey { return MadeKey{NewAPIKey(m.Key), m.Secret} }

// orNull returns nil for a zero time.
func orNull(t time.Time) *web.Timestamp {
	if t.IsZero() {
		return nil
	}
	at := web.Timestamp(t)
	return &at
}

package store

import (
	"context"
	"strings"

	"stoa/internal/account"
	"stoa/internal/data/database"
)

// PutProvider implements account.Providers.
func (a *Account) PutProvider(ctx context.Context, p account.Provider) error {
	_, err := a.Write.ExecContext(ctx, `
		INSERT INTO identity_providers (id, slug, kind, name, issuer, client_id, secret_sealed, scopes, enabled, sign_up,
			staff, verifies_addresses, allowed_domains, created_at_ms)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
		ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, name = excluded.name, issuer = excluded.issuer,
			client_id = excluded.client_id, secret_sealed = excluded.secret_sealed, scopes = excluded.scopes,
			enabled = excluded.enabled, sign_up = excluded.sign_up, staff = excluded.staff,
			verifies_addresses = excluded.verifies_addresses, allowed_domains = excluded.allowed_domains`,
		p.ID, p.Slug, string(p.Kind), p.Name, p.Issuer, p.ClientID, p.Sealed, strings.Join(p.Scopes, " "), p.Enabled,
		p.SignUp, p.Staff, p.VerifiesAddresses, strings.Join(p.AllowedDomains, " "), database.Millis(p.CreatedAt))
	if err != nil {
		return a.Wrap(err, "Identity provider")
	}
	if _, err = a.Write.ExecContext(ctx, `DELETE FROM provider_issuers WHERE provider_id = $1`, p.ID); err != nil {
		return err
	}
	_, err = a.Write.ExecContext(ctx, `INSERT INTO provider_issuers (issuer, provider_id) VALUES ($1, $2)`, p.Issuer, p.ID)
	return a.Wrap(err, "Issuer")
}

// Providers implements account.Providers.
func (a *Account) Providers(ctx context.Context) ([]account.Provider, error) {
	return database.All(ctx, a.Read, func(row database.Scanner) (p account.Provider, err error) {
		var scopes, domains string
		err = row.Scan(&p.ID, &p.Slug, &p.Kind, &p.Name, &p.Issuer, &p.ClientID, &p.Sealed, &scopes, &p.Enabled, &p.SignUp,
			&p.Staff, &p.VerifiesAddresses, &domains, database.ScanMillis(&p.CreatedAt))
		p.Scopes, p.AllowedDomains = strings.Fields(scopes), strings.Fields(domains)
		return p, err
	}, `SELECT id, slug, kind, name, issuer, client_id, secret_sealed, scopes, enabled, sign_up, staff, verifies_addresses,
			allowed_domains, created_at_ms
		FROM identity_providers ORDER BY slug`)
}

// DeleteProvider implements account.Providers.
func (a *Account) DeleteProvider(ctx context.Context, id string) error {
	res, err := a.Write.ExecContext(ctx, `DELETE FROM identity_providers WHERE id = $1`, id)
	return database.Affected(res, err, "Identity provider")
}

// CountIdentities implements account.Providers.
func (a *Account) CountIdentities(ctx context.Context, issuer string) (accounts, only int, err error) {
	err = a.Read.QueryRowContext(ctx, `
		SELECT count(*), COALESCE(SUM(CASE WHEN u.password_hash = ''
			AND NOT EXISTS (SELECT 1 FROM passkeys k WHERE k.user_id = u.id)
			AND NOT EXISTS (SELECT 1 FROM identities o
				JOIN identity_providers p ON p.issuer = o.issuer AND p.enabled AND (p.staff OR u.role = 'USER')
				WHERE o.user_id = u.id AND o.issuer <> $1)
			THEN 1 ELSE 0 END), 0)
		FROM identities i JOIN users u ON u.id = i.user_id WHERE i.issuer = $1`, issuer).Scan(&accounts, &only)
	return accounts, only, err
}

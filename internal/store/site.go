package store

import (
	"context"
	"encoding/json"
	"fmt"

	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/shop/site"
)

// Site implements site.Store.
type Site struct{ audited }

var _ site.Store = (*Site)(nil)

// NewSite returns the shop's settings in db.
func NewSite(db *database.DB) *Site { return &Site{audited{db.Conn()}} }

// InTx implements site.Store.
func (s *Site) InTx(ctx context.Context, fn func(site.Store) error) error {
	return s.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Site{audited{tx}}) })
}

// Settings implements site.Store.
func (s *Site) Settings(ctx context.Context) (set site.Settings, err error) {
	var types string
	err = s.Read.QueryRowContext(ctx, `
		SELECT s.name, s.accent, s.support_email, s.support_url, s.terms_url, s.privacy_url, s.language, s.logo, s.version,
			s.updated_at_ms,
			COALESCE((SELECT value FROM settings WHERE name = $1), '{}')
		FROM shop_settings s WHERE s.id = 1`+s.Lock("s"), SettingArchiveTypes).Scan(&set.Name, &set.Accent,
		&set.SupportEmail, &set.SupportURL, &set.TermsURL, &set.PrivacyURL, &set.Language, &set.Logo, &set.Version,
		database.ScanMillis(&set.UpdatedAt), &types)
	if err != nil {
		return set, err
	}
	if err := json.Unmarshal([]byte(types), &set.ArchiveTypes); err != nil {
		return set, fmt.Errorf("store: file types of packages: %w", err)
	}
	if len(set.ArchiveTypes) == 0 {
		set.ArchiveTypes = nil
	}
	return set, nil
}

// PutSettings implements site.Store.
func (s *Site) PutSettings(ctx context.Context, set site.Settings) error {
	if err := s.putTypes(ctx, set.ArchiveTypes); err != nil {
		return err
	}
	res, err := s.Write.ExecContext(ctx, `
		UPDATE shop_settings SET name = $1, accent = $2, support_email = $3, support_url = $4, terms_url = $5,
			privacy_url = $6, version = $7, updated_at_ms = $8, logo = $9, language = $10 WHERE id = 1`,
		set.Name, set.Accent, set.SupportEmail, set.SupportURL, set.TermsURL, set.PrivacyURL, set.Version,
		database.Millis(set.UpdatedAt), set.Logo, set.Language)
	return database.Affected(res, err, "Settings")
}

// putTypes replaces the file types of packages. They are no column of shop_settings: a setting
// needs no migration.
func (s *Site) putTypes(ctx context.Context, types extension.Types) error {
	settings := &Settings{s.Conn}
	if len(types) == 0 {
		return settings.Delete(ctx, SettingArchiveTypes)
	}
	text, err := json.Marshal(types)
	if err != nil {
		return fmt.Errorf("store: file types of packages: %w", err)
	}
	return settings.Put(ctx, SettingArchiveTypes, string(text))
}

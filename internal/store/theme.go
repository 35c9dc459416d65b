package store

import (
	"context"
	"strings"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/extension/theme"
)

// Theme implements theme.Store.
type Theme struct{ audited }

var _ theme.Store = (*Theme)(nil)

// NewTheme returns the themes of db.
func NewTheme(db *database.DB) *Theme { return &Theme{audited{db.Conn()}} }

// InTx implements theme.Store.
func (t *Theme) InTx(ctx context.Context, fn func(theme.Store) error) error {
	return t.Conn.InTx(ctx, func(tx database.Conn) error { return fn(&Theme{audited{tx}}) })
}

const themeColumns = `v.id, v.kind, v.request_id, v.install_path, v.zip_hash, v.from_market, v.signed_by,
	v.manifest_json, v.replaced, v.installed_at_ms, v.updated_at_ms, v.deleted_at_ms`

func scanTheme(row database.Scanner) (theme.Version, error) {
	var (
		v    theme.Version
		text string
	)
	err := row.Scan(&v.ID, &v.Kind, &v.PackageID, &v.InstallPath, &v.ZipHash, &v.FromMarket, &v.SignedBy,
		&text, &v.Replaced, database.ScanMillis(&v.InstalledAt), database.ScanMillis(&v.UpdatedAt),
		database.ScanMillis(&v.DeletedAt))
	if err != nil {
		return theme.Version{}, err
	}
	v.Manifest, err = theme.DecodeManifest(v.Kind, []byte(text))
	return v, err
}

// Versions implements theme.Store.
func (t *Theme) Versions(ctx context.Context, target theme.Target, slug string) ([]theme.Version, error) {
	return database.All(ctx, t.Read, scanTheme,
		`SELECT `+themeColumns+` FROM theme_versions v WHERE v.target = $1 AND v.slug = $2`, string(target), slug)
}

// FindPlace implements theme.Store.
func (t *Theme) FindPlace(ctx context.Context, target theme.Target, slug, version string) (theme.Place, error) {
	var p theme.Place
	err := t.Read.QueryRowContext(ctx, `
		SELECT id, kind, install_path, zip_hash, replaced FROM theme_versions
		WHERE target = $1 AND slug = $2 AND version = $3 AND deleted_at_ms IS NULL`, string(target), slug, version,
	).Scan(&p.ID, &p.Kind, &p.InstallPath, &p.ZipHash, &p.Replaced)
	return p, t.Wrap(err, "Theme")
}

// FindKind implements theme.Store.
func (t *Theme) FindKind(ctx context.Context, id string) (extension.Kind, error) {
	var kind extension.Kind
	err := t.Read.QueryRowContext(ctx,
		`SELECT kind FROM theme_versions WHERE id = $1 AND deleted_at_ms IS NULL`, id).Scan(&kind)
	return kind, t.Wrap(err, "Theme")
}

// FindArchive implements theme.Store.
func (t *Theme) FindArchive(ctx context.Context, kind extension.Kind, zipHash string) (theme.Version, error) {
	v, err := scanTheme(t.Read.QueryRowContext(ctx, `
		SELECT `+themeColumns+` FROM theme_versions v
		WHERE v.zip_hash = $1 AND v.kind = $2 AND v.deleted_at_ms IS NULL`, zipHash, string(kind)))
	return v, t.Wrap(err, "Theme")
}

// ListThemes implements theme.Store.
func (t *Theme) ListThemes(ctx context.Context, q theme.Query) ([]theme.Version, int, error) {
	where := themeWhere(q)
	themes := ` FROM (SELECT DISTINCT v.kind, v.slug FROM theme_versions v` + where.String() + `) t`
	var total int
	if err := t.Read.QueryRowContext(ctx, `SELECT count(*)`+themes, where.Args()...).Scan(&total); err != nil {
		return nil, 0, err
	}
	limit, args := where.Page(q.Limit, q.Offset)
	list, err := database.All(ctx, t.Read, scanTheme, `
		SELECT `+themeColumns+`
		FROM (SELECT t.kind, t.slug`+themes+` ORDER BY t.kind, t.slug`+limit+`) page
		JOIN theme_versions v ON v.kind = page.kind AND v.slug = page.slug
		WHERE v.deleted_at_ms IS NULL
		ORDER BY v.kind, v.slug, v.version`, args...)
	return list, total, err
}

// themeWhere returns the conditions of a query.
func themeWhere(q theme.Query) (w database.Where) {
	w.And(`v.deleted_at_ms IS NULL`)
	if q.Kind != "" {
		w.And(`v.kind = $1`, string(q.Kind))
	}
	if q.Target != "" {
		w.And(`v.target = $1`, string(q.Target))
	}
	if q.App != nil {
		w.And(`(v.kind IN ($1, $2)) = $3`, string(extension.ThemeAppShop), string(extension.ThemeAppAdmin), *q.App)
	}
	if q.Search != "" {
		w.And(`v.slug LIKE $1 ESCAPE '~'`, database.Like(strings.ReplaceAll(strings.ToLower(q.Search), " ", "-")))
	}
	return w
}

// PutVersion implements theme.Store.
func (t *Theme) PutVersion(ctx context.Context, v theme.Version) error {
	_, err := t.Write.ExecContext(ctx, `
		INSERT INTO theme_versions (id, kind, target, slug, version, request_id, install_path, zip_hash, manifest_json,
			replaced, installed_at_ms, updated_at_ms, deleted_at_ms, from_market, signed_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
		ON CONFLICT (target, slug, version) DO UPDATE SET
			id = excluded.id, kind = excluded.kind, request_id = excluded.request_id,
			install_path = excluded.install_path, zip_hash = excluded.zip_hash, manifest_json = excluded.manifest_json,
			replaced = excluded.replaced, installed_at_ms = excluded.installed_at_ms,
			updated_at_ms = excluded.updated_at_ms, deleted_at_ms = excluded.deleted_at_ms,
			from_market = excluded.from_market, signed_by = excluded.signed_by`,
		v.ID, string(v.Kind), string(v.Target()), v.Manifest.Slug, v.Manifest.Version, v.PackageID, v.InstallPath,
		v.ZipHash, string(v.Manifest.Raw), v.Replaced,
		database.Millis(v.InstalledAt), database.Millis(v.UpdatedAt), database.Millis(v.DeletedAt), v.FromMarket, v.SignedBy)
	return t.Wrap(err, "Theme")
}

// DeleteVersions implements theme.Store.
func (t *Theme) DeleteVersions(ctx context.Context, target theme.Target, slug string, at time.Time) error {
	_, err := t.Write.ExecContext(ctx, `
		UPDATE theme_versions SET deleted_at_ms = $1, updated_at_ms = $2
		WHERE target = $3 AND slug = $4 AND deleted_at_ms IS NULL`,
		database.Millis(at), database.Millis(at), string(target), slug)
	return err
}

// PurgeVersions implements theme.Store.
func (t *Theme) PurgeVersions(ctx context.Context, target theme.Target, slug string) error {
	_, err := t.Write.ExecContext(ctx, `DELETE FROM theme_versions WHERE target = $1 AND slug = $2`,
		string(target), slug)
	return err
}

// PurgeVersion implements theme.Store.
func (t *Theme) PurgeVersion(ctx context.Context, id string) error {
	_, err := t.Write.ExecContext(ctx, `DELETE FROM theme_versions WHERE id = $1`, id)
	return err
}

// State implements theme.Store.
func (t *Theme) State(ctx context.Context, target theme.Target) (theme.State, error) {
	var s theme.State
	err := t.Read.QueryRowContext(ctx, `
		SELECT t.active_slug, t.active_version, t.active_config_sealed,
			t.previous_slug, t.previous_version, t.previous_config_sealed
		FROM theme_targets t WHERE t.target = $1`+t.Lock("t"), string(target),
	).Scan(&s.Active.Slug, &s.Active.Version, &s.Active.Sealed,
		&s.Previous.Slug, &s.Previous.Version, &s.Previous.Sealed)
	return s, t.Wrap(err, "Target")
}

// PutState implements theme.Store.
func (t *Theme) PutState(ctx context.Context, target theme.Target, s theme.State) error {
	res, err := t.Write.ExecContext(ctx, `
		UPDATE theme_targets SET active_slug = $1, active_version = $2, active_config_sealed = $3,
			previous_slug = $4, previous_version = $5, previous_config_sealed = $6
		WHERE target = $7`,
		s.Active.Slug, s.Active.Version, s.Active.Sealed,
		s.Previous.Slug, s.Previous.Version, s.Previous.Sealed, string(target))
	return database.Affected(res, err, "Target")
}

// InstallPaths implements theme.Store.
func (t *Theme) InstallPaths(ctx context.Context, kind extension.Kind) ([]string, error) {
	return database.Texts(ctx, t.Read,
		`SELECT install_path FROM theme_versions WHERE kind = $1 ORDER BY install_path`, string(kind))
}

package store

import (
	"context"
	"database/sql"

	"stoa/internal/data/database"
	"stoa/internal/extension"
	"stoa/internal/extension/theme"
	"stoa/internal/shop/catalog"
)

// ShopGeneration implements catalog.Generations.
type ShopGeneration struct{ database.Conn }

var _ catalog.Generations = (*ShopGeneration)(nil)

// NewShopGeneration returns the generation of what pages of the shop in db show.
func NewShopGeneration(db *database.DB) *ShopGeneration { return &ShopGeneration{db.Conn()} }

// Present implements catalog.Generations. Each part only rises, so the sum is another after each
// change. One statement reads everything: on PostgreSQL, each costs more than the rest of a request for
// a page.
func (s *ShopGeneration) Present(ctx context.Context, slug string) (now catalog.Present, err error) {
	var downloads sql.NullInt64
	err = s.Read.QueryRowContext(s.Brief(ctx), `
		SELECT g.number,
			(SELECT CAST(SUM(number) AS BIGINT) FROM shop_generation),
			(SELECT p.download_count FROM products p WHERE p.slug = $1 AND p.published = $2),
			EXISTS (
				SELECT 1 FROM theme_targets t
				JOIN theme_versions v ON v.target = t.target AND v.slug = t.active_slug AND v.version = t.active_version
				WHERE t.target = $3 AND t.active_slug <> '' AND v.kind = $4)
		FROM shop_generation g WHERE g.part = 0`, slug, true, string(theme.Shop), string(extension.ThemeAppShop),
	).Scan(&now.Shop.Number, &now.List.Number, &downloads, &now.ThemeApp)
	now.OnSale = downloads.Valid
	now.Product = catalog.Generation{Number: now.Shop.Number, Downloads: downloads.Int64}
	return now, err
}

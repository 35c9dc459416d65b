package store

import (
	"context"

	"stoa/internal/database"
)

// PackagePaths returns the paths below the data folder at which packages of all kinds and
// releases must be, by what conn shows.
func PackagePaths(ctx context.Context, conn database.Conn) ([]string, error) {
	return database.Texts(ctx, conn.Read, `
		SELECT install_path FROM plugin_packages WHERE install_path <> ''
		UNION SELECT install_path FROM plugin_previous_versions WHERE install_path <> ''
		UNION SELECT install_path FROM theme_versions
		UNION SELECT path FROM product_packages WHERE withdrawn_at_ms IS NULL
		ORDER BY 1`)
}

package store

import (
	"context"
	"strings"

	"stoa/internal/data/database"
)

// PackageFile is the expected place of a package or a release, below the data folder.
type PackageFile struct {
	Path string // of the unpacked files of a package, of the archive of a release
	Hash string // SHA-256 of the archive, in hex
}

// Archive returns the path of the archive.
func (f PackageFile) Archive() string { return strings.TrimSuffix(f.Path, ".zip") + ".zip" }

// PackageFiles returns the expected places of packages of all kinds and of releases, as conn sees
// them.
func PackageFiles(ctx context.Context, conn database.Conn) ([]PackageFile, error) {
	return database.All(ctx, conn.Read, func(row database.Scanner) (PackageFile, error) {
		var f PackageFile
		err := row.Scan(&f.Path, &f.Hash)
		return f, err
	}, `
		SELECT install_path, zip_hash FROM plugin_packages WHERE install_path <> ''
		UNION SELECT install_path, zip_hash FROM plugin_previous_versions WHERE install_path <> ''
		UNION SELECT install_path, zip_hash FROM theme_versions
		UNION SELECT path, zip_hash FROM product_packages WHERE withdrawn_at_ms IS NULL
		ORDER BY 1`)
}

package proof

import (
	"database/sql"
	"strings"
	"testing"
)

// rareRows fill the tables that take more than a request to get a row: a payment provider, a
// signed package, a crash, an hour. Statements about tables that a release lacks fail.
var rareRows = map[string]string{
	"payment_events": `INSERT INTO payment_events SELECT 'stripe', 'evt_1', 'charge.refunded', min(id), 1700000000000 FROM orders`,
	"order_claims":   `INSERT INTO order_claims SELECT 'hash', min(id), 'owner@example.com', 1700000000000 FROM users`,
	"license_renewals": `INSERT INTO license_renewals SELECT min(id), 'in_1', 1700000000000 FROM licenses
		HAVING min(id) IS NOT NULL`,
	"product_packages": `INSERT INTO product_packages (kind, slug, version, product_id, path, zip_hash, signed_by, size,
			published_at_ms)
		SELECT 'plugin', 'sold', '1.0.0', min(id), 'packages/plugin/sold/1.0.0.zip', 'hash', 'acme', 1234, 1700000000000
		FROM products`,
	"plugin_storage": `INSERT INTO plugin_storage (installation_id, key, content_type, etag, size, value)
		SELECT min(id), $bytes, 'text/plain', '"1"', 5, $bytes FROM plugin_instances WHERE package_slug = 'greeter'`,
	"plugin_storage_use": `INSERT INTO plugin_storage_use
		SELECT min(id), 1, 10 FROM plugin_instances WHERE package_slug = 'greeter'`,
	"plugin_event_use": `INSERT INTO plugin_event_use SELECT min(id), 1700000000000 FROM plugin_instances`,
	"plugin_failures": `INSERT INTO plugin_failures (installation_id, instance_version, zip_hash, failed_at_ms, message, file,
			line)
		SELECT min(id), 1, 'hash', 1700000000000, 'out of memory', 'index.js', 1 FROM plugin_instances`,
	"plugin_health": `INSERT INTO plugin_health (package_slug, due_ms, zip_hash, message)
		SELECT 'hooked', 1700000000000, zip_hash, 'no answer' FROM plugin_packages WHERE slug = 'hooked'`,
	"bundles": `INSERT INTO bundles VALUES ('starter', 'b1', 'r1', 'hash', $no, '', '{"slug":"starter","version":"1.0.0"}',
		1700000000000, 1700000000000)`,
	"plugin_remains": `INSERT INTO plugin_remains (package_id, slug, source, install_path, previous_path, zip_hash, signed_by,
			manifest_json, settings_json, environment_sealed, settings_version, installed_at_ms, updated_at_ms,
			current_sealed, previous_sealed, previous_until_ms)
		SELECT 'purged', p.slug, p.source, '', '', p.zip_hash, p.signed_by, p.manifest_json, p.settings_json,
			p.environment_sealed, p.settings_version, p.installed_at_ms, p.updated_at_ms, s.current_sealed, '', NULL
		FROM plugin_packages p JOIN plugin_secrets s ON s.package_slug = p.slug WHERE p.slug = 'hooked'`,
	"audit_streams": `INSERT INTO audit_streams VALUES ('audit.jsonl', 1, 'a process', 1700000000000, 1, 'no answer')`,
	"duties":        `INSERT INTO duties VALUES ('kept plugins', 'a process', 1700000000000)`,
}

// itemsOfBundles comes after the bundles.
const itemsOfBundles = `INSERT INTO bundle_items
	VALUES ('starter', 0, 'plugin', 'greeter', '1.1.0', 'installed', 'p1', $no, $no)`

// fillRare fills the tables that are still empty, and returns those that stay so.
func fillRare(t *testing.T, db *sql.DB, engine string) (empty []string) {
	t.Helper()
	spelled := strings.NewReplacer("$bytes", `x'68656c6c6f'`, "$no", "0")
	if engine == postgres {
		spelled = strings.NewReplacer("$bytes", `'\x68656c6c6f'`, "$no", "FALSE")
	}
	for table, n := range countRows(t, db, engine) {
		statement, known := rareRows[table]
		switch {
		case n > 0 || table == "bundle_items":
		case !known:
			empty = append(empty, table)
		default:
			if _, err := db.ExecContext(t.Context(), spelled.Replace(statement)); err != nil {
				t.Logf("%s: %v", table, err)
				empty = append(empty, table)
			}
		}
	}
	if _, err := db.ExecContext(t.Context(), spelled.Replace(itemsOfBundles)); err != nil {
		t.Logf("bundle_items: %v", err)
	}
	return empty
}

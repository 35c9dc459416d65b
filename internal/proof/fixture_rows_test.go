package proof

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"stoa/internal/testkit/needtest"
	"stoa/internal/testkit/pgtest"
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
	"discounts": `INSERT INTO discounts (id, code, percent, amount_minor, currency, products_json, tiers_json, duration,
			starts_at_ms, max_uses, once_per_customer, active, uses, used, version, created_at_ms, updated_at_ms)
		VALUES ('launch', 'LAUNCH20', 2000, 0, '', '["proof"]', '["many"]', 'once', 1700000000000, 100, $yes, $yes, 1, $yes, 1,
			1700000000000, 1700000000000)`,
	"discount_uses": `INSERT INTO discount_uses SELECT min(id), 'launch', 1700000000000 FROM orders`,
	"once_keys":     `INSERT INTO once_keys SELECT 'discount', 'launch', 'hash', min(id), 1700000000000 FROM orders`,
	"payments": `INSERT INTO payments (order_id, seq, invoice, payment, at_ms, minor, currency, refunded_minor, net_minor,
			tax_minor, total_minor, country, code, invoice_number, invoice_url, invoice_pdf, tax_id, tax_added_minor, tier_id)
		SELECT min(id), 1, 'in_1', 'pi_1', 1700000000000, 1190, 'EUR', 190, 1000, 190, 1190, 'DE', 'LAUNCH20', 'A-1',
			'https://pay.example.com/1', 'https://pay.example.com/1.pdf', 'DE123456789', 0, 'many'
		FROM orders`,
	"refunds":     `INSERT INTO refunds SELECT 're_1', min(id), 1, 190, 'EUR', 'late', 'root', 1700000000000, 'cn_1' FROM orders`,
	"refunds_due": `INSERT INTO refunds_due VALUES ('gone', 're_2', 1, 100, '', 'user', 'root', 1700000000000)`,
	"refund_notices": `INSERT INTO refund_notices
		SELECT 're_1', min(id), 190, $no, 'sent', 1, '', NULL, 1700000000000, 1700000000000 FROM orders`,
	"sales_days": `INSERT INTO sales_days
		SELECT 19675, min(id), 'many', 'DE', 'LAUNCH20', 'EUR', $yes, 0, 1, 1190, 0, 190, 190 FROM products`,
	"order_terms": `INSERT INTO order_terms (order_id, features, max_instances, price_minor, later, applied)
		SELECT min(id), '[]', 3, 1190, $yes, '' FROM orders`,
	"mail_templates": `INSERT INTO mail_templates
		VALUES ('receipt', 'de', 'Danke', 'Ihr Schlüssel:

{{licenseKey}}
', $no, 1700000000000)`,
	"impersonations": `INSERT INTO impersonations
		SELECT 'session', min(id), max(id), 'a question', $no, 1700000000000, 1700001800000, 1700001800000 FROM users`,
	"roles": `INSERT INTO roles VALUES ('HELP', '["orders:read"]', 1700000000000)`,
	"invitations": `INSERT INTO invitations (id, email, mailbox_key, role, invited_by, created_at_ms, expires_at_ms)
		VALUES ('invitation', 'help@example.com', 'help@example.com', 'HELP', 'root', 1700000000000, 1700000000000)`,
	"service_accounts": `INSERT INTO service_accounts VALUES ('robot', 'Robot', 'root', 1700000000000)`,
	"subscriptions": `INSERT INTO subscriptions SELECT license_id, id, currency, $yes, 1700000000000, NULL, 1190 FROM orders
		WHERE id = (SELECT min(id) FROM orders)`,
	"market_metadata": `INSERT INTO market_metadata
		VALUES ('p-proof', 1, '{}', 'digest', 'key', 1700000000000, 1700000000000, 1700000000000)`,
	"market_targets": `INSERT INTO market_targets VALUES ('recalls.json', 'hash', '{}', 1700000000000)`,
	"market_state":   `INSERT INTO market_state (id) VALUES (1)`,
	"markets": `INSERT INTO markets (id, url, name, root_hash, timestamp_until_ms, good_until_ms, checked_at_ms, seen_ms, added_at_ms)
		VALUES ('m1', 'https://127.0.0.1:1', 'Nobody', 'hash', 1700000000000, 1700000000000, 1700000000000, 1700000000000,
			1700000000000)`,
	"market_handoffs": `INSERT INTO market_handoffs (id, product_id, tier_id, instance, platform_id, return_url, secret_hash, created_at_ms)
		VALUES ('h1', 'p1', 'once', 'b.example.org', 'platform', 'https://b.example.org/', 'hash', 1700000000000)`,
	"market_operations": `INSERT INTO market_operations (id, kind, market_id, product, product_name, tier, package_kind,
			package_slug, version, grants, actor, paid, handoff_id, checkout_url, sealed, state, steps, created_at_ms)
		VALUES ('op1', 'install', 'm1', 'nothing', 'Nothing', '', 'plugin', 'nothing', '1.0.0', '[]', '{}', $no, '', '', '',
			'done', '[]', 1700000000000)`,
	"package_licenses": `INSERT INTO package_licenses (id, kind, slug, market, product, key_sealed, key_tail, instance, lease, state,
			leased_at_ms, lease_until_ms, grace_until_ms, last_seen_ms, due_ms)
		VALUES ('pl1', 'plugin', 'nothing', 'm1', 'nothing', 'sealed', 'TAIL', 'shop.example', '', 'valid',
			1700000000000, 1700000000000, 1700000000000, 1700000000000, 9900000000000)`,
	"license_releases": `INSERT INTO license_releases
		VALUES ('lr1', 'm1', 'nothing', 'shop.example', 'sealed', 9900000000000, 9900000000000, 0)`,
	"audit_streams": `INSERT INTO audit_streams VALUES ('audit.jsonl', 1, 'a process', 1700000000000, 1, 'no answer')`,
	"duties":        `INSERT INTO duties VALUES ('kept plugins', 'a process', 1700000000000)`,
}

// rareValues fill columns that are empty in the rows of every shop which uses none of this, and rows that come after
// those of another table. Statements about what a release lacks fail.
var rareValues = []string{
	`INSERT INTO bundle_items VALUES ('starter', 0, 'plugin', 'greeter', '1.1.0', 'installed', 'p1', $no, $no)`,
	`INSERT INTO market_files VALUES ('m1', 'root.json', $bytes)`,
	`INSERT INTO package_origins VALUES ('plugin', 'nothing', 'hash', 'm1', 'nothing', 'Nothing')`,
	`UPDATE users SET language = 'de'`,
	`UPDATE shop_settings SET language = 'fr', logo = '/media/logo.png'`,
	`UPDATE products SET translations = '{"de":{"name":"Beweis"}}'`,
	`UPDATE orders SET payment_customer = 'cus_1', language = 'de', discount_id = 'launch', discount_code = 'LAUNCH20',
		discount_minor = 100, discount_duration = 'once'`,
	`UPDATE licenses SET trial_ending_ms = 1700000000000 WHERE NOT trial`,
}

// fillRare fills the tables that are still empty, and returns those that stay so.
func fillRare(t *testing.T, db *sql.DB, engine string) (empty []string) {
	t.Helper()
	spelled := strings.NewReplacer("$bytes", `x'68656c6c6f'`, "$no", "0", "$yes", "1", `\n`, "\n")
	if engine == postgres {
		spelled = strings.NewReplacer("$bytes", `'\x68656c6c6f'`, "$no", "FALSE", "$yes", "TRUE", `\n`, "\n")
	}
	for table, n := range countRows(t, db, engine) {
		statement, known := rareRows[table]
		switch {
		case n > 0 || slices.Contains([]string{"bundle_items", "market_files", "package_origins"}, table): // of rareValues
		case !known:
			empty = append(empty, table)
		default:
			if _, err := db.ExecContext(t.Context(), spelled.Replace(statement)); err != nil {
				t.Logf("%s: %v", table, err)
				empty = append(empty, table)
			}
		}
	}
	for _, statement := range rareValues {
		if _, err := db.ExecContext(t.Context(), spelled.Replace(statement)); err != nil {
			t.Logf("%.60s: %v", statement, err)
		}
	}
	return empty
}

// unfilled are tables of a moment or of one process, and those whose rows would change how people of the fixture sign
// in.
var unfilled = []string{
	"account_exports", "api_keys", "ceremonies", "factor_resets", "identities", "identity_providers", "known_devices",
	"mail_tokens", "mails", "master_key_holders", "oidc_flows", "passkeys", "provider_issuers", "recovery_codes",
	"revocations", "session_readers", "sign_in_challenges", "sign_ins", "totp", "webauthn_handles",
}

// selling are the tables of which a row that is there stays, whatever a process sweeps.
var selling = []string{
	"discounts", "discount_uses", "once_keys", "payments", "refunds", "refunds_due", "refund_notices", "sales_days",
	"order_terms", "mail_templates",
}

// The newest release's database gets rows in every table that the shop has, as the next fixture has them. A backup that
// is restored elsewhere has them all, and this stoa starts on them.
func TestRowsOfEveryTableOutliveAnUpgradeAndABackup(t *testing.T) {
	t.Parallel()

	dir, facts := newestFixture(t)
	engines := []string{sqlite}
	if needtest.Proving() {
		engines = append(engines, postgres)
	}
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			carried(t, dir, engine, facts)
		})
	}
}

func carried(t *testing.T, dir, engine string, want facts) {
	t.Helper()
	data, at := laidOut(t, dir, engine, &want)
	env := append(sharedPlaces(data, at), "STOA_RATE_LIMITS=off", "STOA_MAIL=log")
	f := &fleet{cluster: &cluster{env: env}}
	f.command(t, "", "migrate")
	db := openTest(t, engine, at)
	empty := fillRare(t, db, engine)
	slices.Sort(empty)
	if diff := cmp.Diff(unfilled, empty); diff != "" {
		t.Errorf("tables without rows (-want +got):\n%s", diff)
	}
	before := countRows(t, db, engine)

	place := filepath.Join(t.TempDir(), "backups")
	f.command(t, "", "backup", "--backup-dir", place)
	archives, err := filepath.Glob(filepath.Join(place, "*"))
	if err != nil || len(archives) != 1 {
		t.Fatalf("%q, %v", archives, err)
	}
	restored := filepath.Join(t.TempDir(), "new")
	other := filepath.Join(restored, "stoa.db")
	if engine == postgres {
		other = pgtest.NewServer(t).URL
	}
	(&fleet{cluster: &cluster{env: sharedPlaces(restored, other)}}).command(t, "", "restore", archives[0])
	for table, n := range countRows(t, openTest(t, engine, other), engine) {
		if n != before[table] && table != "duties" { // which are those of processes
			t.Errorf("%s has %d rows in the backup, and had %d", table, n, before[table])
		}
	}

	p := startProcess(t, env)
	if o, err := p.verify(t.Context(), want.LicenseKey, want.Instance); err != nil || o.verdict != granted {
		t.Errorf("verify = %v, %v", o, err)
	}
	after := countRows(t, db, engine)
	for _, table := range selling {
		if before[table] == 0 || after[table] < before[table] {
			t.Errorf("%s has %d rows, and had %d", table, after[table], before[table])
		}
	}
}

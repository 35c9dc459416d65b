package rewrap_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"sync/atomic"
	"testing"

	"stoa/internal/account"
	"stoa/internal/app"
	"stoa/internal/data/database"
	"stoa/internal/keep/rewrap"
	"stoa/internal/market/entitlement"
	"stoa/internal/market/operation"
	"stoa/internal/shop/license"
	"stoa/internal/store"
	"stoa/internal/testkit"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// licenses is how many licenses a shop has: more than fit into a batch.
const licenses = 450

// shop is a stoa of two replicas with a value in every sealed column.
type shop struct {
	replicas []*testkit.App
	url      string                   // of the database
	next     atomic.Pointer[seal.Key] // what the replicas find as the next key
	key      *seal.Key                // the one that seals

	echo    *testkit.Echo
	webhook *atomic.Int64 // messages that arrived
	hookID  string
	keys    []string // of licenses of mail-pack
	bought  string   // the answer to the purchase below
}

// purchase has an Idempotency-Key.
func purchase() testkit.Request {
	req := testkit.Purchase("", "once")
	req.Header = http.Header{"Idempotency-Key": {"the-one-purchase"}}
	return req
}

// onceEach is a purchase with a code that a customer has once, known by the keyed hash of the mailbox.
func onceEach() testkit.Request {
	return testkit.Post("", testkit.Products+"/mail-pack/purchase", map[string]any{
		"tierId": "once", "paymentMethod": "card", "discountCode": "ONCE",
		"billingInfo": map[string]any{"email": "once@example.com"},
	})
}

func newShop(t *testing.T, options ...testkit.Option) *shop {
	t.Helper()
	s := emptyShop(t, options...)
	s.fill(t)
	return s
}

// emptyShop is a shop without those values.
func emptyShop(t *testing.T, options ...testkit.Option) *shop {
	t.Helper()
	key, err := seal.ParseKey(testkit.MasterKey)
	if err != nil {
		t.Fatal(err)
	}
	s := &shop{key: key, webhook: new(atomic.Int64)}
	options = append(options, func(_ testing.TB, cfg *app.Config) {
		if s.url == "" {
			s.url = cfg.DatabaseURL
		}
		cfg.DatabaseURL = s.url
		cfg.NextMasterKey = func() (*seal.Key, error) { return s.next.Load(), nil }
	})
	s.replicas = []*testkit.App{testkit.NewShop(t, options...), testkit.New(t, options...)}
	return s
}

// fill puts a value into every sealed column.
func (s *shop) fill(t *testing.T) {
	t.Helper()
	a := s.replicas[0]
	s.echo = a.InstallEcho(t, map[string]any{
		"configSchema": map[string]any{"apiKey": map[string]any{"type": "secret"}},
	})
	admin := s.echo.Admin.Access
	must := func(want int, req testkit.Request) testkit.Response {
		t.Helper()
		res := a.Do(t, req)
		if res.Status != want {
			t.Fatalf("%s %s = %d %s", req.Method, req.Path, res.Status, res.Body)
		}
		return res
	}
	must(http.StatusOK, testkit.Patch(admin, "/api/v1/admin/plugins/echo/instances/"+s.echo.ID,
		map[string]any{"config": map[string]any{"apiKey": "s3cret"}}))
	must(http.StatusOK, testkit.Post(admin, "/api/v1/admin/plugins/echo/secret/rotate", nil))
	for _, slug := range []string{"aurora", "borealis"} {
		pack := testkit.ThemePack(t, slug, "1.0.0", map[string]any{
			"configSchema": map[string]any{"color": map[string]any{"type": "string"}},
		}, nil)
		if res := a.Install(t, admin, "theme-shop", pack); res.Status != http.StatusCreated {
			t.Fatalf("theme: %d %s", res.Status, res.Body)
		}
		must(http.StatusOK, testkit.Post(admin, "/api/v1/admin/themes/shop/activate",
			map[string]any{"slug": slug, "config": map[string]any{"color": slug}}))
	}
	address := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.webhook.Add(1) }))
	t.Cleanup(address.Close)
	s.hookID = must(http.StatusCreated, testkit.Post(admin, "/api/v1/admin/webhooks",
		map[string]any{"url": address.URL, "events": []string{"order.*"}})).Text(t, "data.id")
	must(http.StatusOK, testkit.Post(admin, "/api/v1/admin/webhooks/"+s.hookID+"/secret/rotate", nil))
	for range 8 {
		s.keys = append(s.keys, a.BuyKey(t, "", "once"))
	}
	s.bought = string(must(http.StatusOK, purchase()).Body)
	must(http.StatusCreated, testkit.Post(admin, "/api/v1/admin/discounts",
		map[string]any{"code": "ONCE", "percentOff": 10, "oncePerCustomer": true}))
	must(http.StatusOK, onceEach())
	s.fillTables(t)
}

// fillTables creates rows that the API creates only in special situations, and many licenses.
func (s *shop) fillTables(t *testing.T) {
	t.Helper()
	exec := func(statement string, args ...any) {
		t.Helper()
		if _, err := s.replicas[0].DB.Conn().Write.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	exec(`UPDATE plugin_packages SET environment_sealed = $1 WHERE slug = 'echo'`,
		s.key.Box("plugin.config").Seal([]byte(`{"WORD":"swordfish"}`), "environment of echo"))
	exec(`
		INSERT INTO plugin_remains (package_id, slug, source, install_path, previous_path, zip_hash, signed_by,
			manifest_json, settings_json, environment_sealed, settings_version, installed_at_ms, updated_at_ms,
			current_sealed, previous_sealed, previous_until_ms)
		SELECT 'purged', p.slug, p.source, '', '', p.zip_hash, p.signed_by,
			p.manifest_json, p.settings_json, p.environment_sealed, p.settings_version, p.installed_at_ms, p.updated_at_ms,
			s.current_sealed, s.previous_sealed, s.previous_until_ms
		FROM plugin_packages p JOIN plugin_secrets s ON s.package_slug = p.slug WHERE p.slug = 'echo'`)
	exec(`INSERT INTO totp (user_id, secret_sealed, created_at_ms) SELECT id, $1, 1 FROM users WHERE id = $2`,
		s.key.Box(account.TOTPPurpose).Seal([]byte("secret"), s.echo.Admin.UserID), s.echo.Admin.UserID)
	exec(`INSERT INTO mails (id, sealed, due_ms, created_at_ms) VALUES ('mail1', $1, $2, 1)`, // never due
		s.key.Box("mail.outbox").Seal([]byte("a message"), "mail1"), int64(math.MaxInt64))
	exec(`
		INSERT INTO package_licenses (id, kind, slug, market, product, key_sealed, key_tail, instance, lease, state,
			leased_at_ms, lease_until_ms, grace_until_ms, last_seen_ms, due_ms)
		VALUES ('pl1', 'plugin', 'none', 'm1', 'none', $1, '', '', '', 'valid', 1, 1, 1, 1, 1)`,
		s.key.Box(entitlement.SealedFor).Seal([]byte("key"), "pl1"))
	exec(`INSERT INTO license_releases VALUES ('lr1', 'm1', 'none', '', $1, 1, 1, 0)`,
		s.key.Box(entitlement.SealedFor).Seal([]byte("key"), "lr1"))
	exec(`
		INSERT INTO market_operations (id, kind, market_id, product, product_name, tier, package_kind, package_slug, version,
			grants, actor, paid, handoff_id, checkout_url, sealed, state, steps, created_at_ms)
		VALUES ('mo1', 'install', 'm1', 'none', '', '', 'plugin', 'none', '1.0.0', '[]', '{}', $2, '', '', $1, 'done', '[]', 1)`,
		s.key.Box(operation.SealedFor).Seal([]byte("secrets"), "mo1"), true)
	exec(`
		INSERT INTO identity_providers (id, slug, kind, name, issuer, client_id, secret_sealed, scopes, enabled, sign_up,
			staff, verifies_addresses, allowed_domains, created_at_ms)
		VALUES ('p1', 'one', 'oidc', '', '', '', $1, '', $2, $2, $2, $2, '', 1)`,
		s.key.Box("identity-provider.secret").Seal([]byte("secret"), "p1"), true)
	exec(`
		INSERT INTO oidc_flows (state_hash, cookie_hash, provider_id, mode, generation, nonce, verifier_sealed, return_to,
			result_sealed, created_at_ms)
		VALUES ('f1', '', 'p1', 'sign-in', 0, '', $1, '/', $2, 1)`,
		s.key.Box("oidc.verifier").Seal([]byte("verifier"), "f1"), s.key.Box("oidc.result").Seal([]byte("result"), "f1"))
	vault := license.NewVault(seal.NewKeys(s.key))
	template, err := s.replicas[0].Licenses.GetByKey(t.Context(), s.keys[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range licenses {
		l, key := template.License, license.NewKey()
		l.ID = fmt.Sprintf("lic%05d", i)
		l.KeyHash, l.KeySealed, l.KeyTail = vault.Hash(key), vault.Seal(key, l.ID), key.Tail()
		if err := store.NewLicenses(s.replicas[0].DB).CreateLicense(t.Context(), l); err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 {
			s.keys = append(s.keys, key.Reveal())
		}
	}
}

// run runs a rewrap to next until it ends, or ctx does.
func (s *shop) run(ctx context.Context, next *seal.Key) (rewrap.Result, error) {
	return s.rewrap(next).Run(ctx)
}

func (s *shop) rewrap(next *seal.Key) rewrap.Rewrap {
	return rewrap.Rewrap{
		DB: s.replicas[0].DB, Known: []*seal.Key{s.key, next}, Wait: waitLong,
		Printf: func(string, ...any) {},
	}
}

func newKey(tb testing.TB) *seal.Key {
	tb.Helper()
	key, err := seal.ParseKey(seal.GenerateKey())
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

// sealedValues returns how many sealed values each column has that a key opens, and that it
// does not open. Every sealed value must be in a column that rewrap knows.
func sealedValues(t *testing.T, db *database.DB, key *seal.Key) (opened, closed map[string]int) {
	t.Helper()
	opened, closed = make(map[string]int), make(map[string]int)
	for _, table := range rewrap.Tables() {
		for _, c := range table.Columns {
			query := `SELECT ` + c.Box + `, ` + c.Row + `, ` + c.Name + ` FROM ` + table.Name + ` WHERE ` + c.Name + ` <> ''`
			if table.Where != "" {
				query += ` AND ` + table.Where
			}
			rows, err := db.Conn().Read.QueryContext(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var box, row, text string
				if err := rows.Scan(&box, &row, &text); err != nil {
					t.Fatal(err)
				}
				if _, err := key.Box(box).Open(text, row); err == nil {
					opened[table.Name+"."+c.Name]++
				} else {
					closed[table.Name+"."+c.Name]++
				}
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
			rows.Close()
		}
	}
	check, _, err := store.NewSettings(db).Find(t.Context(), store.SettingMasterKeyCheck)
	if err != nil {
		t.Fatal(err)
	}
	if masterkey.Proves(key, check) {
		opened["settings.value"]++
	} else {
		closed["settings.value"]++
	}
	return opened, closed
}

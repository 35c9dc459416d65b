package rewrap

import (
	"stoa/internal/market/entitlement"
	"stoa/internal/market/operation"
	"stoa/internal/message/mail"
	"stoa/internal/shop/license"
	"stoa/internal/store"
	"stoa/internal/trust/seal"
)

// Table is a table with sealed columns.
type Table struct {
	Name string
	// Key is the primary key, a text.
	Key string
	// Where restricts the rows; empty for all.
	Where   string
	Columns []Column
}

// Column is a column whose values are sealed, or empty.
type Column struct {
	Name string
	// Box and Row are SQL expressions for the purpose of the value (seal.Key.Box) and for what it
	// is bound to (the id in seal.Box.Seal).
	Box, Row string
	// Hash is a column with a hash of the value that depends on the master key; empty if there is
	// none. Rehash returns the hash for a key.
	Hash   string
	Rehash func(by *seal.Key) func(plain []byte) (string, error)
}

// SettingBox is the purpose for which secrets in settings are sealed. They are bound to the
// setting's name.
const SettingBox = "setting"

// Tables returns all sealed columns of the database, except the proofs of the master key itself.
func Tables() []Table {
	return []Table{
		{
			Name: "settings", Key: "name",
			Where:   `name IN ('` + store.SettingIdempotencySecret + `', '` + store.SettingCustomerSecret + `')`,
			Columns: []Column{{Name: "value", Box: `'` + SettingBox + `'`, Row: "name"}},
		},
		{Name: "signing_keys", Key: "id", Columns: []Column{
			{Name: "sealed", Box: "purpose || '.signing-key'", Row: "id"},
		}},
		{Name: "plugin_secrets", Key: "package_slug", Columns: []Column{
			{Name: "current_sealed", Box: "'plugin.secret'", Row: "package_slug"},
			{Name: "previous_sealed", Box: "'plugin.secret'", Row: "package_slug"},
		}},
		{Name: "plugin_packages", Key: "id", Columns: []Column{
			{Name: "environment_sealed", Box: "'plugin.config'", Row: "'environment of ' || slug"},
		}},
		{Name: "plugin_instances", Key: "id", Columns: []Column{
			{Name: "config_sealed", Box: "'plugin.config'", Row: "id"},
		}},
		{Name: "plugin_remains", Key: "package_id", Columns: []Column{
			{Name: "environment_sealed", Box: "'plugin.config'", Row: "'environment of ' || slug"},
			{Name: "current_sealed", Box: "'plugin.secret'", Row: "slug"},
			{Name: "previous_sealed", Box: "'plugin.secret'", Row: "slug"},
		}},
		{Name: "theme_targets", Key: "target", Columns: []Column{
			{Name: "active_config_sealed", Box: "'theme.config'", Row: "target || '/' || active_slug"},
			{Name: "previous_config_sealed", Box: "'theme.config'", Row: "target || '/' || previous_slug"},
		}},
		{Name: "webhooks", Key: "id", Columns: []Column{
			{Name: "current_sealed", Box: "'webhook.secret'", Row: "id"},
			{Name: "previous_sealed", Box: "'webhook.secret'", Row: "id"},
		}},
		{Name: "licenses", Key: "id", Columns: []Column{
			{Name: "key_sealed", Box: "'" + license.SealedFor + "'", Row: "id", Hash: "key_hash", Rehash: rehashLicense},
		}},
		{Name: "package_licenses", Key: "id", Columns: []Column{
			{Name: "key_sealed", Box: "'" + entitlement.SealedFor + "'", Row: "id"},
		}},
		{Name: "license_releases", Key: "id", Columns: []Column{
			{Name: "key_sealed", Box: "'" + entitlement.SealedFor + "'", Row: "id"},
		}},
		{Name: "mails", Key: "id", Columns: []Column{
			{Name: "sealed", Box: "'" + mail.OutboxBox + "'", Row: "id"},
		}},
		{Name: "market_operations", Key: "id", Columns: []Column{
			{Name: "sealed", Box: "'" + operation.SealedFor + "'", Row: "id"},
		}},
		{Name: "totp", Key: "user_id", Columns: []Column{
			{Name: "secret_sealed", Box: "'account.totp'", Row: "user_id"},
		}},
		{Name: "identity_providers", Key: "id", Columns: []Column{
			{Name: "secret_sealed", Box: "'identity-provider.secret'", Row: "id"},
		}},
		{Name: "oidc_flows", Key: "state_hash", Columns: []Column{
			{Name: "verifier_sealed", Box: "'oidc.verifier'", Row: "state_hash"},
			{Name: "result_sealed", Box: "'oidc.result'", Row: "state_hash"},
		}},
		{Name: "idempotency_keys", Key: "id", Columns: []Column{
			{Name: "answer_sealed", Box: "'idempotency.answer'", Row: "id"},
		}},
	}
}

func rehashLicense(by *seal.Key) func(plain []byte) (string, error) {
	vault := license.NewVault(seal.NewKeys(by))
	return func(plain []byte) (string, error) {
		key, err := license.ParseKey(string(plain))
		return vault.Hash(key), err
	}
}
